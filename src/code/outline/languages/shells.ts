import type { Language } from "../grammar.ts";

export const SHELL: Language = {
  grammar: "bash",
  patterns: [
    "(function_definition name: (_) @name) @function",
    `(program (declaration_command "readonly" (variable_assignment name: (_) @name)) @constant)`,
    "(program (declaration_command (variable_assignment name: (_) @name)) @variable)",
    "(program (variable_assignment name: (variable_name) @name) @variable)",
  ].join("\n"),
};

export const POWERSHELL: Language = {
  grammar: "powershell",
  patterns: [
    "(function_statement (function_name) @name) @function",
    "(class_statement . (simple_name) @name) @class",
    "(enum_statement . (simple_name) @name) @enum",
    "(class_method_definition (simple_name) @name) @method",
    "(class_property_definition (variable) @name) @property",
  ].join("\n"),
};
