/** A planner's words inside of one short line. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return `"${line.length <= 60 ? line : `${line.slice(0, 57)}…`}"`;
}
