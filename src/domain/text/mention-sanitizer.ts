import { type CodeRange, codeRanges, spokenText } from "../../lib/markdown-offsets.ts";

/** `@name`, `@org/team`, `@group/subgroup`, with the backslashes before it. An e-mail address has a letter there. */
const MENTION = /(\\{0,50})(?<![A-Za-z0-9])@([A-Za-z0-9_][\w.-]*(?:\/[\w.-]+)*)/g;
/** Ways of writing `@` that Markdown turns back into it. */
const ENCODED_AT = /&(?:#0{0,5}64|#[xX]0{0,4}40|commat);/g;
/** A bare address becomes a link, and trackers look for no mentions in links. */
const ADDRESS = /(?<![^\s*_~("'<[])https?:\/\/[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+[^\s<>`]*/g;
/** Like `ADDRESS`, but in the source, where the target of a link may be anything. */
const ADDRESS_OR_TARGET = new RegExp(String.raw`${ADDRESS.source}|\]\([^\s()<>${"`"}]*\)`, "g");

/** Keeps a mention from notifying. */
type Defusal = (text: string, isAllowed: (name: string) => boolean) => string;

/**
 * Ordered from the one that shows the text best to the one that cannot fail. Each result is checked again as a tracker
 * would read it, since no scan of Markdown handles every hostile text; while a mention is left, the next one is used.
 */
const DEFUSALS: readonly Defusal[] = [
  (text, isAllowed) =>
    outside(codeRanges(text), text, (piece, before) => nameStrangers(decodeAts(piece), before, isAllowed)),
  (text, isAllowed) =>
    outside(codeRanges(text, { spans: false }), text, (piece) => dropAts(decodeAts(piece), isAllowed)),
  (text) => decodeAts(text).replaceAll("@", ""),
];

/**
 * Keeps mentions of people and teams outside the issue from notifying them (R-SAFE-2): they become plain names, since
 * trackers look for mentions only after Markdown is rendered, where an escaped `@` is an `@` again.
 */
export function defuseStrangers(text: string, allowed: readonly string[]): { text: string; defused: string[] } {
  if (!/[@&]/.test(text)) return { text, defused: [] };
  const logins = new Set(allowed.map((login) => login.toLowerCase()));
  const isAllowed = (name: string) => logins.has(name.toLowerCase());
  const defused = strangersIn(spokenText(text), isAllowed);
  if (defused.length === 0) return { text, defused };
  let safe = text;
  for (const defusal of DEFUSALS) {
    safe = defusal(text, isAllowed);
    if (strangersIn(spokenText(safe), isAllowed).length === 0) break;
  }
  return { text: safe, defused: [...new Set(defused)] };
}

function strangersIn(spoken: string, isAllowed: (name: string) => boolean): string[] {
  return [...spoken.replaceAll(ADDRESS, " ").matchAll(MENTION)]
    .map((match) => nameOf(match[2] ?? ""))
    .filter((name) => !isAllowed(name));
}

/** The name without the sentence's punctuation after it. */
function nameOf(matched: string): string {
  return matched.replace(/[._-]+$/, "");
}

function decodeAts(text: string): string {
  return text.replaceAll(ENCODED_AT, "@");
}

function nameStrangers(text: string, before: string, isAllowed: (name: string) => boolean): string {
  const addresses = [...text.matchAll(ADDRESS_OR_TARGET)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  return outside(addresses, text, (piece) => dropAts(piece, isAllowed), before);
}

function dropAts(text: string, isAllowed: (name: string) => boolean): string {
  return text.replaceAll(MENTION, (whole: string, slashes: string, matched: string) =>
    isAllowed(nameOf(matched)) ? whole : `${slashes.slice(slashes.length % 2)}${matched}`,
  );
}

/** Changes what lies between the ranges; `before` is the character that precedes a piece. */
function outside(
  ranges: readonly Pick<CodeRange, "start" | "end">[],
  text: string,
  change: (piece: string, before: string) => string,
  before = "",
): string {
  let changed = "";
  let position = 0;
  const changedUpTo = (end: number) => change(text.slice(position, end), text[position - 1] ?? before);
  for (const { start, end } of ranges) {
    changed += changedUpTo(start) + text.slice(start, end);
    position = end;
  }
  return changed + changedUpTo(text.length);
}
