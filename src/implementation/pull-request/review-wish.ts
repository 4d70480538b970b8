import { blockquote, cut } from "../../lib/text.ts";
import { stripHiddenText } from "../../domain/text/hidden-text.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import type { CommitCheck, ReviewThread } from "../../adapters/trackers/code-host.ts";
import type { TrackerComment } from "../../adapters/trackers/tracker.ts";

/** What a run is asked for in one thread, as the agent gets it; still untrusted words. */
export interface ReviewWish {
  threadId: string;
  /** The comments that ask. */
  words: { id: string; author: string; content: string; createdAt: Date }[];
  /** Who asks; more than one are joined. */
  from: string;
  path: string | null;
  line: number | null;
  /** What is asked for, after what was said before it in the thread. */
  text: string;
}

/** Characters of one wish, and of what was said before it. */
const LONGEST = 8_000;
/** The first of them; the others are for the next run. */
const MOST_WORDS = 20;
const LONGEST_BEFORE = 2_000;
const MOST_BEFORE = 20;

/** One wish for a thread: all that is asked there now, by whom, and what it answers to. */
export function wishOf(
  { id: threadId, path, line, comments }: ReviewThread,
  all: readonly TrackerComment[],
): ReviewWish {
  const asking = all.slice(0, MOST_WORDS);
  const first = comments.findIndex((comment) => asking.includes(comment));
  const before = comments
    .slice(Math.max(0, first - MOST_BEFORE), first)
    .map(({ author, body }) => blockquote(`${author}: ${shown(body, LONGEST_BEFORE)}`));
  const people = [...new Set(asking.map(({ author }) => author))];
  const said = asking.map(({ author, body }) => {
    const text = shown(body, Math.floor(LONGEST / asking.length));
    return people.length > 1 ? `${author}: ${text}` : text;
  });
  return {
    threadId,
    words: asking.map(({ id, author, body: content, createdAt }) => ({ id, author, content, createdAt })),
    from: people.join(", "),
    path,
    line,
    text: [tail(before.join("\n"), LONGEST_BEFORE), said.join("\n\n")].filter((part) => part !== "").join("\n\n"),
  };
}

/** A red check as a wish: what it says of itself is all that the agent can go by. */
export function checkWish({ name, detail }: CommitCheck): { from: string; path: null; line: null; text: string } {
  return { from: shown(name, 200), path: null, line: null, text: shown(detail, LONGEST) };
}

/** Without what people do not see, and without secrets. */
function shown(text: string, most: number): string {
  return cut(keptText(stripHiddenText(text.slice(0, 4 * most)).text).trim(), most);
}

/** The end says most: it is what was said last. */
function tail(text: string, most: number): string {
  return text.length <= most ? text : `…${text.slice(-most).replace(/^[\udc00-\udfff]/, "")}`;
}
