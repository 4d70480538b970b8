import type { Language } from "../grammar.ts";

const DECLARED = "(variable_declaration (variable_declarator name: (_) @name) @part)";

export const CSHARP: Language = {
  grammar: "c-sharp",
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
