import { assignedSecrets } from "./assignments.ts";
import { entropyOf, isMadeUp, isRandom } from "./credible.ts";

/** A value of a file that nobody may see. `maybe`: it could be an ordinary name too, so it counts only where no other file has it. */
export interface ProtectedValue {
  value: string;
  certainty: "secret" | "maybe";
}

/** In characters. Passwords may be short; longer values show by their beginning. */
const SHORTEST = 8;
const SHORTEST_PASSWORD = 6;
const SHORTEST_WORDS = 12;
const LONGEST = 1_000;

const SETTING =
  /^[ \t]{0,40}(?:(?:#|\/\/)[ \t]?)?(?:(?:export|set|setenv|ENV|ARG|-)[ \t]{1,5})?["']?(?<name>[\w.-]{1,80})["']?[ \t]{0,5}(?:=>?|:)[ \t]{0,5}(?<value>[^\n]{1,4000})$/gm;
/** What only a secret is called: its value counts though it is words. */
const OF_SECRET =
  /(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|mnemonic|seed|(?:api|secret|private|auth)[_-]?key)$/i;
/** What everybody may know: the code that runs, and when. */
const OF_BUILD = /(?:sha|commit|revision|rev|release|version|digest|checksum|hash|build|tag|date|time|at)$/i;
const IN_ADDRESS = /:\/\/[^\s:@/]{0,100}:(?<value>[^\s@/]{4,200})@/g;
const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>]{1,2000}/gi;
const TOKEN = /[\w+/=~.-]{16,4096}/g;
const COMMIT = /^[a-f0-9]{40}$/;
const DATE = /^\d{4}-\d{2}-\d{2}/;

/**
 * The values of a protected file's text (R-SAFE-7): what looks drawn at random, what is called a secret, passwords of
 * addresses. Not placeholders, words of examples, numbers, or what says which code runs. Linear.
 */
export function protectedValuesIn(text: string): ProtectedValue[] {
  const found = new Map<string, ProtectedValue["certainty"]>();
  const add = (given: string, certainty: ProtectedValue["certainty"]) => {
    const value = given.slice(0, LONGEST);
    if (isMadeUp(value) || /^[$<{]|\$\{|\{\{/.test(value)) return;
    if (found.get(value) !== "secret") found.set(value, certainty);
  };
  for (const { start, end } of assignedSecrets(text)) {
    const value = text.slice(start, end);
    const isWord = value.length < SHORTEST || /^[A-Za-z]+$/.test(value);
    if (value.length >= SHORTEST_PASSWORD) add(value, isWord ? "maybe" : "secret");
  }
  for (const { groups } of text.matchAll(IN_ADDRESS)) {
    const value = groups?.["value"] ?? "";
    if (value.length >= SHORTEST_PASSWORD && /[A-Za-z]/.test(value)) add(value, "secret");
  }
  for (const { groups } of text.matchAll(SETTING)) {
    const certainty = certaintyOf(groups?.["name"] ?? "", plainOf(groups?.["value"] ?? ""));
    if (certainty !== null) add(plainOf(groups?.["value"] ?? ""), certainty);
  }
  const lines = text.replaceAll(/\\[nrt]/g, "\n");
  const pieces = [...lines.matchAll(ADDRESS)].flatMap(([address]) => address.split(/[/?&=#:@]/));
  const tokens = [...lines.replaceAll(ADDRESS, " ").matchAll(TOKEN)].flatMap(([token]) => [token, ...token.split("=")]);
  for (const token of [...pieces, ...tokens]) if (isKey(token)) add(token, "secret");
  return [...found].map(([value, certainty]) => ({ value, certainty }));
}

/** Without quotes, what ends an entry, and a comment behind it. */
function plainOf(given: string): string {
  const value = given.trim().replace(/[,;]$/, "");
  const quoted = /^(["'`])(.*?)\1/.exec(value)?.[2];
  return (quoted ?? value.replace(/\s+(?:#|\/\/).*$/, "")).trim();
}

function certaintyOf(name: string, value: string): ProtectedValue["certainty"] | null {
  if (value.length < SHORTEST || value.includes("://") || /^[[{|>&*!]/.test(value) || DATE.test(value)) return null;
  const isSecret = OF_SECRET.test(name);
  if (!isSecret && (OF_BUILD.test(name) || COMMIT.test(value) || /\s/.test(value))) return null;
  if (isRandom(value)) return isSecret ? "secret" : "maybe";
  const isWords = /[A-Za-z]{3}/.test(value) && !/^[\w-]+(?:[./][\w-]+)+$|^[~.]{0,2}\//.test(value);
  return isSecret && isWords && value.length >= SHORTEST_WORDS ? "maybe" : null;
}

/** Whether nobody would write it by hand: a key in one piece, of a file of its own or a line of one. */
function isKey(token: string): boolean {
  return (
    /^[A-Za-z0-9+/_-]{20,}={0,2}$/.test(token) &&
    !COMMIT.test(token) &&
    !/[a-z]{7}|[A-Z]{7}|^[./]/.test(token) &&
    (token.match(/\d/g)?.length ?? 0) >= 3 &&
    isRandom(token) &&
    entropyOf(token.slice(0, 300)) >= 3.3
  );
}
