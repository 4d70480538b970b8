import { scanLines, type LineForm } from "../imports/line-form.ts";
import { folderOf, joined } from "../imports/known-paths.ts";
import type { Tree } from "../imports/tree.ts";
import type { Grammar, Language } from "./language.ts";

const OUTSIDE = `(#set! outside "function")`;

/** A declared name, possibly inside pointer or reference declarators. */
const pointed = (name: string): string => `[${name} (pointer_declarator ${name}) (reference_declarator ${name})]`;
const callable = (name: string): string => pointed(`(function_declarator declarator: ${name})`);
const body = (type: string): string => `(${type} name: (_) @name body: (_))`;
const typedef = (type: string): string =>
  `(type_definition type: (${type} body: (_)) declarator: (type_identifier) @name)`;

const PLAIN = "[(identifier) (operator_name) (destructor_name) (operator_cast)] @name";
const MEMBER = "[(field_identifier) (operator_name) (destructor_name)] @name";
const TEMPLATED = "[(identifier) (field_identifier) (operator_name)] @name";
const OWNED = `[
  (qualified_identifier scope: (_) @owner name: ${PLAIN})
  (qualified_identifier name: (qualified_identifier scope: (_) @owner name: ${PLAIN}))
  (qualified_identifier name: (qualified_identifier name: (qualified_identifier scope: (_) @owner name: ${PLAIN})))
]`;

/** Parses C too, except for old-style parameters. */
const CPP: Grammar = {
  name: "cpp",
  patterns: [
    `(template_declaration "template" @lead parameters: (_) @lead)`,
    `(function_definition declarator: ${callable(OWNED)}) @method`,
    `(field_declaration_list (function_definition declarator: (function_declarator declarator: (identifier) @name)) @constructor)`,
    `(field_declaration_list (declaration declarator: (function_declarator declarator: (identifier) @name)) @constructor)`,
    `(field_declaration_list (declaration declarator: (function_declarator declarator: (destructor_name) @name)) @method)`,
    `(function_definition declarator: ${callable("(field_identifier) @name")}) @method`,
    `(field_declaration_list (function_definition declarator: ${callable(MEMBER)}) @method)`,
    `(field_declaration_list (template_declaration (function_definition declarator: ${callable(TEMPLATED)}) @method))`,
    `(field_declaration_list (template_declaration (declaration declarator: ${callable(TEMPLATED)}) @method))`,
    `(field_declaration declarator: ${callable(MEMBER)}) @method`,
    `(function_definition declarator: ${callable(PLAIN)}) @function`,
    "(function_definition declarator: (function_declarator declarator: (template_function name: (_) @name))) @function",
    `(declaration declarator: ${callable(PLAIN)} ${OUTSIDE}) @function`,
    `${body("class_specifier")} @class`,
    `${body("struct_specifier")} @struct`,
    `${body("union_specifier")} @struct`,
    "(enum_specifier name: (_) @name body: (_)) @enum",
    `${typedef("struct_specifier")} @struct`,
    `${typedef("union_specifier")} @struct`,
    `${typedef("enum_specifier")} @enum`,
    `(type_definition declarator: ${pointed("(type_identifier) @name")}) @type`,
    "(type_definition declarator: (function_declarator (parenthesized_declarator (pointer_declarator (type_identifier) @name)))) @type",
    "(alias_declaration name: (_) @name) @type",
    "(concept_definition name: (_) @name) @type",
    "(namespace_definition name: (_) @name) @module",
    "(preproc_def name: (_) @name value: (_)) @constant",
    "(preproc_function_def name: (_) @name) @macro",
    `(field_declaration declarator: ${pointed("(field_identifier) @name")}) @property`,
    "(field_declaration declarator: (array_declarator (field_identifier) @name)) @property",
    `(declaration declarator: (init_declarator declarator: ${pointed("(identifier) @name")} ${OUTSIDE}) @part) @variable`,
    `(declaration declarator: ${pointed("(identifier) @name")} ${OUTSIDE}) @variable`,
    `(declaration declarator: [(array_declarator declarator: (identifier) @name) (pointer_declarator (array_declarator declarator: (identifier) @name))] ${OUTSIDE}) @variable`,
  ].join("\n"),
};

const INCLUDE: LineForm = {
  pattern:
    /^[ \t]*(?:(?<comment>\/\*)|#[ \t]*(?:include|import|include_next)[ \t]*(?<name>"[^"\n]{1,300}"|<[^>\n]{1,298}>))/gm,
  names: (written) => [written.startsWith('"') ? written.slice(1, -1) : written],
};

const INCLUDES = { scanImports: scanLines(INCLUDE), resolveImport: resolveInclude };

export const C: readonly Language[] = [
  { names: ["c", "cpp"], grammar: () => CPP, ...INCLUDES },
  { names: ["objective-c"], ...INCLUDES },
];

/** Most headers that an include resolves to. */
const MOST_HEADERS = 8;

/** Relative to the file, else any path with that suffix, the nearest first. */
function resolveInclude(tree: Tree, from: string, specifier: string): string[] {
  const angled = specifier.startsWith("<");
  const written = angled ? specifier.slice(1, -1) : specifier;
  const beside = angled ? null : joined(folderOf(from), written);
  if (beside !== null && tree.paths.has(beside)) return [beside];
  const suffix = written.replace(/^(?:\.{0,2}\/)+/, "");
  if (suffix === "" || /(?:^|\/)\.{1,2}\//.test(suffix)) return [];
  const found = tree.paths.endingIn(suffix, from);
  // `<string.h>` is a system header, unless an include folder has one.
  const bare = angled && !suffix.includes("/");
  return (bare ? found.filter((path) => /(?:^|\/)(?:include|inc|headers?)\/[^/]+$/.test(path)) : found).slice(
    0,
    MOST_HEADERS,
  );
}
