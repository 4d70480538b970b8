/** The hidden last line of a comment, which identifies it by a key such as `plan:12`. */
export function marker(key: string): string {
  return `<!-- relay:${key} -->`;
}

/** Whether a text has a marker whose key starts with this kind, such as `stuck`. */
export function hasMarkerOf(kind: string, text: string): boolean {
  return text.includes(`<!-- relay:${kind}:`);
}

/** The marker of a comment that an action posted (R-ACT-5). */
export function actionMarker(key: string): string {
  return marker(`action:${key}`);
}

/** Whether a comment was posted by `postOnce`, rather than by an action. */
export function isToldOnce(text: string): boolean {
  return /<!-- relay:(?!action:)[\w.:-]+ -->\s*$/.test(text);
}

/**
 * Whether a text has a marker outside of quotes. In a comment by someone else it comes from another Relay, or from a
 * bot that repeats Relay (R-IN-4).
 */
export function carriesMarker(text: string): boolean {
  return /<!-- relay:[\w.:-]+ -->/.test(text.replaceAll(/^[ \t]*>.*$/gm, ""));
}

/** The marker of a task's pull request (R-WORK-7). */
export function requestMarker(taskId: string): string {
  return marker(`request:${taskId}`);
}

/** The marker of a run's answer in a review thread (R-WORK-9). */
export function answerMarker(key: string): string {
  return marker(`answer:${key}`);
}
