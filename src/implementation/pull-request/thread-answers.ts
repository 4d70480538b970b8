import { code, inRow, prose } from "../../domain/text/comment-markdown.ts";
import { keptCode } from "../../domain/text/clean-text.ts";
import { withoutClosing } from "../../domain/text/closing-keywords.ts";
import { isAmong } from "../../domain/login.ts";
import { keyOf, marker } from "../../domain/marker.ts";
import type { PlanStep } from "../../domain/plan.ts";
import { phrases } from "../../i18n/phrases.ts";
import { safeComment } from "../../domain/text/comment-sanitizer.ts";
import { RelayError } from "../../lib/errors.ts";
import type { ChangedLines } from "./changed-lines.ts";
import { type PostLedger, sendOnce } from "../../notify/send-once.ts";
import type { ReviewThread, Reviews } from "../../adapters/trackers/code-host.ts";
import type { Account, TrackerComment } from "../../adapters/trackers/tracker.ts";

/** The outcome of one thread's request. */
export interface Outcome {
  threadId: string;
  /** The file of the thread; null for the request as a whole. */
  path: string | null;
  /** Whether someone asked a question there. */
  isQuestion: boolean;
  /** The agent's answer, or why nothing was done; null without one. */
  text: string | null;
}

export interface Answering {
  runId: string;
  project: string;
  number: number;
  language: string;
  /** The newest commit; null if nothing changed. */
  commit: string | null;
  /** What the run changed; null if unknown. */
  changes: readonly ChangedLines[] | null;
  /** Commands that fail now but did not before. */
  red: readonly string[];
  outcomes: readonly Outcome[];
}

/** A thread that could not be answered, and why. */
export interface Unanswered {
  threadId: string;
  why: string;
}

/**
 * The answer to a thread, from facts: the commit and the changed lines of the thread's file, or that nothing changed
 * and why; then the agent's own words as a quote (R-WORK-9).
 */
export function answerText(
  answering: Answering,
  { threadId, path, text, isQuestion }: Outcome,
  origins: ReadonlySet<string>,
): string {
  const { runId, language, commit, red } = answering;
  const say = phrases("request", language);
  const agentText = prose(text ?? "", 1_500);
  const parts = [
    // Code hosts link a commit id that stands as plain text.
    commit !== null && whereChanged(path, commit.slice(0, 10), answering),
    // A person who only asked needs an answer, and did not expect a change.
    commit === null && !(isQuestion && agentText !== "") && say(agentText === "" ? "unchanged_unknown" : "unchanged"),
    agentText !== "" && `> ${agentText}`,
    red.length > 0 &&
      say("checks_red", {
        commands: inRow(
          red.slice(0, 50).map((command) => code(command, 150)),
          600,
          red.length,
        ),
      }),
  ].filter((part) => typeof part === "string");
  return replyText(parts.join("\n\n"), keyOfAnswer(runId, threadId), origins);
}

function replyText(words: string, key: string, origins: ReadonlySet<string>): string {
  const safe = withoutClosing(safeComment(words, { participants: [], bot: "", origins }).text);
  return `${safe}\n\n${marker(key)}`;
}

const MOST_FILES = 20;
const MOST_PIECES = 8;

function whereChanged(path: string | null, commit: string, { language, changes }: Answering): string {
  const say = phrases("request", language);
  if (changes === null || changes.length === 0) return say("done", { commit });
  const here = changes.filter((place) => path === null || place.path === path);
  const shown = here.length > 0 ? here : changes;
  const places = inRow(
    shown.slice(0, MOST_FILES).map((place) => shownPlace(place, language)),
    600,
    shown.length,
  );
  if (here.length > 0) return say("changed", { commit, places });
  return say("changed_elsewhere", { commit, places, path: code(path ?? "", 200) });
}

/** `src/cart.ts:3-5,9`, as far as it fits. */
function shownPlace({ path, lines, isDeleted }: ChangedLines, language: string): string {
  if (isDeleted) return `${code(path, 200)} (${phrases("request", language)("file_deleted")})`;
  const pieces = lines.slice(0, MOST_PIECES).map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  const more = lines.length > MOST_PIECES ? ",…" : "";
  return code(pieces.length === 0 ? path : `${path}:${pieces.join(",")}${more}`, 250);
}

/**
 * Answers each thread exactly once, even after a crash: existing answers are recognized by hidden marker and author.
 * Deleted and locked threads are reported and do not stop the others.
 *
 * @throws RelayError transient errors; a retry continues with the remaining threads
 */
export async function answerThreads(answering: Answering, deps: AnswerDeps): Promise<Unanswered[]> {
  const unanswered: Unanswered[] = [];
  for (const outcome of answering.outcomes) {
    const { threadId } = outcome;
    const key = keyOfAnswer(answering.runId, threadId);
    const origins = await deps.origins(outcome.text ?? "");
    const why = await replyOnce({ key, threadId, body: answerText(answering, outcome, origins) }, answering, deps);
    if (why !== null) unanswered.push({ threadId, why });
  }
  return unanswered;
}

export interface AnswerDeps {
  codeHost: Reviews & Account;
  calledAs: readonly string[];
  posts: PostLedger;
  /** Origins that links in this text may lead to. */
  origins: (words: string) => Promise<ReadonlySet<string>>;
}

/** Comments exactly once on the request as a whole; returns the reason if it takes no comment, else null. */
export async function commentOnce(
  { key, words }: { key: string; words: string },
  request: Pick<Answering, "project" | "number">,
  deps: AnswerDeps,
): Promise<string | null> {
  return await replyOnce(
    { key, threadId: null, body: replyText(words, key, await deps.origins(words)) },
    request,
    deps,
  );
}

/**
 * Replies exactly once in a thread, or on the request as a whole without one; returns the reason if it takes no reply,
 * else null.
 */
async function replyOnce(
  { key, threadId, body }: { key: string; threadId: string | null; body: string },
  { project, number }: Pick<Answering, "project" | "number">,
  { codeHost, calledAs, posts }: AnswerDeps,
): Promise<string | null> {
  const post = await posts.find(key);
  if (post !== null && post.commentId !== null) return null;
  // The answer may be outside the thread, if the thread takes no replies.
  const find = async () =>
    ownComments(await codeHost.listReviewThreads(project, number), calledAs).find((comment) =>
      comment.body.includes(marker(key)),
    ) ?? null;
  const send = async () =>
    threadId === null
      ? await codeHost.commentOn(project, number, body)
      : await codeHost.replyToThread(project, number, threadId, body);
  try {
    // Relay may have posted it after the backup that was restored.
    const lost = post === null ? await find() : null;
    if (lost !== null) {
      await posts.settle(key, lost);
      return null;
    }
    const { comment } = await sendOnce({ key, find, send }, post, { posts, settlesAfterMs: codeHost.settlesAfterMs });
    await posts.settle(key, comment);
    return null;
  } catch (error) {
    if (!(error instanceof RelayError) || error.retryable || !FINAL.has(error.code)) throw error;
    return error.message;
  }
}

/** The facts behind a rule-based answer to a question. */
export interface QuestionFacts {
  language: string;
  /** The lines of the diff around the thread's line; null if nothing changed there. */
  hunk: string | null;
  /** Decisions in the spec that mention the file, or a name in the question. */
  decisions: readonly string[];
  steps: readonly PlanStep[];
  /** Why the model gave no answer; null if none is configured. */
  without: "no_budget" | "no_answer" | null;
}

/**
 * A rule-based answer to a question: why no model answered, then the facts about the place, or that only a person can
 * answer; then how to ask for a change.
 */
export function questionText(
  { language, hunk, decisions, steps, without }: QuestionFacts,
  path: string | null,
): string {
  const say = phrases("request", language);
  const here = steps.filter(({ files_involved }) => path !== null && files_involved.includes(path));
  const facts = [
    hunk !== null && `${say("question_diff")}\n\n${diffBlock(hunk)}`,
    decisions.length > 0 &&
      `${say("question_spec")}\n\n${decisions.map((decision) => `- ${prose(decision, 300)}`).join("\n")}`,
    here.length > 0 &&
      `${say("question_plan")}\n\n${here.map(({ order, description }) => `${order}. ${prose(description, 300)}`).join("\n")}`,
  ].filter((part) => typeof part === "string");
  const why = without !== null ? say(`question_${without}`) : facts.length === 0 ? say("question_unknown") : "";
  return [why, ...facts, say("question_change")].filter((part) => part !== "").join("\n\n");
}

function diffBlock(hunk: string): string {
  const lines = keptCode(hunk).replaceAll("<!--", "< !--");
  const fence = "`".repeat(Math.max(3, ...[...lines.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}diff\n${lines}\n${fence}`;
}

/** The key of the answer to the question in this comment. */
export function keyOfQuestion(commentId: string): string {
  return keyOfAnswer("question", commentId);
}

/**
 * Answers a question in its thread, exactly once; returns the reason if the thread takes no reply, else null. `words`
 * is only called if the answer has not been posted yet.
 */
export async function answerQuestion(
  { id, threadId, project, number, words }: QuestionAsked,
  deps: AnswerDeps,
): Promise<string | null> {
  const key = keyOfQuestion(id);
  if ((await deps.posts.find(key))?.commentId != null) return null;
  const told = await words();
  return await replyOnce(
    { key, threadId, body: replyText(told, key, await deps.origins(told)) },
    { project, number },
    deps,
  );
}

interface QuestionAsked {
  /** The id of the comment. */
  id: string;
  threadId: string;
  project: string;
  /** Number of the pull request. */
  number: number;
  words: () => Promise<string>;
}

const FINAL = new Set(["not_found", "forbidden", "invalid"]);

function ownComments(threads: readonly ReviewThread[], calledAs: readonly string[]): TrackerComment[] {
  return threads.flatMap(({ comments }) => comments.filter(({ author }) => isAmong(author, calledAs)));
}

/**
 * Comments that Relay answered in runs that the restored database does not know: those by others, before such an answer
 * in their thread. Pure.
 */
export function answeredInLostRuns(
  threads: readonly ReviewThread[],
  calledAs: readonly string[],
  runs: ReadonlySet<string>,
): TrackerComment[] {
  return threads.flatMap(({ comments }) => {
    const last = comments.findLastIndex(({ author, body }) => {
      const run = isAmong(author, calledAs) ? /^answer:(\d+):/.exec(keyOf(body) ?? "")?.[1] : undefined;
      return run !== undefined && !runs.has(run);
    });
    return comments.slice(0, Math.max(0, last)).filter(({ author }) => !isAmong(author, calledAs));
  });
}

function keyOfAnswer(to: string, id: string): string {
  return `answer:${to}:${id.replaceAll(/[^\w.-]/g, "-")}`;
}
