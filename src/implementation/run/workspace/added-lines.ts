/** The lines of the new text that the old one has not as often, in order: what a change brings in. Linear in both. */
export function addedLines(before: string, after: string): string {
  const had = counted(before);
  const added = after.split(/\r?\n/).filter((line) => {
    const left = had.get(line) ?? 0;
    if (left > 0) had.set(line, left - 1);
    return left === 0;
  });
  return added.join("\n");
}

/** From 0 to 1: how many of the old text's lines that say something are among the new one's lines. */
export function shareKept(before: string, after: string): number {
  const lines = telling(before);
  if (lines.length === 0) return 1;
  const has = counted(after);
  let kept = 0;
  for (const line of lines) {
    const left = has.get(line) ?? 0;
    if (left > 0) {
      has.set(line, left - 1);
      kept += 1;
    }
  }
  return kept / lines.length;
}

/** How many lines of a text hold a word. */
export function tellingLines(text: string): number {
  return telling(text).length;
}

function telling(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => /\w/.test(line));
}

function counted(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split(/\r?\n/)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
