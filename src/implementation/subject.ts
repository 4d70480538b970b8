import { parseSpec } from "../domain/spec-document/parse.ts";
import { keptText } from "../domain/text/clean-text.ts";
import { detectLanguage } from "../domain/text/language.ts";
import { cut, escapeRegExp, oneLine } from "../lib/text.ts";

/** The longest subject of a commit, and title of a request, in characters. */
export const LONGEST_SUBJECT = 72;

/** Prefixes of titles: `[Bug]`, `Feature request:`, `fix(ui):`, `WIP:`. */
const PREFIX =
  /^(?:\[[^\]]{1,30}\]|\((?:draft|wip)\)|(?:spec|bug(?: report)?|feature(?: request)?|docs?|chore|task|issue|fix|feat|refactor|perf|draft|wip)(?:\([^)]{1,30}\))?!?:)\s{0,20}/i;

/** What a task is about, and the text that it comes from. */
export interface Topic {
  /** The issue's title and its language. */
  title: string;
  language: string;
  /** The spec; null without one. Its title says what is built. */
  spec: string | null;
}

/**
 * What a task builds, for a commit's subject or a request's title after its type: the title of the spec, else of the
 * issue, on one line, without prefixes and full stop. English ones start in lower case; empty if there are no words.
 */
export function topicOf({ title, language, spec }: Topic): string {
  const text = spec ?? "";
  const built = bare(text === "" ? "" : (parseSpec(text).title ?? ""));
  const topic = built === "" ? bare(title) : built;
  const isEnglish = language === "en" || (topic !== bare(title) && detectLanguage(topic) === "en");
  return isEnglish ? withSmallStart(topic, text) : topic;
}

/** Twice, for titles such as `[Bug] ui: …`. */
function bare(title: string): string {
  const line = oneLine(keptText(cut(title, 1_000, "")).toWellFormed());
  return line
    .replace(PREFIX, "")
    .replace(PREFIX, "")
    .replace(/[.。\s]+$/, "");
}

/** Keeps the capitals of abbreviations, of “I”, and of names: words that the text capitalizes in mid-sentence. */
export function withSmallStart(words: string, text: string): string {
  const first = /^\p{Lu}\p{Ll}*(?=[\s,]|$)/u.exec(words)?.[0] ?? "";
  if (first === "" || first === "I") return words;
  const named = new RegExp(String.raw`[\p{Ll}\p{N},] ${escapeRegExp(first)}(?![\p{L}\p{N}])`, "u");
  const plain = new RegExp(String.raw`(?<![\p{L}\p{N}])${escapeRegExp(first.toLowerCase())}(?![\p{L}\p{N}])`, "u");
  return named.test(text) && !plain.test(text) ? words : words.charAt(0).toLowerCase() + words.slice(1);
}
