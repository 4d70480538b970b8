/** The text on one line: every run of whitespace and control characters is one space. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}

/** Cuts the text to at most `most` UTF-16 units, never within a character; a cut text ends with `mark`. */
export function cut(text: string, most: number, mark = "…"): string {
  if (text.length <= most) return text;
  return `${text.slice(0, Math.max(0, most - mark.length)).replace(/[\uD800-\uDBFF]$/, "")}${mark}`;
}

/** Like `cut`, but at the end of a word if that costs less than half of the text. */
export function cutAtWord(text: string, most: number, mark = "…"): string {
  if (text.length <= most) return text;
  const start = cut(text, most - mark.length, "");
  const space = start.lastIndexOf(" ");
  return `${(space > most / 2 ? start.slice(0, space) : atWordEnd(text, start)).replace(/[\s,;:-]+$/, "")}${mark}`;
}

/** The longest beginning of `start` that ends with a word of the text, in scripts without spaces; at least half of it. */
function atWordEnd(text: string, start: string): string {
  const words = new Intl.Segmenter(undefined, { granularity: "word" }).segment(text.slice(0, start.length + 50));
  const begins = words.containing(start.length)?.index ?? start.length;
  return begins > start.length / 2 ? start.slice(0, begins) : start;
}

/** Whether a text is too short to be a sentence: a number, a code span, a word. */
export function isFragment(text: string): boolean {
  const said = text.replaceAll(/`[^`\n]*`/g, " code ");
  const words = said.match(/[\p{L}\p{M}\p{N}]+(?:['’.,-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
  const wide = said.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  return words < 2 && wide < 4;
}

/** A text as a code span of Markdown, with any backticks in it, on one line. */
export function codeSpan(given: string): string {
  const text = given.replaceAll(/[\r\n]+/g, " ");
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = /^`|`$|^ .* $/.test(text) ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** Each line behind `> `. */
export function blockquote(text: string): string {
  return text.replaceAll(/^/gm, "> ");
}

/** The text as a regular expression that matches just this text. */
export function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** An object that is no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** For a terminal: control and invisible characters of untrusted words are escaped. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (sign) => {
    if (sign === "\n") return "\\n";
    if (sign === "\t") return "\\t";
    return `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** With a capital letter and a full stop. */
export function sentence(text: string): string {
  const [first = ""] = text;
  return `${first.toUpperCase()}${text.slice(first.length)}${/[.!?…]$/.test(text) ? "" : "."}`;
}
