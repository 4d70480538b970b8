import { hasMarkerOf, marker } from "../domain/marker.ts";
import type { ThreadMessage } from "../domain/conversation.ts";
import { type Gap, gapEvidenceOf, isAgentGap, isSameQuestion } from "../domain/gap.ts";
import type { Issue } from "../domain/issue.ts";
import { type Reply, readReply } from "../approval/read-reply.ts";
import type { Run } from "../domain/work.ts";
import type { Db } from "../storage/db.ts";
import { listGaps } from "../storage/gaps.ts";
import { listMessages } from "../storage/messages.ts";
import { runFacts } from "../storage/runs.ts";
import { type Tracker, atLeast } from "../adapters/trackers/tracker.ts";

/** The key of the comment that ends a stuck run; later messages may answer it. */
export function stuckKey(run: Pick<Run, "id">): string {
  return `stuck:${run.id}`;
}

/** The open gap if an earlier run already asked this question, so that it is not posted again; null if it is new. */
export async function openQuestion(issueId: string, question: string, { db }: { db: Db }): Promise<Gap | null> {
  return (await sameQuestions(issueId, question, db)).find(({ status }) => status === "open") ?? null;
}

/** All gaps in which agents asked the same question, oldest first. */
async function sameQuestions(issueId: string, question: string, db: Db): Promise<Gap[]> {
  return (await listGaps(db, issueId)).filter((gap) => isAgentGap(gap) && isSameQuestion(gap.question, question));
}

interface Answer {
  /** Sequence number of the message. */
  seq: number;
  /** Empty for an unprompted message. */
  question: string;
  answer: string;
}

const ANSWERS_NOTHING = new Set<Reply["kind"]>(["thanks", "stop"]);

/** How many people's permissions are looked up for one answer. */
const MOST_PEOPLE = 20;

/**
 * Messages after a run got stuck, as answers to its question: by the reporter, assignees, and people who currently have
 * write access (R-WORK-4). Thanks and stop words do not count as answers.
 */
export async function answersTo(
  run: Pick<Run, "id">,
  issue: Issue,
  { db, tracker }: { db: Db; tracker: Tracker },
): Promise<Answer[]> {
  const messages = await listMessages(db, issue.id);
  const own = commentOf(run.id, messages);
  const question = await questionOf(run, issue.id, db);
  const questionMessage = own ?? (question && commentOf(question.runId, messages));
  if (questionMessage === null) return [];
  // The next such comment asks another question.
  const end = messages.find(
    ({ role, seq, content }) => role === "self" && seq > questionMessage.seq && hasMarkerOf("stuck", content),
  );
  const later = messages.filter(({ seq }) => seq > questionMessage.seq && (end === undefined || seq < end.seq));
  const permitted = await permittedMessages(later, issue, tracker);
  const questionText = question?.text ?? questionMessage.content.replaceAll(/<!--[\s\S]*?-->/g, "").trim();
  return permitted.map(({ seq, content }) => ({ seq, question: questionText, answer: content }));
}

function commentOf(runId: string, messages: readonly ThreadMessage[]): ThreadMessage | null {
  const hidden = marker(stuckKey({ id: runId }));
  return messages.find(({ role, content }) => role === "self" && content.includes(hidden)) ?? null;
}

/** The run's question, verbatim, and the run that first posted it; null without a question. */
async function questionOf(
  { id }: Pick<Run, "id">,
  issueId: string,
  db: Db,
): Promise<{ text: string; runId: string } | null> {
  const text = (await runFacts(db, id)).iterations.at(-1)?.agent?.question ?? null;
  const asked = text === null ? [] : await sameQuestions(issueId, text, db);
  const gap = asked.find(({ evidence }) => evidence === gapEvidenceOf(id)) ?? asked.at(-1);
  return text === null || gap === undefined
    ? null
    : { text, runId: gap.evidence?.slice(gapEvidenceOf("").length) ?? id };
}

/** Messages that were written during a run and not handled yet. */
export async function messagesDuring(
  run: Pick<Run, "startedAt" | "endedAt">,
  issue: Issue,
  { db, tracker }: { db: Db; tracker: Tracker },
): Promise<Answer[]> {
  const until = run.endedAt ?? run.startedAt;
  const during = (await listMessages(db, issue.id)).filter(
    ({ timestamp }) => timestamp > run.startedAt && timestamp < until,
  );
  return (await permittedMessages(during, issue, tracker)).map(({ seq, content }) => ({
    seq,
    question: "",
    answer: content,
  }));
}

async function permittedMessages(
  messages: readonly ThreadMessage[],
  issue: Issue,
  tracker: Tracker,
): Promise<ThreadMessage[]> {
  const mayAnswer = new Map<string, boolean>();
  const permitted: ThreadMessage[] = [];
  for (const message of messages) {
    const { author, role, isBot, content } = message;
    if (role === "self" || isBot || ANSWERS_NOTHING.has(readReply(content).kind)) continue;
    const known = mayAnswer.get(author);
    if (known === undefined && mayAnswer.size >= MOST_PEOPLE) continue;
    const may =
      known ?? (role !== "other" || atLeast(await tracker.permissionOf(issue.externalProjectId, author), "write"));
    mayAnswer.set(author, may);
    if (may) permitted.push(message);
  }
  return permitted;
}
