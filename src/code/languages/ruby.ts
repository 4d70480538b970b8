import { scanLines } from "../imports/line-form.ts";
import { folderOf, joined } from "../imports/known-paths.ts";
import type { Tree } from "../imports/tree.ts";
import type { Grammar, Language } from "./language.ts";

const GRAMMAR: Grammar = {
  name: "ruby",
  patterns: [
    "(module name: (_) @name) @module",
    "(class name: (_) @name) @class",
    `(class body: (body_statement (method name: (_) @name (#eq? @name "initialize")) @constructor))`,
    "(class body: (body_statement (method name: (_) @name) @method))",
    "(module body: (body_statement (method name: (_) @name) @method))",
    "(singleton_class body: (body_statement (method name: (_) @name) @method))",
    "(class body: (body_statement (call arguments: (argument_list (method name: (_) @name) @method))))",
    "(module body: (body_statement (call arguments: (argument_list (method name: (_) @name) @method))))",
    "(singleton_method name: (_) @name) @method",
    "(method name: (_) @name) @function",
    "(program (assignment left: (constant) @name) @constant)",
    "(body_statement (assignment left: (constant) @name) @constant)",
    `(body_statement (call method: (identifier) @_attribute arguments: (argument_list (simple_symbol) @name) (#match? @_attribute "^attr_(accessor|reader|writer)$")) @property)`,
    `(call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name) (#match? @_define "^(define_method|scope)$")) @method`,
    `(call method: (identifier) @_task arguments: (argument_list . [(simple_symbol) @name (pair key: (hash_key_symbol) @name)]) (#eq? @_task "task")) @function`,
  ].join("\n"),
};

export const RUBY: Language = {
  names: ["ruby"],
  grammar: () => GRAMMAR,
  scanImports: scanLines({
    pattern:
      /^(?<comment>=begin\b)|^[ \t]*(?:(?:require|load|autoload)\b[ \t(]{1,9}(?::\w{1,100},[ \t]{0,9})?["'](?<name>[^"'\n#]{1,300})|require_relative\b[ \t(]{1,9}["'](?<beside>[^"'\n#]{1,300}))["']/gm,
    commentEnd: "\n=end",
  }),
  resolveImport: resolveRuby,
};

/** Relative to the file, or below `lib`, `app/*` and the like, or the root. */
function resolveRuby(tree: Tree, from: string, specifier: string): string[] {
  const file = specifier.endsWith(".rb") ? specifier : `${specifier}.rb`;
  if (specifier.startsWith(".")) return tree.paths.only(joined(folderOf(from), file));
  if (specifier.startsWith("/")) return [];
  const rest = file.length + 1;
  const roots = /(?:^|\/)(?:lib|app|app\/[^/]+|test|spec|src|ext)$/;
  const found = tree.paths.endingIn(file, from).find((path) => path === file || roots.test(path.slice(0, -rest)));
  return found === undefined ? [] : [found];
}
