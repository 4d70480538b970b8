/** Texts in which a secret may stand in disguise: each with where it stands in the text as it is. */
export interface Disguise {
  start: number;
  end: number;
  plain: string;
}

/** Longest encoded text that is decoded, in signs. */
const LONGEST = 262_144;
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}(?:\r?\n[ \t]{0,20}[A-Za-z0-9+/]{20,}){0,2000}={0,2}/g;
const HEX = /(?<![A-Za-z0-9])(?:0x)?[a-fA-F0-9]{32,}(?![A-Za-z0-9])/g;
const ESCAPED = /(?:\\x[a-fA-F0-9]{2}|\\u00[a-fA-F0-9]{2}|\\u\{[a-fA-F0-9]{2}\}|&#x0{0,4}[a-fA-F0-9]{2};){12,}/g;
const NUMBERED = /(?:&#0{0,4}\d{2,3};){12,}|(?<![\d.])(?:\d{2,3}, {0,2}){16,}\d{2,3}(?![\d.])/g;
/** Bytes with something between them, and signs with a blank between them. */
const HEX_BYTES = /(?<![A-Za-z0-9])(?:(?:0x)?[a-fA-F0-9]{2}(?::|-|, ?| )){15,400}(?:0x)?[a-fA-F0-9]{2}(?![A-Za-z0-9])/g;
const SPACED = /(?<!\S)(?:[\w.~+/=-][ \u00a0]){19,400}[\w.~+/=-](?!\S)/g;
const PERCENT = /(?<![\w.~%!*+-])[\w.~%!*+-]{20,}/g;

/** What is encoded in base64, hexadecimal digits, escapes or percent signs, in plain. */
export function decoded(text: string): Disguise[] {
  return [
    ...spans(text, BASE64, (found) => readable(Buffer.from(found.replaceAll(/\s/g, ""), "base64"))),
    ...spans(text, HEX, (found) => readable(Buffer.from(found.replace(/^0x/, ""), "hex"))),
    ...(/\\|&#/.test(text) ? spans(text, ESCAPED, unescaped) : []),
    ...spans(text, NUMBERED, fromNumbers),
    ...spans(text, HEX_BYTES, (found) => readable(Buffer.from(found.replaceAll(/0x|[^a-fA-F0-9]/g, ""), "hex"))),
    ...spans(text, SPACED, (found) => found.replaceAll(/[ \u00a0]/g, "")),
    ...(text.includes("%") ? spans(text, PERCENT, unquotedPercent) : []),
  ];
}

function spans(text: string, pattern: RegExp, plainOf: (found: string) => string): Disguise[] {
  const found: Disguise[] = [];
  for (const match of text.matchAll(pattern)) {
    const plain = match[0].length > LONGEST ? "" : plainOf(match[0]);
    if (plain !== "") found.push({ start: match.index, end: match.index + match[0].length, plain });
  }
  return found;
}

/** The bytes as text; empty where they are none. */
function readable(bytes: Buffer): string {
  const isWide = bytes.length >= 24 && bytes[1] === 0 && bytes[3] === 0;
  const text = bytes.toString(isWide ? "utf16le" : "latin1");
  return /^[\t\n\r\x20-\x7e]{12,}$/.test(text) ? text : "";
}

function unescaped(found: string): string {
  return found.replaceAll(/(?:\\x|\\u00|\\u\{|&#x0{0,4})([a-fA-F0-9]{2})[};]?/g, (_, digits: string) =>
    String.fromCharCode(parseInt(digits, 16)),
  );
}

/** The signs that the numbers stand for: entities, or the bytes of a list. */
function fromNumbers(found: string): string {
  return readable(Buffer.from((found.match(/\d+/g) ?? []).map(Number)));
}

function unquotedPercent(found: string): string {
  return found.includes("%")
    ? found.replaceAll(/%([a-fA-F0-9]{2})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)))
    : "";
}

/** The end of a literal, an operator that puts it together with the next one, and its start: `" + "`. */
const SEAM =
  /(["'`])[ \t]{0,20}(?:\+|\.\.|\.|&|,|<>|\|\||~)?[ \t]{0,20}\\?(?:\r?\n[ \t]{0,60})?(?:[+.&][ \t]{0,20})?[rbfu]?(["'`])/g;
/** A line end within a word, and what begins the next line of a quote, a comment or a list of pieces. */
const LINE_END =
  /(?<=[\w+/=.-]{3})(?:\\|-)?[ \t]{0,20}\r?\n[ \t]{0,60}(?:(?:>|#|\/\/|\*|\+)[ \t]{0,3}){0,3}(?=[\w+/=.-]{2})/g;

/** Signs around a seam that are put together. */
const AROUND = 300;

/** The parts of a text around some places, without those places, and where each of their signs stood. */
interface Joined {
  plain: string;
  positions: number[];
}

/** The text around the seams of its literals, put together. A secret that is longer still shows by its beginning. */
export function joined(text: string): Joined[] {
  return around(
    text,
    [...text.matchAll(SEAM)].filter((match) => match[1] === match[2]),
  );
}

/** Emphasis within a word. */
const EMPHASIS = /(?<=[\w-])(?:\*{1,3}|~~|`|<\/?[a-z]{1,6}\s?\/?>)(?=[\w-])/g;

/** The text around the line ends and the emphasis that stand within a word, put together. */
export function wrapped(text: string): Joined[] {
  return [...around(text, [...text.matchAll(LINE_END)]), ...around(text, [...text.matchAll(EMPHASIS)])];
}

function around(text: string, seams: readonly RegExpExecArray[]): Joined[] {
  const parts: Joined[] = [];
  let part: Joined = { plain: "", positions: [] };
  const take = (start: number, end: number): void => {
    part.plain += text.slice(start, end);
    for (let position = start; position < end; position += 1) part.positions.push(position);
  };
  for (const [at, seam] of seams.entries()) {
    const before = seams[at - 1];
    const last = before === undefined ? 0 : before.index + before[0].length;
    const isNear = before !== undefined && seam.index - last <= AROUND;
    if (!isNear) part = { plain: "", positions: [] };
    if (!isNear) parts.push(part);
    take(isNear ? last : Math.max(last, seam.index - AROUND), seam.index);
    const next = seams[at + 1]?.index ?? text.length;
    const end = seam.index + seam[0].length;
    if (next - end > AROUND || at === seams.length - 1) take(end, Math.min(end + AROUND, text.length));
  }
  return parts;
}
