/** The hidden last line of a comment that an action posted (R-ACT-5). */
export function actionMarker(key: string): string {
  return `<!-- relay:action:${key} -->`;
}

/** Whether Relay said this beside its actions: for each key of `tellOnce` it does so once. */
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
