import { codeSpan, cutAtWord } from "../../lib/text.ts";
import { keptCode, keptText } from "./clean-text.ts";

/**
 * Text of plans and issues as it may stand in Relay's own Markdown (R-SAFE-2): one line, without secrets or hidden
 * characters, that can start no block, picture, tag, command or mention. Whatever is cut ends in a visible mark.
 */

/** More is never shown, so that texts of any size are cheap to scan. */
const READ = 2_000;
const CUT = "…";

/**
 * Prose on one line: code spans and addresses stay, all other signs are literal, and no one is mentioned. At most
 * `most` characters of Markdown; what is cut ends with a word.
 */
export function prose(text: string, most: number): string {
  const line = oneLine(keptText(start(text, READ)));
  return fitted(line, most, (kept, cut) => escaped(cut ? cutAtWord(line, kept.length + CUT.length) : kept));
}

/** Code on one line, with any backticks in it; a text that is too long loses its middle. */
export function code(text: string, most: number): string {
  const read = text.length <= READ ? text : start(text, READ / 2) + whole(text.slice(-READ / 2));
  const line = oneLine(keptCode(read)) || "?";
  return fitted(line, most, (kept, cut) => {
    if (!cut) return codeSpan(kept);
    // The end of a path is its name, and the most useful part.
    const head = Math.floor(kept.length / 3);
    const tail = line.slice(line.length - (kept.length - head));
    // The two together may look like a secret that neither is.
    return codeSpan(keptCode(`${whole(line.slice(0, head))}${CUT}${whole(tail)}`));
  });
}

/** A link with code as its text; only the text if a browser should not open the address. */
export function codeLink(text: string, address: string | null, most: number): string {
  return link(code(text, most), address);
}

/** A link with Markdown as its text; only the text if a browser should not open the address. */
export function link(shown: string, address: string | null): string {
  if (address === null || !URL.canParse(address)) return shown;
  const { protocol, href } = new URL(address);
  const target = href.replaceAll(/[^\w:/?#&=%+,;.~-]/g, hexOf);
  return ["https:", "http:"].includes(protocol) && target.length <= 1_000 ? `[${shown}](${target})` : shown;
}

/**
 * As many of the lines, in order, as fit into `most` characters, at least one; then `mark` gives how many of `total`
 * are not shown.
 */
export function within(
  lines: readonly string[],
  { most, total, mark }: { most: number; total: number; mark: (missing: number) => string },
): string[] {
  let length = 0;
  const over = lines.findIndex((line, index) => {
    length += line.length + 1;
    return index > 0 && length > most;
  });
  const kept = lines.slice(0, over === -1 ? lines.length : over);
  return kept.length < total ? [...kept, mark(total - kept.length)] : kept;
}

/** The same on one line. */
export function inRow(items: readonly string[], most: number, total = items.length): string {
  return within(items, { most, total, mark: (missing) => `… +${missing}` }).join(", ");
}

/** `href` contains ASCII only. */
function hexOf(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

function start(text: string, length: number): string {
  return text.length <= length ? text : `${whole(text.slice(0, length))}${CUT}`;
}

/** A marker of Relay's own would count even within code. */
function oneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, " ")
    .replaceAll("<!--", "< !--")
    .trim();
}

/** Shortens the text until the output of `make` fits: escaping makes some texts several times as long. */
function fitted(text: string, most: number, make: (kept: string, cut: boolean) => string): string {
  let made = make(text, false);
  let length = text.length;
  while (made.length > most && length > 0) {
    length = Math.max(0, Math.min(length - 1, Math.floor((length * most) / made.length)));
    made = make(whole(text.slice(0, length)), true);
  }
  return made;
}

/** Drops the half characters that a cut may leave at either end. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, "").replace(/[\ud800-\udbff]$/, "");
}

/** In this order: code spans, addresses, mentions, and signs that mean something in Markdown, HTML or trackers. */
const PIECES =
  /(?<![`\\])(?<ticks>`{1,3})(?<inner>[^`]{1,400})\k<ticks>(?!`)|(?<address>https?:\/\/[\w.-]+[\w./?=%:+,#~-]*[\w/])|(?<![A-Za-z0-9])@(?<name>[A-Za-z0-9_][\w.-]*(?:\/[\w.-]+)*)|(?<sign>[\\`*_[\]<>|~$&@])/g;

function escaped(text: string): string {
  let made = "";
  let position = 0;
  for (const { 0: piece, index, groups = {} } of text.matchAll(PIECES)) {
    made += text.slice(position, index);
    position = index + piece.length;
    const inCode = groups["inner"] ?? (groups["name"] === undefined ? undefined : piece);
    // Two code spans side by side would become one.
    if (inCode !== undefined) made += `${made.endsWith("`") ? " " : ""}${codeSpan(inCode.trim() || CUT)}`;
    else if (groups["address"] !== undefined) made += piece;
    else made += signFor(piece, made, text.slice(position, position + 32));
  }
  return blockless(made + text.slice(position));
}

function signFor(sign: string, made: string, after: string): string {
  switch (sign) {
    case "`":
      return "'";
    case "<":
      return "&lt;";
    case "&":
      return /^(?:#\w|[A-Za-z]\w*;)/.test(after) ? "&amp;" : sign;
    case "_":
      // It has no effect inside a word.
      return /[\p{L}\p{N}]$/u.test(made.slice(-2)) && /^[\p{L}\p{N}]/u.test(after) ? sign : `\\${sign}`;
    case "@":
      // After a code span it would be a mention in spite of the letter before it.
      return made.endsWith("`") ? " `@`" : sign;
    case ">":
      return sign;
    default:
      return `\\${sign}`;
  }
}

/** Escapes the start of a line that would begin a heading, quote, list, rule or command. */
function blockless(text: string): string {
  return text.replace(/^(?=[#>+=/-])/, "\\").replace(/^(\d{1,9})(?=[.)](?:\s|$))/, "$1\\");
}

/** Markdown of Relay's own as plain text: the texts of links, and signs as they are. */
export function withoutMarkdown(markdown: string): string {
  return markdown.replaceAll(/\[((?:[^[\]\\]|\\.)*)\]\([^()]*\)/gs, "$1").replaceAll(/\\([!-/:-@[-`{-~])/g, "$1");
}
