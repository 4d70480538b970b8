import type { Language } from "../grammar.ts";

export const JAVA: Language = {
  grammar: "java",
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
