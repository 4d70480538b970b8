/** Texts in a value are never cut below this. */
const LEAST = 200;

/**
 * A JSON value of at most about `characters` characters: its longest texts are cut in the middle, with a mark that says
 * how much is gone. A value that is still too long, for its many parts, is cut as one text. Characters that a database
 * cannot hold are replaced.
 */
export function shortened(value: unknown, characters: number): unknown {
  for (let longest = characters; longest >= LEAST; longest = Math.floor(longest / 2)) {
    const cut = walk(value, longest);
    if (lengthOf(cut) <= characters) return cut;
  }
  return middleCut(storable(JSON.stringify(value) ?? ""), characters);
}

function walk(value: unknown, longest: number): unknown {
  if (typeof value === "string") return middleCut(storable(value), longest);
  if (Array.isArray(value)) return value.map((item) => walk(item, longest));
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [storable(name), walk(held, longest)]));
}

function lengthOf(value: unknown): number {
  return (JSON.stringify(value) ?? "").length;
}

function middleCut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.max(0, Math.floor((longest - 50) / 2));
  return `${text.slice(0, half)}[… ${text.length - 2 * half} characters left out …]${text.slice(text.length - half)}`.toWellFormed();
}

/** PostgreSQL's JSON takes no NUL and no half of a pair. */
function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}
