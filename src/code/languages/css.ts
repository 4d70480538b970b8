import { below, folderOf, joined } from "../imports/known-paths.ts";
import type { SiteList } from "../imports/site-list.ts";
import type { Tree } from "../imports/tree.ts";
import { resolveEcmascript } from "./ecmascript/resolve.ts";
import type { FoundDefinition, Grammar, Language } from "./language.ts";

const GRAMMAR: Grammar = {
  name: "css",
  patterns: [
    "(rule_set (selectors) @name) @rule",
    "(keyframes_statement (keyframes_name) @name) @rule",
    "(at_rule (at_keyword) @name) @rule",
  ].join("\n"),
};

/** CSS, Sass and Less. The grammar reads plain CSS only. */
export const CSS: Language = {
  names: ["css"],
  grammar: () => GRAMMAR,
  definitions: (text, path) => (/\.css$/i.test(path) ? null : rulesOf(text)),
  scanImports: scanStyles,
  resolveImport: (tree, from, specifier) =>
    resolveStyles(tree, from, specifier) ?? resolveEcmascript(tree, from, specifier.replace(/^~/, "")),
};

/** UTF-16 units of a text that are read. */
const LONGEST_READ = 1_048_576;
/** Rules of one text; later ones are left out. */
const MOST_FOUND = 10_000;
const TOKEN = /\/\*|\/\/|["'{};]|\burl\(/g;

/** Rules, mixins, functions and top-level variables of SCSS and Less, by their braces. */
function rulesOf(text: string): FoundDefinition[] {
  const read = text.slice(0, LONGEST_READ);
  const token = new RegExp(TOKEN);
  const found: FoundDefinition[] = [];
  const open: (FoundDefinition | null)[] = [];
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

function ruleBetween(text: string, start: number, end: number): FoundDefinition | null {
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

function variableBetween(text: string, start: number, end: number): FoundDefinition | null {
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

const RULE =
  /^[ \t]*\/\*|@(?:import|use|forward|plugin|config|reference)[ \t]+(?:\([^()\n]{0,80}\)[ \t]*)?(?:url\([ \t]*)?(?:"([^"\n]{1,300})"|'([^'\n]{1,300})'|([^"'\s;(),{}]{1,300}))/gm;
const FURTHER = /\s*,\s*(?:"([^"\n]{1,300})"|'([^'\n]{1,300})')/y;

/**
 * `@import`, `@use`, `@forward`, and the directives of Tailwind. `text` is the part of the list's
 * text that begins at `start`.
 */
export function scanStyles(list: SiteList, text = list.text, start = 0): void {
  RULE.lastIndex = 0;
  for (let found = RULE.exec(text); found && !list.full; found = RULE.exec(text)) {
    const end = RULE.lastIndex;
    const at = start + found.index;
    if (found[0].endsWith("/*")) {
      const close = text.indexOf("*/", end);
      if (close === -1) return;
      RULE.lastIndex = close + 2;
      continue;
    }
    if (list.commentedOut(at)) continue;
    list.add(asFile(found[1] ?? found[2] ?? found[3] ?? ""), at);
    FURTHER.lastIndex = end;
    for (let more = FURTHER.exec(text); more && !list.full; more = FURTHER.exec(text)) {
      list.add(asFile(more[1] ?? more[2] ?? ""), at);
      RULE.lastIndex = FURTHER.lastIndex;
    }
  }
}

/** `""` for computed and remote imports. */
function asFile(written: string): string {
  return /^(?:https?:|\/\/|data:|sass:)|[#$@]\{|^\$/.test(written) ? "" : written;
}

/** Relative to the file, with the extensions and the underscore of Sass. */
export function resolveStyles(tree: Tree, from: string, specifier: string): string | null {
  const written = specifier.replace(/^~/, "").replace(/(?<=.)[?#][^]*$/, "");
  if (written.startsWith("/")) return tree.paths.first([written.slice(1), `public${written}`]);
  const path = joined(folderOf(from), written);
  if (path === null || path === "") return null;
  const partial = below(folderOf(path), `_${path.slice(path.lastIndexOf("/") + 1)}`);
  const endings = ["", ".css", ".scss", ".sass", ".less"];
  const candidates = [path, partial].flatMap((stem) => endings.map((ending) => stem + ending));
  return tree.paths.first([
    ...candidates,
    `${path}/_index.scss`,
    `${path}/index.scss`,
    `${path}/_index.sass`,
    `${path}/index.css`,
  ]);
}
