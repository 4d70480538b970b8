/** The hidden last line of a comment, which identifies it by a key such as `plan:12`. */
export function marker(key: string): string {
  return `<!-- relay:${key} -->`;
}

/** Whether a text has a marker whose key starts with this kind, such as `stuck`. */
export function hasMarkerOf(kind: string, text: string): boolean {
  return text.includes(`<!-- relay:${kind}:`);
}

/** The key of a comment that an action posts (R-ACT-5). */
export function actionKey(idempotencyKey: string): string {
  return `action:${idempotencyKey}`;
}

/** Whether a comment has these words before its marker. */
export function isSaidBy(comment: string, words: string): boolean {
  return plain(comment.replace(/<!-- relay:[\w.:-]+ -->\s*$/, "")) === plain(words);
}

function plain(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}

/** The key in the marker that ends a text; null without one. */
export function keyOf(text: string): string | null {
  return /<!-- relay:([\w.:-]+) -->\s*$/.exec(text)?.[1] ?? null;
}

/**
 * Whether a text ends in a marker outside of quotes, as all that Relay writes does. In a comment by someone else it comes
 * from another Relay, or from a bot that repeats Relay (R-IN-4).
 */
export function carriesMarker(text: string): boolean {
  return keyOf(text.replaceAll(/^[ \t]*>.*$/gm, "")) !== null;
}

/** The key of a comment that Relay posts for a person. */
export function proxiedKey(id: string): string {
  return `said:${id}`;
}

/** The id of the proxied comment that was posted as this one; null for other comments. */
export function proxiedIdIn(text: string): string | null {
  return /^said:(\d{1,18})$/.exec(keyOf(text) ?? "")?.[1] ?? null;
}

/** The key of an issue's status comment: no part of the discussion, and edited in place (R-LIFE-9). */
export const STATUS_KEY = "status";

/** Whether a comment of Relay's is its status comment. */
export function isStatusComment(text: string): boolean {
  return keyOf(text) === STATUS_KEY;
}

/** The marker of a task's pull request (R-WORK-7). */
export function requestMarker(taskId: string): string {
  return marker(`request:${taskId}`);
}
