import type { Language } from "../grammar.ts";

const MACRO = "(macro_invocation (token_tree) @again)";

export const RUST: Language = {
  grammar: "rust",
  patterns: [
    "(attribute_item) @lead",
    "(impl_item type: (type_identifier) @name) @scope",
    "(impl_item type: (generic_type type: (type_identifier) @name)) @scope",
    "(impl_item type: (generic_type type: (scoped_type_identifier name: (_) @name))) @scope",
    "(impl_item type: (scoped_type_identifier name: (_) @name)) @scope",
    "(impl_item type: (reference_type (type_identifier) @name)) @scope",
    "(impl_item body: (declaration_list (function_item name: (_) @name) @method))",
    "(trait_item body: (declaration_list [(function_item name: (_) @name) (function_signature_item name: (_) @name)] @method))",
    "(function_item name: (_) @name) @function",
    "(function_signature_item name: (_) @name) @function",
    "(struct_item name: (_) @name) @struct",
    "(union_item name: (_) @name) @struct",
    "(enum_item name: (_) @name) @enum",
    "(trait_item name: (_) @name) @trait",
    "(type_item name: (_) @name) @type",
    "(associated_type name: (_) @name) @type",
    "(mod_item name: (_) @name) @module",
    "(const_item name: (_) @name) @constant",
    "(static_item name: (_) @name) @variable",
    "(macro_definition name: (_) @name) @macro",
    "(field_declaration name: (_) @name) @property",
    "(macro_rule right: (token_tree) @again)",
    `(source_file ${MACRO})`,
    `(source_file (expression_statement ${MACRO}))`,
    `(declaration_list ${MACRO})`,
  ].join("\n"),
};
