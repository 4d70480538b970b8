import type { Action, ActionOf } from "../../domain/action.ts";
import { FINDINGS_PER_ISSUE } from "../../domain/finding.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { COMMENT_LIMIT, safeComment } from "../../domain/text/comment-sanitizer.ts";
import { type BatchState, type Complaint, type JudgedMessage, isFromPerson, newWords, quoted } from "./batch-state.ts";
import { type Projection, addFindings, removeFinding } from "./projection.ts";
import { replyThread } from "./reply.ts";

/* Rules about the content of single actions (R-ACT-2). */

const LEARNING_LIMIT = 2_000;
const LEARNINGS_PER_BATCH = 10;

export function judgeComment({ data }: ActionOf<"post_comment">, state: BatchState): Complaint[] {
  const complaints: Complaint[] = [];
  const length = Math.max(data.content.length, safeComment(data.content, state).text.length);
  if (length > COMMENT_LIMIT) {
    complaints.push({
      rule: "comment_length",
      detail: `the comment has ${length} characters, at most 65,000 fit; shorten or split it`,
    });
  } else if (safeComment(data.content, state).text.trim() === "") {
    complaints.push({ rule: "comment_length", detail: "content is empty; write the comment or drop the action" });
  }
  if (data.reply_to_id !== undefined && replyThread(data.reply_to_id, state.messages).kind === "unknown") {
    complaints.push({
      rule: "reply_target",
      detail: `reply_to_id ${quoted(data.reply_to_id)} is no message or thread of this issue; use one that is, or leave it out`,
    });
  }
  return complaints;
}

export function judgeFindings({ data }: ActionOf<"update_findings">, projection: Projection): Complaint[] {
  const complaints: Complaint[] = [];
  for (const id of data.remove) {
    if (removeFinding(projection, id)) continue;
    complaints.push({ rule: "finding_exists", detail: `finding ${quoted(id)} does not exist; take it out of remove` });
  }
  for (const [index, finding] of data.add.entries()) {
    if (keptText(finding.synthesis).trim() === "") {
      complaints.push({ rule: "finding_synthesis", detail: `add[${index}] has no synthesis; say what was found` });
    }
    if (!finding.sources.some((source) => source.location.trim() !== "")) {
      complaints.push({
        rule: "finding_sources",
        detail: `add[${index}] has no source; give at least one with a location such as src/a.ts:12`,
      });
    }
  }
  if (data.add.length > FINDINGS_PER_ISSUE) {
    complaints.push({
      rule: "finding_limit",
      detail: `add has ${data.add.length} findings, an issue keeps ${FINDINGS_PER_ISSUE}; merge them`,
    });
  }
  addFindings(projection, data.add.length);
  return complaints;
}

export function judgeLearnings({ data }: ActionOf<"update_learnings">, state: BatchState): Complaint[] {
  const complaints: Complaint[] = [];
  for (const [index, { content }] of data.propose.entries()) {
    if (keptText(content).trim() === "") {
      complaints.push({ rule: "learning_content", detail: `propose[${index}] is empty; write what was learned` });
    } else if (content.length > LEARNING_LIMIT) {
      complaints.push({
        rule: "learning_content",
        detail: `propose[${index}] has ${content.length} characters, at most 2,000 fit; shorten it`,
      });
    }
  }
  if (data.propose.length > LEARNINGS_PER_BATCH) {
    complaints.push({
      rule: "learning_limit",
      detail: `propose has ${data.propose.length} learnings, at most ${LEARNINGS_PER_BATCH} fit; keep the most useful`,
    });
  }
  if (data.propose.length > 0 && newWords(state).length === 0) {
    complaints.push({
      rule: "learning_source",
      detail:
        "no person with a say in the issue has written anything new, and learnings come from people only; drop this action",
    });
  }
  for (const [index, { content }] of data.propose.slice(0, LEARNINGS_PER_BATCH).entries()) {
    if (!isCopiedFromBot(content, state.messages)) continue;
    complaints.push({
      rule: "learning_source",
      detail: `propose[${index}] is what a bot wrote, and learnings come from people only; drop it`,
    });
  }
  return complaints;
}

/** Length limits of stored texts, in characters: every later prompt contains them (R-SAFE-5). */
const LONGEST = {
  question: 2_000,
  evidence: 4_000,
  proposed_default: 2_000,
  note: 4_000,
  synthesis: 8_000,
  context_summary: 20_000,
  proceed_signal: 4_000,
  reason: 2_000,
} as const;

const SOURCES_PER_FINDING = 30;
const LEARNINGS_APPLIED = 100;

/** Checks the length of an action's texts; comments, learnings and specs have their own rules. */
export function judgeLengths(action: Action): Complaint[] {
  switch (action.type) {
    case "update_gaps":
      return [
        ...action.data.add.flatMap((gap, index) => [
          ...tooLong(`add[${index}]`, "question", gap.question),
          ...tooLong(`add[${index}]`, "evidence", gap.evidence),
          ...tooLong(`add[${index}]`, "proposed_default", gap.proposed_default),
        ]),
        ...action.data.close.flatMap(({ note }, index) => tooLong(`close[${index}]`, "note", note)),
      ];
    case "update_findings":
      return action.data.add.flatMap(({ synthesis, sources }, index) => [
        ...tooLong(`add[${index}]`, "synthesis", synthesis),
        ...tooMany(`add[${index}].sources`, sources.length, SOURCES_PER_FINDING),
      ]);
    case "ready_for_spec_generation":
      return [
        ...tooLong("data", "context_summary", action.data.context_summary),
        ...tooLong("data", "proceed_signal", action.data.proceed_signal),
        ...tooMany("learnings_applied", action.data.learnings_applied.length, LEARNINGS_APPLIED),
      ];
    case "update_spec":
      return tooLong("data", "reason", action.data.reason);
    case "post_comment":
    case "update_learnings":
    case "set_spec_status":
      return [];
    default:
      return action satisfies never;
  }
}

function tooLong(place: string, field: keyof typeof LONGEST, text: string | undefined): Complaint[] {
  const limit = LONGEST[field];
  if (text === undefined || text.length <= limit) return [];
  return [
    {
      rule: "text_length",
      detail: `${place}.${field} has ${text.length} characters, at most ${limit} fit; shorten it`,
    },
  ];
}

function tooMany(place: string, count: number, limit: number): Complaint[] {
  if (count <= limit) return [];
  return [{ rule: "text_length", detail: `${place} has ${count} entries, at most ${limit} fit; keep the best` }];
}

/** Share of a learning's trigrams that must be in a bot's message for the learning to count as copied. */
const TAKEN = 0.6;
/** Margin by which it must be closer to the bot's message than to any person's. */
const NEARER = 0.1;

/** At least as much of a thread and of a message as planners see: they cannot copy anything else. */
const RECENT = 200;
const READ = 30_000;

/**
 * Whether a learning was copied from a bot rather than from a person (R-PLAN-9). Compares trigrams of letters, which
 * works for every script; a paraphrase cannot be detected by rules.
 */
function isCopiedFromBot(learning: string, messages: readonly JudgedMessage[]): boolean {
  const wanted = trigramsOf(learning);
  if (wanted.size === 0) return false;
  let person = 0;
  let bot = 0;
  for (const message of messages.slice(-RECENT)) {
    const share = shareIn(message.content.slice(0, READ), wanted);
    if (isFromPerson(message)) person = Math.max(person, share);
    else bot = Math.max(bot, share);
  }
  return bot >= TAKEN && bot > person + NEARER;
}

function shareIn(text: string, wanted: ReadonlySet<string>): number {
  const there = trigramsOf(text);
  let found = 0;
  for (const trigram of wanted) if (there.has(trigram)) found += 1;
  return found / wanted.size;
}

function trigramsOf(text: string): Set<string> {
  const letters = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  const trigrams = new Set<string>();
  for (let at = 0; at + 3 <= letters.length; at += 1) trigrams.add(letters.slice(at, at + 3));
  return trigrams;
}
