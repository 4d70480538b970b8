import type { SiteList } from "../../imports/site-list.ts";

/** Keywords that may begin or end an import, and comments at the start of a line. */
const WORD = /^[ \t]*(?:\/\*|\/\/\/[ \t]{0,9}<reference)|(?<![\w$]|[^.]\.)(?:import|export|from|require)(?![\w$])/gm;
const STRING = /\s*(["'])([^"'\n]{1,300})\1/y;
const CALL = /(?:\s*\.\s*resolve)?\s*\(\s*(?:\/\*[^*]*\*\/\s*)?(["'`])([^"'`$\n]{1,300})\1/y;
const REFERENCE = /[ \t]+(?:path|types)[ \t]*=[ \t]*(["'])([^"'\n]{1,300})\1/y;
/** Anything that may occur in a list of imported names. */
const NAMES = /[^"'`;()=:<>[\]|&!?]*/y;
const COMMENT = /\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)/g;
const LONGEST_LIST = 20_000;
const LOOK_BACK = 300;
/** The two forms of imports in JSDoc. */
const TYPE_COMMENT =
  /@import\b[^"'@]*\bfrom\s*(["'])([^"'\n]{1,300})\1|(?:[{<|,(]|\btypeof)\s*import\(\s*(["'])([^"'\n]{1,300})\3\s*\)/g;

const [STAR, M, E, I] = ["*", "m", "e", "i"].map((letter) => letter.charCodeAt(0));

/**
 * JavaScript and TypeScript: static, dynamic and type imports, `export from`, `require`, and those in JSDoc types.
 * `text` is the part of the list's text that begins at `start`.
 */
export function scanEcmascript(list: SiteList, text = list.text, start = 0): void {
  let openAt = -1;
  let next = 0;
  while (!list.full) {
    WORD.lastIndex = next;
    if (!WORD.test(text)) return;
    const end = WORD.lastIndex;
    next = end;
    const last = text.charCodeAt(end - 1);
    if (last === STAR) {
      const close = text.indexOf("*/", end);
      if (close === -1) return;
      if (text.charCodeAt(end) === STAR) scanTypeComment(list, text.slice(end, close), start + end);
      next = close + 2;
    } else if (last === M) {
      const source = openAt === -1 ? null : stringAt(STRING, text, end);
      if (source === null || commentWithin(text, openAt, end)) continue;
      if (namesOnly(text, openAt, end - 4)) list.add(source, start + openAt);
      openAt = -1;
    } else if (last === E) {
      if (text.startsWith("require", end - 7)) addCall(list, text, start, end);
      else list.add(stringAt(REFERENCE, text, end) ?? "", start + end);
    } else {
      openAt = statementAt(text, end - 6) ? end : -1;
      if (text.charCodeAt(end - 6) !== I) continue;
      const effect = openAt === -1 ? null : stringAt(STRING, text, end);
      if (effect === null) addCall(list, text, start, end);
      else {
        list.add(effect, start + end);
        openAt = -1;
      }
    }
  }
}

function addCall(list: SiteList, text: string, start: number, end: number): void {
  const called = stringAt(CALL, text, end);
  if (called !== null && !list.commentedOut(start + end)) list.add(called, start + end);
}

function stringAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[2] ?? null;
}

/** Whether a line comment covers `end`; does not advance the line counter. */
function commentWithin(text: string, start: number, end: number): boolean {
  return /\/\/[^\n]*$/.test(text.slice(Math.max(start, end - LOOK_BACK), end));
}

/** Whether a statement can begin at the offset: only the end of another one precedes it on its line. */
function statementAt(text: string, at: number): boolean {
  for (let before = at - 1; before >= 0 && at - before < 200; before -= 1) {
    const character = text[before];
    if (character !== " " && character !== "\t")
      return character === "/" ? text[before - 1] === "*" : "\n\r;{}>\uFEFF".includes(character ?? "");
  }
  return at < 200;
}

function namesOnly(text: string, start: number, end: number): boolean {
  NAMES.lastIndex = start;
  NAMES.test(text);
  if (NAMES.lastIndex >= end) return true;
  const written = end - start > LONGEST_LIST ? "" : text.slice(start, end);
  if (!written.includes("/")) return false;
  const names = written.replace(COMMENT, "");
  NAMES.lastIndex = 0;
  NAMES.test(names);
  return NAMES.lastIndex === names.length;
}

function scanTypeComment(list: SiteList, comment: string, start: number): void {
  if (!comment.includes("import")) return;
  for (const match of comment.matchAll(TYPE_COMMENT)) {
    list.add(match[2] ?? match[4] ?? "", start + match.index);
  }
}
