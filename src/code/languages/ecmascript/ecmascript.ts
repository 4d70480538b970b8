import type { Assigned, FoundDefinition, Grammar, Language } from "../language.ts";
import { scanEcmascript } from "./imports.ts";
import { resolveEcmascript } from "./resolve.ts";

const CALLABLE = "[(arrow_function) (function_expression) (generator_function)]";

const named = (kind: string, type: string): string => `(${type} name: (_) @name) @${kind}`;
const declared = (declaration: string, value: string): string =>
  `(${declaration} (variable_declarator name: (identifier) @name ${value}) @part)`;
const CONSTANT = 'lexical_declaration kind: "const"';
const LET = 'lexical_declaration kind: "let"';
const EXPORTED = `(#set! wrapped "only")`;
const unnamed = (kind: string, value: string): string =>
  `(export_statement "default" value: ${value} (#set! name "default")) @${kind}`;
const assigned = (kind: string, right: string): string =>
  `(expression_statement (assignment_expression left: (member_expression) @target right: ${right})) @${kind}`;

const PATTERNS = [
  "(export_statement declaration: (_) @wrapped) @wrapper",
  "(ambient_declaration (_) @wrapped) @wrapper",

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

  `${declared("lexical_declaration", `value: ${CALLABLE}`)} @function`,
  `${declared("variable_declaration", `value: ${CALLABLE}`)} @function`,
  `${declared("lexical_declaration", "value: (class)")} @class`,
  `${declared("variable_declaration", "value: (class)")} @class`,
  `(program ${declared(CONSTANT, "")} @constant)`,
  `(program ${declared(LET, "")} @variable)`,
  `(program ${declared("variable_declaration", "")} @variable)`,
  `${declared(CONSTANT, EXPORTED)} @constant`,
  `${declared(LET, EXPORTED)} @variable`,
  `${declared("variable_declaration", EXPORTED)} @variable`,
  `(lexical_declaration (variable_declarator name: (object_pattern
     [(shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)])) ${EXPORTED}) @constant`,

  unnamed("class", "(class !name)"),
  unnamed("function", "[(function_expression !name) (generator_function !name) (arrow_function)]"),
  unnamed("constant", "[(object) (array) (call_expression) (new_expression) (as_expression) (satisfies_expression)]"),
  `(export_statement "default" value: (class name: (_) @name)) @class`,
  `(export_statement "default" value: (function_expression name: (_) @name)) @function`,

  assigned("method", CALLABLE),
  assigned("class", "(class)"),
  assigned("property", "(_)"),
].join("\n");

const NAME = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
const TARGET = new RegExp(String.raw`^(?<object>.*)\.\s*(?<name>${NAME})$`, "su");
const IDENTIFIER = new RegExp(`^${NAME}$`, "u");

/** What `a.b = …` defines: an export, a method of `a`, or of the object that has `a` as its prototype. */
function assignedTo(target: string, kind: FoundDefinition["kind"]): Assigned | null {
  const { object = "", name } = TARGET.exec(target)?.groups ?? {};
  if (name === undefined) return null;
  if (/^(?:module\s*\.\s*)?exports$/.test(object))
    return { kind: kind === "method" ? "function" : kind, name, owner: null };
  if (kind === "property") return null;
  const owner = object.endsWith(".prototype") ? object.slice(0, -".prototype".length) : null;
  if (owner !== null) return kind === "method" ? { kind, name, owner } : null;
  if (IDENTIFIER.test(object) && object !== "this" && object !== "super") return { kind, name, owner: object };
  return kind === "method" ? { kind, name, owner: null } : null;
}

/** The grammars differ in `<`: a type assertion in one, JSX in the other. */
const TYPESCRIPT: Grammar = { name: "typescript", patterns: PATTERNS, assignedTo };
/** JavaScript uses it too, so that files with Flow types or TypeScript syntax parse. */
const TSX: Grammar = { name: "tsx", patterns: PATTERNS, assignedTo };

const IMPORTS = { scanImports: scanEcmascript, resolveImport: resolveEcmascript };

export const ECMASCRIPT: readonly Language[] = [
  { names: ["javascript"], grammar: () => TSX, ...IMPORTS },
  { names: ["typescript"], grammar: (path) => (/\.tsx$/i.test(path) ? TSX : TYPESCRIPT), ...IMPORTS },
];
