import type { Language } from "../grammar.ts";

export const CSS: Language = {
  grammar: "css",
  patterns: [
    "(rule_set (selectors) @name) @rule",
    "(keyframes_statement (keyframes_name) @name) @rule",
    "(at_rule (at_keyword) @name) @rule",
  ].join("\n"),
};

export const INI: Language = { grammar: "ini", patterns: "(section (section_name (text) @name)) @module" };
