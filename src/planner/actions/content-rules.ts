import type { Action, ActionOf } from "../../domain/action.ts";
import { FINDINGS_PER_ISSUE } from "../../domain/finding.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { COMMENT_LIMIT, safeComment } from "../../domain/text/comment-sanitizer.ts";
import { type BatchState, type Complaint, quoted } from "./batch-state.ts";
import { type Projection, addFindings, removeFinding } from "./projection.ts";
import { replyThread } from "./reply.ts";

/* Rules about the content of single actions (R-ACT-2). */

/** The comment as it would be sent; its links are judged then. */
function sent(content: string, state: BatchState): string {
  return safeComment(content, { ...state, origins: "later" }).text;
}

export function judgeComment({ data }: ActionOf<"post_comment">, state: BatchState): Complaint[] {
  const complaints: Complaint[] = [];
  const length = Math.max(data.content.length, sent(data.content, state).length);
  if (length > COMMENT_LIMIT) {
    complaints.push({
      rule: "comment_length",
      detail: `the comment has ${length} characters, at most 65,000 fit; shorten or split it`,
    });
  } else if (sent(data.content, state).trim() === "") {
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
