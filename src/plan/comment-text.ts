import { keptCode, keptText } from "../domain/kept-text.ts";

/**
 * Text of plans and issues as it may stand in Relay's own Markdown (R-SAFE-2): one line, without secrets or hidden
 * characters, that can start no block, picture, tag, command or mention. Whatever is cut ends in a visible mark.
 */

/** More is never shown, so that texts of any size cost little to look through. */
const READ = 2_000;
const CUT = "…";

/**
 * Prose on one line: code spans and addresses stay, all other signs stand for themselves, and nobody is mentioned.
 * At most `most` characters of Markdown.
 */
export function prose(text: string, most: number): string {
  return fitted(oneLine(keptText(readable(text))), most, (kept, cut) => escaped(kept + (cut ? CUT : "")));
}

/** Code on one line, whatever backticks are in it; of what is too long, the middle is left out. */
export function code(text: string, most: number): string {
  const line = oneLine(keptCode(readable(text))) || "?";
  return fitted(line, most, (kept, cut) => {
    if (!cut) return span(kept);
    // The end of a path is its name, and says most.
    const head = Math.floor(kept.length / 3);
    return span(whole(line.slice(0, head)) + CUT + whole(line.slice(line.length - (kept.length - head))));
  });
}

/** A link with code as its text; the text alone where the address is none that a browser should open. */
export function codeLink(text: string, address: string | null, most: number): string {
  const shown = code(text, most);
  if (address === null || !URL.canParse(address)) return shown;
  const { protocol, href } = new URL(address);
  const target = href.replaceAll(/[^\w:/?#&=%+,;.~-]/g, hexOf);
  return ["https:", "http:"].includes(protocol) && target.length <= 1_000 ? `[${shown}](${target})` : shown;
}

/** As many lines as `most` characters hold, in their order, and at least one. */
export function within(lines: readonly string[], most: number): string[] {
  let length = 0;
  const over = lines.findIndex((line, index) => {
    length += line.length + 1;
    return index > 0 && length > most;
  });
  return lines.slice(0, over === -1 ? lines.length : over);
}

/** `href` holds ASCII only. */
function hexOf(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

function readable(text: string): string {
  return text.length <= READ ? text : `${whole(text.slice(0, READ))}${CUT}`;
}

/** A marker of Relay's own would count even within code. */
function oneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, " ")
    .replaceAll("<!--", "< !--")
    .trim();
}

/** Shortens the text until what is made of it fits: escaping makes some texts several times as long. */
function fitted(text: string, most: number, make: (kept: string, cut: boolean) => string): string {
  let made = make(text, false);
  let length = text.length;
  while (made.length > most && length > 0) {
    length = Math.max(0, Math.min(length - 1, Math.floor((length * most) / made.length)));
    made = make(whole(text.slice(0, length)), true);
  }
  return made;
}

/** Without the half of a character that a cut may leave at either end. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, "").replace(/[\ud800-\udbff]$/, "");
}

function span(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = /^`|`$|^ .* $/.test(text) ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
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
    if (inCode !== undefined) made += `${made.endsWith("`") ? " " : ""}${span(inCode.trim() || CUT)}`;
    else if (groups["address"] !== undefined) made += piece;
    else made += signFor(piece, text[index - 1] ?? "", text.slice(position, position + 32));
  }
  return blockless(made + text.slice(position));
}

function signFor(sign: string, before: string, after: string): string {
  switch (sign) {
    case "`":
      return "'";
    case "<":
      return "&lt;";
    case "&":
      return /^(?:#\w|[A-Za-z]\w*;)/.test(after) ? "&amp;" : sign;
    case "_":
      // Inside of a word it means nothing.
      return /[\p{L}\p{N}]/u.test(before) && /^[\p{L}\p{N}]/u.test(after) ? sign : `\\${sign}`;
    case "@":
    case ">":
      return sign;
    default:
      return `\\${sign}`;
  }
}

/** What would begin a heading, quote, list, rule or command does not where a line begins with it. */
function blockless(text: string): string {
  return text.replace(/^(?=[#>+=/-])/, "\\").replace(/^(\d{1,9})(?=[.)](?:\s|$))/, "$1\\");
}
