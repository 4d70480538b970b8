/** Texts in which a secret may stand in disguise: each with where it stands in the text as it is. */
export interface Disguise {
  start: number;
  end: number;
  plain: string;
}

/** Longest encoded text that is decoded, in signs. */
const LONGEST = 16_384;
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}(?:\r?\n[ \t]{0,20}[A-Za-z0-9+/]{20,}){0,200}={0,2}/g;
const HEX = /(?<![A-Za-z0-9])(?:0x)?[a-fA-F0-9]{32,}(?![A-Za-z0-9])/g;
const ESCAPED = /(?:\\x[a-fA-F0-9]{2}|\\u00[a-fA-F0-9]{2}){12,}/g;
const PERCENT = /(?<![\w.~%+-])[\w.~%+-]{20,}/g;

/** What is encoded in base64, hexadecimal digits, escapes or percent signs, in plain. */
export function decoded(text: string): Disguise[] {
  return [
    ...spans(text, BASE64, (found) => readable(Buffer.from(found.replaceAll(/\s/g, ""), "base64"))),
    ...spans(text, HEX, (found) => readable(Buffer.from(found.replace(/^0x/, ""), "hex"))),
    ...(text.includes("\\") ? spans(text, ESCAPED, unescaped) : []),
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
  const text = bytes.toString("latin1");
  return /^[\t\n\r\x20-\x7e]{12,}$/.test(text) ? text : "";
}

function unescaped(found: string): string {
  return found.replaceAll(/\\(?:x|u00)([a-fA-F0-9]{2})/g, (_, digits: string) =>
    String.fromCharCode(parseInt(digits, 16)),
  );
}

function unquotedPercent(found: string): string {
  return found.includes("%")
    ? found.replaceAll(/%([a-fA-F0-9]{2})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)))
    : "";
}

/** The end of a literal, an operator that puts it together with the next one, and its start: `" + "`. */
const SEAM =
  /(["'`])[ \t]{0,20}(?:\+|\.\.|\.|&|,|<>|\|\||~)?[ \t]{0,20}\\?(?:\r?\n[ \t]{0,60})?(?:[+.&][ \t]{0,20})?[rbfu]?(["'`])/g;

/** Signs around a seam that are put together. */
const AROUND = 300;

/**
 * The parts of a text around the seams of its literals, without the seams, and where each of their signs stood. A secret
 * that is longer than what is around a seam still shows by its beginning.
 */
export function joined(text: string): { plain: string; positions: number[] }[] {
  const seams = [...text.matchAll(SEAM)].filter((match) => match[1] === match[2]);
  const parts: { plain: string; positions: number[] }[] = [];
  let part = { plain: "", positions: new Array<number>() };
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
