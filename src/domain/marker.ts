/** The hidden last line of a comment that an action posted (R-ACT-5). */
export function actionMarker(key: string): string {
  return `<!-- relay:action:${key} -->`;
}

/** Whether Relay said this beside its actions: for each key of `postOnce` it does so once. */
export function isToldOnce(text: string): boolean {
  return /<!-- relay:(?!action:)[\w.:-]+ -->\s*$/.test(text);
}

/**
 * Whether a text carries the hidden marker of some Relay's comment, outside of what it quotes. In a comment by somebody else
 * it tells of another Relay, or of one that repeats what Relay says (R-IN-4).
 */
export function carriesMarker(text: string): boolean {
  return /<!-- relay:[\w.:-]+ -->/.test(text.replaceAll(/^[ \t]*>.*$/gm, ""));
}

/** The hidden last line of the pull request of a task, by which it is known again (R-WORK-7). */
export function requestMarker(taskId: string): string {
  return `<!-- relay:request:${taskId} -->`;
}

/** The hidden last line of a run's answer in a review thread; one of a kind for each thread (R-WORK-9). */
export function answerMarker(key: string): string {
  return `<!-- relay:answer:${key} -->`;
}
