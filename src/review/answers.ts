import { code, codeLink, inRow, prose } from "../domain/comment-text.ts";
import { withoutClosing } from "../domain/closing-words.ts";
import { answerMarker } from "../domain/marker.ts";
import { requestPhrases } from "../domain/messages/request.ts";
import { safeComment } from "../domain/outgoing.ts";
import { RelayError } from "../lib/errors.ts";
import type { ReviewThread, ReviewTracker } from "../trackers/tracker.ts";

/** What came of the wishes of one thread. */
export interface Outcome {
  threadId: string;
  /** The newest commit that was made for it; null where nothing was changed. */
  commit: { sha: string; url: string | null } | null;
  /** What the agent says was done, or why nothing was; null where it said nothing. */
  text: string | null;
  /** Commands that fail now and did not before. */
  red: readonly string[];
}

export interface Answering {
  runId: string;
  project: string;
  number: number;
  language: string;
  outcomes: readonly Outcome[];
}

/** A thread that the tracker did not let Relay answer in, with why. */
export interface Unanswered {
  threadId: string;
  why: string;
}

/** What was done about a thread and in which commit, or honestly that nothing was, and why (R-WORK-9). */
export function answerText({ runId, language }: Answering, { threadId, commit, text, red }: Outcome): string {
  const say = requestPhrases(language);
  const told = prose(text ?? "", 1_500);
  const parts = [
    commit
      ? say(told === "" ? "done" : "done_text", {
          commit: codeLink(commit.sha.slice(0, 10), commit.url, 300),
          text: told,
        })
      : say(told === "" ? "unchanged_unknown" : "unchanged", { reason: told }),
    red.length > 0 &&
      say("checks_red", {
        commands: inRow(
          red.slice(0, 50).map((command) => code(command, 150)),
          600,
          red.length,
        ),
      }),
  ].filter((part) => typeof part === "string");
  const safe = withoutClosing(safeComment(parts.join("\n\n"), { participants: [], bot: "" }).text);
  return `${safe}\n\n${markerOf(runId, threadId)}`;
}

/**
 * Answers each thread once, also after a crash in between: an answer that is there, by its hidden marker and in Relay's
 * own name, is not given again. Threads that are gone or locked are told, and keep nobody from the others.
 *
 * @throws RelayError what may pass; done again, it goes on with those that are left
 */
export async function answerThreads(
  answering: Answering,
  { tracker, calledAs }: { tracker: ReviewTracker; calledAs: readonly string[] },
): Promise<Unanswered[]> {
  const { project, number, runId, outcomes } = answering;
  if (outcomes.length === 0) return [];
  const given = ownWords(await tracker.listReviewThreads(project, number), calledAs);
  const unanswered: Unanswered[] = [];
  for (const outcome of outcomes) {
    const { threadId } = outcome;
    // Where a thread takes no answers, it stands beside it.
    if (given.some((body) => body.includes(markerOf(runId, threadId)))) continue;
    try {
      await tracker.replyToThread(project, number, threadId, answerText(answering, outcome));
    } catch (error) {
      if (!(error instanceof RelayError) || error.retryable || !FINAL.has(error.code)) throw error;
      unanswered.push({ threadId, why: error.message });
    }
  }
  return unanswered;
}

const FINAL = new Set(["not_found", "forbidden", "invalid"]);

function ownWords(threads: readonly ReviewThread[], calledAs: readonly string[]): string[] {
  const own = new Set(calledAs.map((login) => login.toLowerCase()));
  return threads.flatMap(({ comments }) =>
    comments.filter(({ author }) => own.has(author.toLowerCase())).map(({ body }) => body),
  );
}

function markerOf(runId: string, threadId: string): string {
  return answerMarker(`${runId}:${threadId.replaceAll(/[^\w.-]/g, "-")}`);
}
