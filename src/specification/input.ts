import type { ConversationMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import type { Complexity } from "../domain/spec.ts";
import { claimsStanding, isIdleNotice } from "../domain/issue-text/false-standing.ts";
import { type Corrected, withCorrections } from "../domain/issue-text/corrections.ts";
import { readIssue } from "../domain/issue-text/issue-reading.ts";
import { saysNothingOfSoftware } from "../approval/wishes.ts";
import { isQuestion } from "../domain/issue-text/sentences.ts";
import { isCheckable } from "../domain/statements/checkable.ts";
import { type PossibleDecision, statementsIn } from "../domain/statements/statements.ts";
import type { Statement } from "../domain/statements/statement.ts";
import { sameLogin } from "../domain/login.ts";
import { cut } from "../lib/text.ts";
import type { Clock } from "../lib/clock.ts";
import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import { storedSpec } from "../adapters/spec-stores/stored-spec.ts";
import type { Db } from "../storage/db.ts";
import type { Repository } from "../code/git/repository.ts";
import { explorationsAt } from "../dossier/explorations.ts";
import { recordOf } from "../approval/record.ts";
import { listFindings, listRemovedFindings } from "../storage/findings.ts";
import { listGaps } from "../storage/gaps.ts";
import { listLearnings } from "../storage/learnings.ts";
import { listMessages, listUnwritten } from "../storage/messages.ts";
import { isTextEdited, latestSpec } from "../storage/specs.ts";
import { wantedDocuments } from "./documents.ts";
import { driftOf } from "./drift.ts";
import type { SpecInput } from "./generator.ts";

/** The length that every backend accepts (decision 8 of the requirements, section 15). */
const MAX_CHARACTERS = 200_000;

/** Whose words count, by permissions at the beginning of the cycle. */
export interface Voices {
  /** Logins of the people who decide, in lower case. */
  deciders: ReadonlySet<string>;
  /** Seqs of their messages that give the go-ahead, and of those that say what to change. */
  goAheads: readonly number[];
  wishes: readonly number[];
}

/** Loads the input of a spec from the stores only (R-SPEC-1): ids named by a planner are not used. */
export async function assembleInput(
  db: Db,
  issue: Issue,
  handoff: { proceedSignal: string; contextSummary: string; complexityHint: Complexity | null },
  { deciders, goAheads, wishes }: Voices,
  { specStore, code, clock }: { specStore: SpecStore; code: Repository; clock: Clock },
): Promise<SpecInput> {
  const messages = await listMessages(db, issue.id);
  const decides = ({ author, isBot }: ConversationMessage) => !isBot && deciders.has(author.toLowerCase());
  const unwritten = new Set(await listUnwritten(db, issue.id));
  const merelyAgreed = new Set(goAheads.filter((seq) => !wishes.includes(seq)));
  const existing = await storedSpec(issue.spec, specStore);
  const latest = await latestSpec(db, issue.id);
  const drifted = existing === null ? [] : await driftOf(existing.content, latest?.commit ?? null, code);
  return {
    issue,
    ...handoff,
    deciders: new Set(messages.filter(decides).map(({ seq }) => seq)),
    goAheads: new Set(goAheads),
    statements: statementsOf(issue, messages, deciders),
    documents: await wantedDocuments(issue, messages, decides, code),
    requests: messages.filter((one) => decides(one) && unwritten.has(one.seq) && !merelyAgreed.has(one.seq)),
    closedGaps: (await listGaps(db, issue.id)).filter((gap) => gap.status === "closed"),
    findings: await listFindings(db, issue.id),
    removed: await listRemovedFindings(db, issue.id),
    explorations: await explorationsAt(db, issue.id, code),
    learnings: await listLearnings(db, issue.repositoryId),
    messages,
    unread: [...unwritten],
    drifted: drifted.map(({ location }) => location),
    rejected: latest?.status === "rejected",
    reading: readIssue(corrected(issue, messages).issue),
    textEdited: await isTextEdited(db, issue),
    existing,
    maxCharacters: MAX_CHARACTERS,
    now: clock.now(),
  };
}

/** The issue with what its reporter corrected of it, and whether a later statement says no more than that. */
export function corrected<T extends { body: string; reporter: string }>(
  issue: T,
  messages: readonly ConversationMessage[],
): { issue: T; isTakenOver: Corrected["isTakenOver"] } {
  const own = messages.filter(({ author, isBot }) => !isBot && sameLogin(author, issue.reporter));
  const { body, isTakenOver } = withCorrections(issue.body, own);
  return { issue: { ...issue, body }, isTakenOver };
}

/**
 * What people said of the software, with what those who decide settled in words that no rule knows; without what programs
 * write to idle issues, what others say that nobody can check, and the comments of those who claim a say that they have not.
 */
export function statementsOf(...given: Parameters<typeof statementsIn>): SpecInput["statements"] {
  const [reported, messages, deciders] = given;
  const { issue, isTakenOver } = corrected(reported, messages);
  const { statements, possible, omitted } = statementsIn(issue, messages, deciders);
  const notices = new Set(messages.flatMap(({ seq, content }) => (isIdleNotice(content) ? [seq] : [])));
  const claims = new Set(messages.flatMap(({ seq, content }) => (claimsStanding(content) ? [seq] : [])));
  const isSincere = ({ message, decides, agreedIn }: Statement) =>
    message === null || (!notices.has(message) && (decides || agreedIn !== null || !claims.has(message)));
  const isChatter = ({ text, decides, agreedIn }: Statement) =>
    saysNothingOfSoftware(text) || (!decides && agreedIn === null && !isCheckable(text, issue));
  const stated = statements.filter((one) => one.message === null || !(isChatter(one) || isTakenOver(one)));
  const all = [...stated, ...possible.flatMap(decisionOf)].filter(isSincere);
  const inOrder = all.toSorted((a, b) => (a.message ?? -1) - (b.message ?? -1));
  const agreedIn = (seq: number | null) =>
    inOrder.find((one) => one.message === seq && one.agreedIn !== null)?.agreedIn ?? null;
  const record = recordOf(...given).filter(isSincere);
  return { statements: inOrder, omitted, record: record.map((one) => ({ ...one, agreedIn: agreedIn(one.message) })) };
}

/** A message's words as one decision: an answer to a question in any words, else what they say of the software. */
function decisionOf({ asked, sentences, message, author, decides }: PossibleDecision): Statement[] {
  const isAnswer = asked !== null && isQuestion(asked);
  const said = sentences.filter((sentence, at) => (at === 0 && isAnswer) || !saysNothingOfSoftware(sentence));
  if (said.length === 0) return [];
  const text = cut(
    [...(asked !== null && said[0] === sentences[0] ? [asked] : []), ...said].join(" "),
    LONGEST_DECISION,
  );
  return [{ kind: "decision", text, message, author, decides, agreedIn: null, supersededBy: null }];
}

/** Characters. */
const LONGEST_DECISION = 400;
