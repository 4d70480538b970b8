import { LONGEST_NAME, scanLines } from "../imports/line-form.ts";
import type { Tree } from "../imports/tree.ts";
import type { Grammar, Language } from "./language.ts";

const DECLARED = "(variable_declaration (variable_declarator name: (_) @name) @part)";

const GRAMMAR: Grammar = {
  name: "c-sharp",
  patterns: [
    "(namespace_declaration name: (_) @name) @module",
    "(file_scoped_namespace_declaration name: (_) @name) @module",
    "(class_declaration name: (_) @name) @class",
    "(record_declaration name: (_) @name) @class",
    "(struct_declaration name: (_) @name) @struct",
    "(interface_declaration name: (_) @name) @interface",
    "(enum_declaration name: (_) @name) @enum",
    "(delegate_declaration name: (_) @name) @type",
    "(constructor_declaration name: (_) @name) @constructor",
    "(destructor_declaration name: (_) @name) @method",
    "(method_declaration name: (_) @name) @method",
    `(indexer_declaration (#set! name "this")) @property`,
    "(local_function_statement name: (_) @name) @function",
    "(property_declaration name: (_) @name) @property",
    "(event_declaration name: (_) @name) @property",
    `(event_field_declaration ${DECLARED}) @property`,
    `(field_declaration (modifier) @_const ${DECLARED} (#eq? @_const "const")) @constant`,
    `(field_declaration ${DECLARED}) @property`,
  ].join("\n"),
};

export const CSHARP: Language = {
  names: ["csharp"],
  grammar: () => GRAMMAR,
  scanImports: scanLines({
    pattern:
      /^[ \t]*(?:(?<comment>\/\*)|(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?(?<name>[\w.]{1,300})[ \t]*;)/gm,
  }),
  resolveImport: resolveNamespace,
};

/** A namespace is the folder of its name; its first parts may be a project name with dots. */
function resolveNamespace(tree: Tree, from: string, specifier: string): string[] {
  const names = specifier.split(".");
  if (names.length > LONGEST_NAME || names[0] === "System" || names[0] === "Microsoft") return [];
  for (let joint = 1; joint <= names.length; joint += 1) {
    const suffix = [names.slice(0, joint).join("."), ...names.slice(joint)].join("/");
    const files = tree.filesOfFolder(suffix, from, /\.cs$/);
    if (files.length > 0) return files;
  }
  return [];
}
