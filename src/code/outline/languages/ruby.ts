import type { Language } from "../grammar.ts";

export const RUBY: Language = {
  grammar: "ruby",
  patterns: [
    "(module name: (_) @name) @module",
    "(class name: (_) @name) @class",
    `(class body: (body_statement (method name: (_) @name (#eq? @name "initialize")) @constructor))`,
    "(class body: (body_statement (method name: (_) @name) @method))",
    "(module body: (body_statement (method name: (_) @name) @method))",
    "(singleton_class body: (body_statement (method name: (_) @name) @method))",
    "(singleton_method name: (_) @name) @method",
    "(method name: (_) @name) @function",
    "(program (assignment left: (constant) @name) @constant)",
    "(body_statement (assignment left: (constant) @name) @constant)",
    `(body_statement (call method: (identifier) @_attribute arguments: (argument_list (simple_symbol) @name) (#match? @_attribute "^attr_(accessor|reader|writer)$")) @property)`,
    `(call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name) (#match? @_define "^(define_method|scope)$")) @method`,
    `(call method: (identifier) @_task arguments: (argument_list . [(simple_symbol) @name (pair key: (hash_key_symbol) @name)]) (#eq? @_task "task")) @function`,
  ].join("\n"),
};
