import type { Language } from "../grammar.ts";

export const GO: Language = {
  grammar: "go",
  patterns: [
    "(function_declaration name: (_) @name) @function",
    "(method_declaration receiver: (parameter_list (parameter_declaration type: (type_identifier) @owner)) name: (_) @name) @method",
    "(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (type_identifier) @owner))) name: (_) @name) @method",
    "(method_declaration receiver: (parameter_list (parameter_declaration type: (generic_type type: (_) @owner))) name: (_) @name) @method",
    "(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (generic_type type: (_) @owner)))) name: (_) @name) @method",
    "(method_declaration name: (_) @name) @method",
    "(type_declaration (type_spec name: (_) @name type: (struct_type)) @part) @struct",
    "(type_declaration (type_spec name: (_) @name type: (interface_type)) @part) @interface",
    "(type_declaration (_ name: (_) @name) @part) @type",
    "(field_declaration name: (_) @name) @property",
    "(method_elem name: (_) @name) @method",
    "(source_file (const_declaration (const_spec name: (identifier) @name) @part) @constant)",
    "(source_file (var_declaration (var_spec name: (_) @name) @part) @variable)",
    "(source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @part)) @variable)",
  ].join("\n"),
};
