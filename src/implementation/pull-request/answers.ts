import { code, codeLink, inRow, prose } from "../../domain/text/comment-markdown.ts";
import { withoutClosing } from "../../domain/text/closing-keywords.ts";
import { answerMarker } from "../../domain/marker.ts";
import { phrases } from "../../i18n/phrases.ts";
import { safeComment } from "../../domain/text/comment-sanitizer.ts";
import { RelayError } from "../../lib/errors.ts";
import type { ChangedPlace } from "./places.ts";
import type { ReviewThread, Reviews } from "../../adapters/trackers/code-host.ts";

/** One thread that asked for something. */
export interface Outcome {
  threadId: string;
  /** The file that it is about; null for the request as a whole. */
  path: string | null;
  /** What the agent says to it, or why nothing was done; null where it said nothing. */
  text: string | null;
}

export interface Answering {
  runId: string;
  project: string;
  number: number;
  language: string;
  /** The newest commit that was made; null where nothing was changed. */
  commit: { sha: string; url: string | null } | null;
  /** What the run changed; null where that cannot be told. */
  changes: readonly ChangedPlace[] | null;
  /** Commands that fail now and did not before. */
  red: readonly string[];
  outcomes: readonly Outcome[];
}

/** A thread that the tracker did not let Relay answer in, with why. */
export interface Unanswered {
  threadId: string;
  why: string;
}

/**
 * What was changed for a thread, by the facts: the commit and the lines of the thread's own file, or honestly that
 * nothing was, and why; then what the agent says to it, as a quote (R-WORK-9).
 */
export function answerText(answering: Answering, { threadId, path, text }: Outcome): string {
  const { runId, language, commit, red } = answering;
  const say = phrases("request", language);
  const told = prose(text ?? "", 1_500);
  const parts = [
    commit === null
      ? say(told === "" ? "unchanged_unknown" : "unchanged", { reason: told })
      : whereChanged(path, codeLink(commit.sha.slice(0, 10), commit.url, 300), answering),
    commit !== null && told !== "" && `> ${told}`,
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

/** `src/cart.ts:3-5,9` as far as there is room. */
function shownPlace({ path, lines, isDeleted }: ChangedPlace, language: string): string {
  if (isDeleted) return `${code(path, 200)} (${phrases("request", language)("file_deleted")})`;
  const pieces = lines.slice(0, MOST_PIECES).map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  const more = lines.length > MOST_PIECES ? ",…" : "";
  return code(pieces.length === 0 ? path : `${path}:${pieces.join(",")}${more}`, 250);
}

/**
 * Answers each thread once, also after a crash in between: an answer that is there, by its hidden marker and in Relay's
 * own name, is not given again. Threads that are gone or locked are told, and keep nobody from the others.
 *
 * @throws RelayError what may pass; done again, it goes on with those that are left
 */
export async function answerThreads(
  answering: Answering,
  { codeHost, calledAs }: { codeHost: Reviews; calledAs: readonly string[] },
): Promise<Unanswered[]> {
  const { project, number, runId, outcomes } = answering;
  if (outcomes.length === 0) return [];
  const given = ownWords(await codeHost.listReviewThreads(project, number), calledAs);
  const unanswered: Unanswered[] = [];
  for (const outcome of outcomes) {
    const { threadId } = outcome;
    // Where a thread takes no answers, it stands beside it.
    if (given.some((body) => body.includes(markerOf(runId, threadId)))) continue;
    try {
      await codeHost.replyToThread(project, number, threadId, answerText(answering, outcome));
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
