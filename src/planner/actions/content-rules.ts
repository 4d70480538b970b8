import type { ActionOf } from "../../domain/action.ts";
import { FINDINGS_PER_ISSUE } from "../../domain/finding.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { COMMENT_LIMIT, safeComment } from "../../domain/text/comment-sanitizer.ts";
import type { BatchState, Complaint } from "./batch-state.ts";
import { newWords } from "./batch-state.ts";
import { isRatherFromBot } from "./learning-source.ts";
import type { Projection } from "./projection.ts";
import { addFindings, removeFinding } from "./projection.ts";
import { quoted } from "./quoted.ts";
import { replyThread } from "./reply.ts";

/* What each action must hold in itself (R-ACT-2). */

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
    if (!isRatherFromBot(content, state.messages)) continue;
    complaints.push({
      rule: "learning_source",
      detail: `propose[${index}] is what a bot wrote, and learnings come from people only; drop it`,
    });
  }
  return complaints;
}
