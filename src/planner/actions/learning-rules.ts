import { LONGEST_LEARNING } from "../../domain/learning.ts";
import type { ActionOf } from "../../domain/action.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { type BatchState, type Complaint, type JudgedMessage, newWords } from "./batch-state.ts";

/* Learnings come from messages of people only (R-PLAN-9, R-SAFE-8). */

const LEARNINGS_PER_BATCH = 10;

type Proposal = ActionOf<"update_learnings">["data"]["propose"][number];

export function judgeLearnings({ data }: ActionOf<"update_learnings">, state: BatchState): Complaint[] {
  const complaints: Complaint[] = [];
  for (const [index, { content }] of data.propose.entries()) {
    if (keptText(content).trim() === "") {
      complaints.push({ rule: "learning_content", detail: `propose[${index}] is empty; write what was learned` });
    } else if (content.length > LONGEST_LEARNING) {
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
    return complaints;
  }
  for (const [index, proposal] of data.propose.slice(0, LEARNINGS_PER_BATCH).entries()) {
    const detail = problemOfSource(proposal, state);
    if (detail !== null) complaints.push({ rule: "learning_source", detail: `propose[${index}] ${detail}` });
  }
  return complaints;
}

function problemOfSource(proposal: Proposal, state: BatchState): string | null {
  if (isCopiedFromOthers(proposal.content, state.messages)) {
    return "is what a bot or somebody without a say wrote, and learnings come from people who decide; drop it";
  }
  if (sourceOf(proposal, state) !== null) return null;
  return `names message ${proposal.message}, which is no new message of a person with a say; name one, or drop it`;
}

/** The new message that a learning is taken from: the named one, or the nearest in its words; null if it is none. */
export function sourceOf(
  { content, message: named }: Proposal,
  state: Pick<BatchState, "messages">,
): JudgedMessage | null {
  const said = newWords(state);
  if (named !== undefined) return said.find(({ seq }) => seq === named) ?? null;
  const wanted = trigramsOf(content);
  const near = said.map((message) => ({ message, share: shareIn(message.content.slice(0, READ), wanted) }));
  return near.toSorted((a, b) => b.share - a.share)[0]?.message ?? null;
}

/** Share of a learning's trigrams that must be in a message for the learning to count as copied from it. */
const TAKEN = 0.6;
/** Margin by which it must be closer to that message than to any by a person with a say. */
const NEARER = 0.1;

/** At least as much of a thread and of a message as planners see: they cannot copy anything else. */
const RECENT = 200;
const READ = 30_000;

/**
 * Whether a learning was copied from a bot or from a person without a say. Compares trigrams of letters, which works
 * for every script; a paraphrase cannot be detected by rules.
 */
function isCopiedFromOthers(learning: string, messages: readonly JudgedMessage[]): boolean {
  const wanted = trigramsOf(learning);
  if (wanted.size === 0) return false;
  let heard = 0;
  let others = 0;
  for (const message of messages.slice(-RECENT)) {
    const share = shareIn(message.content.slice(0, READ), wanted);
    if (message.permitted && !message.isBot) heard = Math.max(heard, share);
    else others = Math.max(others, share);
  }
  return others >= TAKEN && others > heard + NEARER;
}

function shareIn(text: string, wanted: ReadonlySet<string>): number {
  if (wanted.size === 0) return 0;
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
