import { blockquote, cut } from "../../lib/text.ts";
import { seenText } from "../../domain/text/clean-text.ts";
import type { CommitCheck, ReviewThread } from "../../adapters/trackers/code-host.ts";
import type { TrackerComment } from "../../adapters/trackers/tracker.ts";

/** The change requested in one review thread, as the agent gets it; untrusted text. */
export interface ReviewChangeRequest {
  threadId: string;
  /** The comments that request it. */
  words: { id: string; author: string; content: string; createdAt: Date }[];
  /** The authors, joined. */
  from: string;
  path: string | null;
  line: number | null;
  /** The request, after earlier comments of the thread as quotes. */
  text: string;
}

/** Characters of one request, and of the earlier comments. */
const LONGEST = 8_000;
/** Comments of one request; the rest waits for the next run. */
const MOST_WORDS = 20;
const LONGEST_BEFORE = 2_000;
const MOST_BEFORE = 20;

/** One change request for a thread: its current requests, their authors, and the earlier comments. */
export function changeRequestOf(
  { id: threadId, path, line, comments }: ReviewThread,
  all: readonly TrackerComment[],
): ReviewChangeRequest {
  const asking = all.slice(0, MOST_WORDS);
  const first = comments.findIndex((comment) => asking.includes(comment));
  const before = comments
    .slice(Math.max(0, first - MOST_BEFORE), first)
    .map(({ author, body }) => blockquote(`${author}: ${shown(body, LONGEST_BEFORE)}`));
  const people = [...new Set(asking.map(({ author }) => author))];
  const asked = asking.map(({ author, body }) => {
    const text = shown(body, Math.floor(LONGEST / asking.length));
    return people.length > 1 ? `${author}: ${text}` : text;
  });
  return {
    threadId,
    words: asking.map(({ id, author, body: content, createdAt }) => ({ id, author, content, createdAt })),
    from: people.join(", "),
    path,
    line,
    text: [tail(before.join("\n"), LONGEST_BEFORE), asked.join("\n\n")].filter((part) => part !== "").join("\n\n"),
  };
}

/** A failed check as a change request; the agent gets nothing but the check's own output. */
export function checkRequest({ name, detail }: CommitCheck): { from: string; path: null; line: null; text: string } {
  return { from: shown(name, 200), path: null, line: null, text: shown(detail, LONGEST) };
}

/** Without hidden text and secrets. */
function shown(text: string, most: number): string {
  return cut(seenText(text, 4 * most).trim(), most);
}

/** Keeps the end, which is the newest part. */
function tail(text: string, most: number): string {
  return text.length <= most ? text : `…${text.slice(-most).replace(/^[\udc00-\udfff]/, "")}`;
}
