import { LONGEST_NAME, braced, scanLines } from "../imports/line-form.ts";
import { folderOf, joined } from "../imports/known-paths.ts";
import type { Tree } from "../imports/tree.ts";
import type { Grammar, Language } from "./language.ts";

const GRAMMAR: Grammar = {
  name: "php",
  patterns: [
    "(namespace_definition name: (_) @name body: (_)) @module",
    "(class_declaration name: (_) @name) @class",
    "(interface_declaration name: (_) @name) @interface",
    "(trait_declaration name: (_) @name) @trait",
    "(enum_declaration name: (_) @name) @enum",
    `(method_declaration name: (_) @name (#eq? @name "__construct")) @constructor`,
    "(method_declaration name: (_) @name) @method",
    "(function_definition name: (_) @name) @function",
    "(const_declaration (const_element (name) @name) @part) @constant",
    "(property_declaration (property_element name: (variable_name (name) @name)) @part) @property",
    "(property_promotion_parameter name: (variable_name (name) @name)) @property",
    "(program (expression_statement (assignment_expression left: (variable_name (name) @name) right: [(anonymous_function) (arrow_function)])) @function)",
    `(program (expression_statement (function_call_expression function: (name) @_define arguments: (arguments . (argument (string (string_content) @name)))) (#eq? @_define "define")) @constant)`,
  ].join("\n"),
};

export const PHP: Language = {
  names: ["php"],
  grammar: () => GRAMMAR,
  scanImports: scanLines({
    pattern:
      /^[ \t]*(?:(?<comment>\/\*)|use[ \t]+(?:(?:function|const)[ \t]+)?(?<name>\\?[A-Za-z_][^;({\n]{0,300}(?:\{[^};(]{0,2000}\}[ \t]{0,9})?);)|(?<![\w$>])(?:require|include)(?:_once)?[ \t]{0,9}\(?[ \t]{0,9}(?:(?:__DIR__|dirname\(__FILE__\))[ \t]{0,9}\.[ \t]{0,9})?["'](?<beside>[^"'\n$]{1,300})["']/gm,
    names: (written) => braced(written, "\\").map((name) => name.replace(/^\\/, "")),
  }),
  resolveImport: resolvePhp,
};

/** Resolves a class by the end of its path, with at least one folder; a path beside the file or below the root. */
function resolvePhp(tree: Tree, from: string, specifier: string): string[] {
  if (specifier.startsWith("./") || specifier.startsWith("../")) {
    const beside = tree.paths.only(joined(folderOf(from), specifier));
    return beside.length > 0 ? beside : tree.paths.only(joined("", specifier.replace(/^\.\//, "")));
  }
  const names = specifier.split("\\");
  if (names.length < 2 || names.length > LONGEST_NAME) return [];
  for (let first = 0; first < names.length - 1; first += 1) {
    const found = tree.paths.endingIn(`${names.slice(first).join("/")}.php`, from)[0];
    if (found !== undefined) return [found];
  }
  // The namespace of a package may be its `src` or `lib` folder itself.
  const found = tree.paths
    .endingIn(`${names.at(-1) ?? ""}.php`, from)
    .find((path) => names.length <= 3 && /(?:^|\/)(?:src|lib|app)\/[^/]+$/.test(path));
  return found === undefined ? [] : [found];
}
