import type { Language } from "../grammar.ts";

export const PHP: Language = {
  grammar: "php",
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
