import { below, folderOf, foldersAround, type KnownPaths } from "../imports/known-paths.ts";
import type { SiteList } from "../imports/site-list.ts";
import type { Tree } from "../imports/tree.ts";
import type { Grammar, Language } from "./language.ts";

const FUNCTION = "(function_definition name: (_) @name)";
const ASSIGNMENT = "(expression_statement (assignment left: (identifier) @name))";

const GRAMMAR: Grammar = {
  name: "python",
  patterns: [
    `(class_definition body: (block (function_definition name: (_) @name (#eq? @name "__init__")) @constructor))`,
    `(class_definition body: (block ${FUNCTION} @method))`,
    `(class_definition body: (block (decorated_definition ${FUNCTION} @method)))`,
    `${FUNCTION} @function`,
    "(class_definition name: (_) @name) @class",
    "(decorated_definition definition: (_) @wrapped) @wrapper",
    `(class_definition body: (block ${ASSIGNMENT} @property))`,
    `(module (expression_statement (assignment left: (identifier) @name (#match? @name "^_*[A-Z][A-Z0-9_]*$"))) @constant)`,
    `(module ${ASSIGNMENT} @variable)`,
    "(module (type_alias_statement left: (type (_) @name)) @type)",
  ].join("\n"),
};

export const PYTHON: Language = {
  names: ["python"],
  grammar: () => GRAMMAR,
  scanImports: scanPython,
  resolveImport: resolvePython,
};

/** Strings and comments to skip, and the beginnings of imports. */
const TOKEN =
  /"""|'''|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|#[^\n]*|(?:^|[;:])[ \t]{0,200}(?:c?import|from)(?=[ \t.\\])/gm;
const FROM =
  /[ \t]{0,20}(\.{0,30})[ \t]{0,20}([^\s.,;#()"'\\][^\s,;#()"'\\]{0,300})?[ \t\\\r\n]{0,20}\bc?import\b[ \t]{0,20}/y;
const LONGEST_LIST = 20_000;

/**
 * `import a.b` is `a.b`; `from a import b` is `a.b` too, since the text does not show whether `b` is a module;
 * `from . import x` is `.x`.
 */
function scanPython(list: SiteList): void {
  const { text } = list;
  let next = 0;
  while (!list.full) {
    TOKEN.lastIndex = next;
    if (!TOKEN.test(text)) return;
    const end = TOKEN.lastIndex;
    next = end;
    const last = text[end - 1];
    if (last === '"' || last === "'") {
      const quotes = last + last + last;
      if (text.startsWith(quotes, end - 3)) next = endOfLongString(text, quotes, end);
    } else if (last === "t" && text.startsWith("import", end - 6)) {
      for (const name of namesAt(text, end)) list.add(name, end);
    } else if (last === "m" && text.startsWith("from", end - 4)) {
      FROM.lastIndex = end;
      const found = FROM.exec(text);
      if (!found) continue;
      const module = `${found[1] ?? ""}${found[2] ?? ""}`;
      if (module === "") continue;
      for (const name of namesAt(text, FROM.lastIndex)) list.add(member(module, name), end);
    }
  }
}

function member(module: string, name: string): string {
  if (name === "*") return module;
  return module.endsWith(".") ? module + name : `${module}.${name}`;
}

function endOfLongString(text: string, quotes: string, from: number): number {
  for (let at = text.indexOf(quotes, from); at !== -1; at = text.indexOf(quotes, at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + quotes.length;
  }
  return text.length;
}

/** The imported names, in brackets or up to the end of the logical line, without aliases. */
function namesAt(text: string, at: number): string[] {
  const bracket = text[at] === "(";
  const ahead = text.slice(bracket ? at + 1 : at, at + LONGEST_LIST);
  const end = bracket ? ahead.indexOf(")") : endOfLogicalLine(ahead);
  if (end === -1) return [];
  const written = ahead.slice(0, end);
  return written
    .replace(/#[^\n]*|[\\()]/g, " ")
    .split(",")
    .map((name) => name.trim().split(/\s/, 1)[0] ?? "")
    .filter((name) => /^[\p{L}_*.][\p{L}\p{N}_.]*$/u.test(name));
}

function endOfLogicalLine(text: string): number {
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === ";" || character === "#") return at;
    if (character === "\n" && !/\\\r?$/.test(text.slice(Math.max(0, at - 2), at))) return at;
  }
  return text.length;
}

const MODULES = [".py", ".pyi", ".pyx"];
const ENDINGS = [".py", "/__init__.py", ".pyi", "/__init__.pyi", ".pyx"];

/**
 * Resolves to a module, or to the one that contains the last names. Absolute names are searched in the surrounding
 * folders that are not packages, and their `src` and `lib`, then wherever a package of that name begins.
 */
function resolvePython(tree: Tree, from: string, specifier: string): string | null {
  const dots = /^\.*/.exec(specifier)?.[0].length ?? 0;
  const names = specifier.slice(dots).split(".").filter(Boolean);
  if (names.length > 30) return null;
  if (dots > 0) {
    let folder = folderOf(from);
    for (let up = 1; up < dots; up += 1) {
      if (folder === "") return null;
      folder = folderOf(folder);
    }
    return deepest(tree.paths, folder, names) ?? tree.paths.first([below(folder, "__init__.py")]);
  }
  const top = names[0];
  if (top === undefined) return null;
  for (const root of roots(tree, from, top)) {
    const found = deepest(tree.paths, root, names);
    if (found !== null) return found;
  }
  return null;
}

/** The module of the longest prefix of the names. */
function deepest(paths: KnownPaths, folder: string, names: readonly string[]): string | null {
  for (let count = names.length; count > 0; count -= 1) {
    const path = below(folder, names.slice(0, count).join("/"));
    for (const ending of ENDINGS) if (paths.has(path + ending)) return path + ending;
  }
  return null;
}

function roots(tree: Tree, from: string, top: string): readonly string[] {
  const key = `${folderOf(from)}\0${top}`;
  const known = tree.pythonRoots.get(key);
  if (known) return known;
  const found: string[] = [];
  for (const folder of foldersAround(from)) {
    if (tree.paths.has(below(folder, "__init__.py"))) continue;
    found.push(folder, below(folder, "src"), below(folder, "lib"));
  }
  const beginsHere = tree.pythonPackages(top).filter((root) => !found.includes(root));
  const all = [...found, ...beginsHere.toSorted((a, b) => a.length - b.length)].filter((root) => {
    const path = below(root, top);
    return tree.paths.hasFolder(path) || MODULES.some((ending) => tree.paths.has(path + ending));
  });
  tree.pythonRoots.set(key, all);
  return all;
}
