import { within, type Grammar, type Language } from "../language.ts";
import { scanEcmascript } from "./imports.ts";
import { resolveEcmascript } from "./resolve.ts";

const CALLABLE = "[(arrow_function) (function_expression) (generator_function)]";
const STATEMENTS = ["(export_statement #)", "(ambient_declaration #)", "(export_statement (ambient_declaration #))"];

const named = (kind: string, type: string): string => within(kind, `(${type} name: (_) @name)`, STATEMENTS);
const declared = (declaration: string, value: string): string =>
  `(${declaration} (variable_declarator name: (identifier) @name ${value}) @part)`;
const assigned = (left: string, right: string): string =>
  `(expression_statement (assignment_expression left: (member_expression ${left}) right: ${right}))`;
const unnamed = (kind: string, value: string): string =>
  `(export_statement "default" value: ${value} (#set! name "default")) @${kind}`;

const EXPORTS = `object: (identifier) @_exports property: (_) @name (#eq? @_exports "exports")`;
const MODULE_EXPORTS = `object: (member_expression object: (identifier) @_module property: (_) @_exports) property: (_) @name (#eq? @_module "module") (#eq? @_exports "exports")`;
const PROTOTYPE = `object: (member_expression object: (_) @owner property: (_) @_prototype) property: (_) @name (#eq? @_prototype "prototype")`;

const OWN = "object: (identifier) @owner property: (property_identifier) @name";

const PATTERNS = [
  `(class_body (method_definition name: (property_identifier) @name (#eq? @name "constructor")) @constructor)`,
  "(method_definition name: (_) @name) @method",
  "(abstract_method_signature name: (_) @name) @method",
  "(class_body (method_signature name: (_) @name) @method)",
  "(public_field_definition name: (_) @name) @property",
  "(interface_body (method_signature name: (_) @name) @method)",
  "(interface_body (property_signature name: (_) @name) @property)",
  "(type_alias_declaration value: (object_type (property_signature name: (_) @name) @property))",
  "(type_alias_declaration value: (object_type (method_signature name: (_) @name) @method))",
  `(pair key: (_) @name value: ${CALLABLE}) @method`,
  "(pair key: (_) @name value: (class)) @class",
  "(class_body (decorator) @lead)",

  named("class", "class_declaration"),
  named("class", "abstract_class_declaration"),
  named("function", "function_declaration"),
  named("function", "generator_function_declaration"),
  named("function", "function_signature"),
  named("interface", "interface_declaration"),
  named("type", "type_alias_declaration"),
  named("enum", "enum_declaration"),
  named("module", "internal_module"),
  named("module", "module"),

  within("function", declared("lexical_declaration", `value: ${CALLABLE}`), STATEMENTS),
  within("function", declared("variable_declaration", `value: ${CALLABLE}`), STATEMENTS),
  within("class", declared("lexical_declaration", "value: (class)"), STATEMENTS),
  within("class", declared("variable_declaration", "value: (class)"), STATEMENTS),
  ...["(program #)", ...STATEMENTS].flatMap((around) => [
    around.replace("#", () => `${declared('lexical_declaration kind: "const"', "")} @constant`),
    around.replace("#", () => `${declared('lexical_declaration kind: "let"', "")} @variable`),
    around.replace("#", () => `${declared("variable_declaration", "")} @variable`),
  ]),
  `(export_statement (lexical_declaration (variable_declarator name: (object_pattern
     [(shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)])))) @constant`,

  unnamed("class", "(class !name)"),
  unnamed("function", "[(function_expression !name) (generator_function !name) (arrow_function)]"),
  unnamed("constant", "[(object) (array) (call_expression) (new_expression) (as_expression) (satisfies_expression)]"),
  `(export_statement "default" value: (class name: (_) @name)) @class`,
  `(export_statement "default" value: (function_expression name: (_) @name)) @function`,

  `${assigned(PROTOTYPE, CALLABLE)} @method`,
  `${assigned(EXPORTS, CALLABLE)} @function`,
  `${assigned(MODULE_EXPORTS, CALLABLE)} @function`,
  `${assigned(EXPORTS, "(class)")} @class`,
  `${assigned(MODULE_EXPORTS, "(class)")} @class`,
  `${assigned(EXPORTS, "(_)")} @property`,
  `${assigned(MODULE_EXPORTS, "(_)")} @property`,
  `${assigned(OWN, CALLABLE)} @method`,
  `${assigned(OWN, "(class)")} @class`,
  `${assigned("property: (property_identifier) @name", CALLABLE)} @method`,
].join("\n");

/** The grammars differ in `<`: a type assertion in one, JSX in the other. */
const TYPESCRIPT: Grammar = { name: "typescript", patterns: PATTERNS };
/** JavaScript uses it too, so that files with Flow types or TypeScript syntax parse. */
const TSX: Grammar = { name: "tsx", patterns: PATTERNS };

const IMPORTS = { scanImports: scanEcmascript, resolveImport: resolveEcmascript };

export const ECMASCRIPT: readonly Language[] = [
  { names: ["javascript"], grammar: () => TSX, ...IMPORTS },
  { names: ["typescript"], grammar: (path) => (/\.tsx$/i.test(path) ? TSX : TYPESCRIPT), ...IMPORTS },
];
