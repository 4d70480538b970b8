/**
 * One pattern for a definition and one for each thing that may stand around it and counts to it, such as `export`;
 * `#` is where the definition goes.
 */
export function within(kind: string, definition: string, around: readonly string[]): string {
  return ["#", ...around].map((outer) => `${outer.replace("#", () => definition)} @${kind}`).join("\n");
}
