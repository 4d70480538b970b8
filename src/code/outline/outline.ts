import type { CodeSymbol } from "../code-index.ts";
import { foundByGrammar } from "./by-grammar.ts";
import { foundByLines } from "./by-lines.ts";
import type { Found } from "./found.ts";
import { languageOf } from "./languages/languages.ts";
import { headingsOf } from "./markdown.ts";
import { markupOf } from "./markup.ts";
import { createdBy } from "./sql.ts";
import { LineMap } from "./line-map.ts";

/**
 * The symbols of one file, by start line, the longer first. A range covers the whole definition, with decorators
 * and `export`, without the comment before it. No text makes it throw: what cannot be parsed is read line by line,
 * and what is not understood is left out (R-EXP-1).
 *
 * @param language as `classify` names it
 */
export async function outlineOf(path: string, language: string | null, text: string): Promise<CodeSymbol[]> {
  const written = language ?? interpreterOf(text);
  return written === null ? [] : settle(text, await foundIn(path, written, text));
}

/** The innermost symbol that a line, from 1, stands in. */
export function symbolAt(symbols: readonly CodeSymbol[], line: number): CodeSymbol | null {
  let inner: CodeSymbol | null = null;
  for (const one of symbols) {
    if (one.start > line || one.end < line) continue;
    if (!inner || one.end - one.start <= inner.end - inner.start) inner = one;
  }
  return inner;
}

const INTERPRETERS: readonly [RegExp, string][] = [
  [/^(?:node|deno|bun|tsx)/, "javascript"],
  [/^(?:ba|z|da|k)?sh$/, "shell"],
  [/^python/, "python"],
  [/^ruby/, "ruby"],
  [/^php/, "php"],
];

/** A program without an extension names its language in its first line. */
function interpreterOf(text: string): string | null {
  const program = /^#!\s*(?:\S{0,200}\/)?(?:env\s+(?:-S\s+)?)?([\w.-]{1,50})/.exec(text.slice(0, 500))?.[1] ?? "";
  return INTERPRETERS.find(([pattern]) => pattern.test(program))?.[1] ?? null;
}

/** What a text of a language defines, read by what knows that language best. */
async function foundIn(path: string, language: string, text: string): Promise<Found[]> {
  switch (language) {
    case "markdown":
      return headingsOf(text);
    case "sql":
      return createdBy(text);
    case "html":
    case "vue":
    case "svelte":
    case "astro":
      return foundInMarkup(language, text);
    case "css":
      return /\.css$/i.test(path) ? foundInCode(path, language, text) : rulesOf(text);
    default:
      return foundInCode(path, language, text);
  }
}

async function foundInCode(path: string, language: string, text: string): Promise<Found[]> {
  const grammar = languageOf(path, language);
  return (grammar && (await foundByGrammar(grammar, text))) ?? foundByLines(language, text);
}

async function foundInMarkup(language: string, text: string): Promise<Found[]> {
  const { scripts, elements } = markupOf(language, text);
  const found = [...elements];
  for (const script of scripts) {
    for (const one of await foundInCode("", script.language, script.text)) {
      found.push({ ...one, from: one.from + script.from, to: one.to + script.from });
    }
  }
  return found;
}

/** Symbols of one file; later ones are left out. */
const MOST_SYMBOLS = 5_000;
/** UTF-16 units of a name; the rest is cut off. */
const LONGEST_NAME = 200;
/** White space at the end of a definition that is looked at, in UTF-16 units. */
const LONGEST_TAIL = 1_000;

interface Around extends Found {
  /** In a function. */
  local: boolean;
}

/** Makes symbols of what was found: who stands in whom, lines for offsets, the limits, the order (R-EXP-1). */
function settle(text: string, found: readonly Found[]): CodeSymbol[] {
  const lines = new LineMap(text);
  const around: Around[] = [];
  const settled: CodeSymbol[] = [];
  for (const one of [...found].toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (settled.length === MOST_SYMBOLS) break;
    let outer = around.at(-1);
    while (outer && !contains(outer, one)) {
      around.pop();
      outer = around.at(-1);
    }
    const local = outer !== undefined && (outer.local || isCallable(outer));
    around.push({ ...one, local });
    if (local && one.outside === true) continue;
    const name = nameOf(one.name);
    if (one.kind === "scope" || name === "") continue;
    const start = lines.lineAt(one.from);
    const container = nameOf(one.owner ?? outer?.name ?? "");
    settled.push({
      name,
      kind: one.kind,
      start,
      end: Math.max(start, lines.lineAt(lastOf(text, one))),
      container: container === "" ? null : container,
    });
  }
  return settled.toSorted((a, b) => a.start - b.start || b.end - a.end);
}

function isCallable({ kind }: Found): boolean {
  return kind === "function" || kind === "method" || kind === "constructor";
}

function contains(outer: Found, inner: Found): boolean {
  return outer.from <= inner.from && inner.to <= outer.to && outer.to - outer.from > inner.to - inner.from;
}

/** Offset of its last character that is no white space: some grammars count the line break to the definition. */
function lastOf(text: string, { from, to }: Found): number {
  let last = Math.min(to, text.length) - 1;
  const least = Math.max(from, last - LONGEST_TAIL);
  while (last > least && /\s/.test(text.charAt(last))) last -= 1;
  return Math.max(last, from);
}

function nameOf(written: string): string {
  return written
    .slice(0, LONGEST_NAME * 4)
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST_NAME);
}

/** UTF-16 units of a text that are read. */
const LONGEST_READ = 1_048_576;
/** Rules of one text that are kept. */
const MOST_FOUND = 10_000;
const TOKEN = /\/\*|\/\/|["'{};]|\burl\(/g;

/** Rules, mixins, functions and top variables of SCSS and Less, by their braces. */
function rulesOf(text: string): Found[] {
  const read = text.slice(0, LONGEST_READ);
  const token = new RegExp(TOKEN);
  const found: Found[] = [];
  const open: (Found | null)[] = [];
  let start = 0;
  for (let match = token.exec(read); match && found.length < MOST_FOUND; match = token.exec(read)) {
    const at = match.index;
    switch (match[0]) {
      case "{": {
        const one = read.charAt(at - 1) === "#" || read.charAt(at - 1) === "@" ? null : ruleBetween(read, start, at);
        open.push(one);
        if (!one) break;
        found.push(one);
        start = at + 1;
        break;
      }
      case "}": {
        const one = open.pop();
        if (!one) break;
        one.to = at + 1;
        start = at + 1;
        break;
      }
      case ";": {
        const one = open.length === 0 ? variableBetween(read, start, at) : null;
        if (one) found.push(one);
        start = at + 1;
        break;
      }
      default: {
        token.lastIndex = pastQuoted(read, match[0], token.lastIndex);
        if (match[0].startsWith("/") && read.slice(start, at).trim() === "") start = token.lastIndex;
      }
    }
  }
  for (const one of open) if (one) one.to = read.length;
  return found;
}

function ruleBetween(text: string, start: number, end: number): Found | null {
  const written = text.slice(start, Math.min(end, start + 2_000));
  const name = written.trim();
  if (name === "") return null;
  const from = start + written.length - written.trimStart().length;
  const callable = /^@(?:mixin|function)\s+([\w-]+)/.exec(name)?.[1];
  return {
    name: callable ?? name,
    kind: callable === undefined ? "rule" : "function",
    from,
    to: text.length,
    owner: null,
  };
}

function variableBetween(text: string, start: number, end: number): Found | null {
  const written = text.slice(start, Math.min(end, start + 2_000));
  const name = /^\s*([$@][\w-]{1,200})\s*:/.exec(written)?.[1];
  if (name === undefined) return null;
  const from = start + written.length - written.trimStart().length;
  return { name, kind: "variable", from, to: end + 1, owner: null };
}

function pastQuoted(text: string, token: string, at: number): number {
  const closing = token === "/*" ? "*/" : token === "//" ? "\n" : token === "url(" ? ")" : token;
  const end = text.indexOf(closing, at);
  return end === -1 ? text.length : end + closing.length;
}
