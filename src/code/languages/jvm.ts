import { braced, LONGEST_NAME, scanLines, type LineForm } from "../imports/line-form.ts";
import type { Tree } from "../imports/tree.ts";
import type { Grammar, Language } from "./language.ts";

const JAVA: Grammar = {
  name: "java",
  patterns: [
    "(class_declaration name: (_) @name) @class",
    "(record_declaration name: (_) @name) @class",
    "(interface_declaration name: (_) @name) @interface",
    "(annotation_type_declaration name: (_) @name) @interface",
    "(enum_declaration name: (_) @name) @enum",
    "(constructor_declaration name: (_) @name) @constructor",
    "(compact_constructor_declaration name: (_) @name) @constructor",
    "(method_declaration name: (_) @name) @method",
    "(annotation_type_element_declaration name: (_) @name) @method",
    "(field_declaration declarator: (variable_declarator name: (_) @name) @part) @property",
    "(constant_declaration declarator: (variable_declarator name: (_) @name) @part) @constant",
    "(module_declaration name: (_) @name) @module",
  ].join("\n"),
};

const IMPORT: LineForm = {
  pattern: /^[ \t]*(?:(?<comment>\/\*)|import[ \t]+(?:static[ \t]+)?(?<name>[^\n;/"'(]{1,2000}))/gm,
  names: (written) => braced(written, ".").map((name) => name.replace(/\._$/, ".*")),
};

const DIALECT = { scanImports: scanLines(IMPORT), resolveImport: resolveJvm };

export const JVM: readonly Language[] = [
  { names: ["java"], grammar: () => JAVA, ...DIALECT },
  { names: ["kotlin", "scala", "groovy"], ...DIALECT },
];

const JVM_ENDINGS = [".java", ".kt", ".scala", ".groovy", ".kts"];
const JVM_CODE = /\.(?:java|kts?|scala|groovy)$/;

/** By the path of the package; a member or inner class resolves to its class. */
function resolveJvm(tree: Tree, from: string, specifier: string): string[] {
  const names = specifier.split(".");
  if (names.length > LONGEST_NAME) return [];
  const wildcard = names.at(-1) === "*";
  if (wildcard) names.pop();
  // At most two names follow the class: an inner class and its member.
  for (let count = names.length; count > 0 && count >= names.length - 2; count -= 1) {
    const path = names.slice(0, count).join("/");
    for (const ending of JVM_ENDINGS) {
      const found = tree.paths.endingIn(path + ending, from)[0];
      if (found !== undefined && (count > 1 || names.length === 1)) return [found];
    }
    if (wildcard && count === names.length) {
      const files = tree.filesOfFolder(path, from, JVM_CODE);
      if (files.length > 0) return files;
    }
  }
  return [];
}
