import type { Grammar, Language } from "./language.ts";

const GRAMMAR: Grammar = { name: "ini", patterns: "(section (section_name (text) @name)) @module" };

export const INI: Language = { names: ["ini"], grammar: () => GRAMMAR };
