import type { Language } from "../grammar.ts";
import { within } from "./within.ts";

const DECORATED = ["(decorated_definition #)"];
const FUNCTION = "(function_definition name: (_) @name)";
const ASSIGNMENT = "(expression_statement (assignment left: (identifier) @name))";

export const PYTHON: Language = {
  grammar: "python",
  patterns: [
    `(class_definition body: (block (function_definition name: (_) @name (#eq? @name "__init__")) @constructor))`,
    `(class_definition body: (block ${FUNCTION} @method))`,
    `(class_definition body: (block (decorated_definition ${FUNCTION}) @method))`,
    within("function", FUNCTION, DECORATED),
    within("class", "(class_definition name: (_) @name)", DECORATED),
    `(class_definition body: (block ${ASSIGNMENT} @property))`,
    `(module (expression_statement (assignment left: (identifier) @name (#match? @name "^_*[A-Z][A-Z0-9_]*$"))) @constant)`,
    `(module ${ASSIGNMENT} @variable)`,
    "(module (type_alias_statement left: (type (_) @name)) @type)",
  ].join("\n"),
};
