import { baseOf, below } from "../imports/known-paths.ts";
import type { SiteList } from "../imports/site-list.ts";
import { MOST_FILES, type Tree } from "../imports/tree.ts";
import type { Grammar, Language } from "./language.ts";

const GRAMMAR: Grammar = {
  name: "go",
  patterns: [
    "(function_declaration name: (_) @name) @function",
    "(method_declaration receiver: (parameter_list (parameter_declaration type: (type_identifier) @owner)) name: (_) @name) @method",
    "(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (type_identifier) @owner))) name: (_) @name) @method",
    "(method_declaration receiver: (parameter_list (parameter_declaration type: (generic_type type: (_) @owner))) name: (_) @name) @method",
    "(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (generic_type type: (_) @owner)))) name: (_) @name) @method",
    "(method_declaration name: (_) @name) @method",
    "(type_declaration (type_spec name: (_) @name type: (struct_type)) @part) @struct",
    "(type_declaration (type_spec name: (_) @name type: (interface_type)) @part) @interface",
    "(type_declaration (_ name: (_) @name) @part) @type",
    "(field_declaration name: (_) @name) @property",
    "(method_elem name: (_) @name) @method",
    "(source_file (const_declaration (const_spec name: (identifier) @name) @part) @constant)",
    "(source_file (var_declaration (var_spec name: (_) @name) @part) @variable)",
    "(source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @part)) @variable)",
  ].join("\n"),
};

export const GO: Language = {
  names: ["go"],
  grammar: () => GRAMMAR,
  scanImports: scanGo,
  resolveImport: (tree, _from, specifier) => resolveGo(tree, specifier),
};

/** Imports come before everything else, so the first declaration ends the search. */
const TOKEN =
  /^(?:[ \t]*\/\*|import[ \t]*(\()|import[ \t]+(?:[\w.]+[ \t]+)?["`]([^"`\n]{1,300})["`]|(?:func|type|var|const)\b)/gm;
const LINE = /^[ \t]*(?:[\p{L}\w.]+[ \t]+)?["`]([^"`\n]{1,300})["`]/gmu;

/** Single imports and import blocks. */
function scanGo(list: SiteList): void {
  const { text } = list;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found && !list.full; found = TOKEN.exec(text)) {
    const end = TOKEN.lastIndex;
    if (found[2] !== undefined) list.add(found[2], found.index);
    else if (found[0].endsWith("/*")) {
      const close = text.indexOf("*/", end);
      if (close === -1) return;
      TOKEN.lastIndex = close + 2;
    } else if (found[1] !== undefined) {
      const close = text.indexOf(")", end);
      const block = text.slice(end, close === -1 ? text.length : close);
      for (const line of block.matchAll(LINE)) list.add(line[1] ?? "", end + line.index + line[0].length);
      TOKEN.lastIndex = end + block.length;
    } else return;
  }
}

/** The non-test files of the package's folder, by the go.mod with the longest matching module path. */
function resolveGo(tree: Tree, specifier: string): string[] {
  for (const { name, folder } of tree.goModules()) {
    if (specifier !== name && !specifier.startsWith(`${name}/`)) continue;
    const inside = specifier.slice(name.length + 1);
    const files = tree.paths.inFolder(inside === "" ? folder : below(folder, inside)).filter(isGoCode);
    if (files.length > 0) return files.slice(0, MOST_FILES);
  }
  return [];
}

function isGoCode(path: string): boolean {
  return path.endsWith(".go") && !path.endsWith("_test.go") && !/^[._]/.test(baseOf(path));
}
