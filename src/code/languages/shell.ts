import { scanLines } from "../imports/line-form.ts";
import { foldersAround, joined } from "../imports/known-paths.ts";
import type { Tree } from "../imports/tree.ts";
import type { Grammar, Language } from "./language.ts";

const GRAMMAR: Grammar = {
  name: "bash",
  patterns: [
    "(function_definition name: (_) @name) @function",
    `(program (declaration_command "readonly" (variable_assignment name: (_) @name)) @constant)`,
    "(program (declaration_command (variable_assignment name: (_) @name)) @variable)",
    "(program (variable_assignment name: (variable_name) @name) @variable)",
  ].join("\n"),
};

export const SHELL: Language = {
  names: ["shell"],
  grammar: () => GRAMMAR,
  scanImports: scanLines({
    pattern: /(?:^|[;&|]|\bthen\b)[ \t]*(?:source|\.)[ \t]+(?<name>[^\n;&|#]{1,300})/gm,
    names: (written) => [sourced(written)],
  }),
  resolveImport: resolveShell,
};

/** The sourced path; after a variable, only the part behind its folder. */
function sourced(written: string): string {
  const variable = written.lastIndexOf("$");
  const slash = variable === -1 ? -1 : written.indexOf("/", variable);
  if (variable !== -1 && slash === -1) return "";
  const path = written
    .slice(slash + 1)
    .replace(/["']/g, "")
    .trim();
  return path.split(/\s/, 1)[0] ?? "";
}

/** Relative to the file or a surrounding folder, else the nearest path that ends in it, when it names a folder. */
function resolveShell(tree: Tree, from: string, specifier: string): string[] {
  if (specifier.startsWith("/") || specifier.startsWith("~")) return [];
  for (const folder of foldersAround(from)) {
    const found = tree.paths.only(joined(folder, specifier));
    if (found.length > 0) return found;
  }
  const suffix = specifier.replace(/^(?:\.{1,2}\/)+/, "");
  return suffix.includes("/") ? tree.paths.endingIn(suffix, from).slice(0, 1) : [];
}

const POWERSHELL_GRAMMAR: Grammar = {
  name: "powershell",
  patterns: [
    "(function_statement (function_name) @name) @function",
    "(class_statement . (simple_name) @name) @class",
    "(enum_statement . (simple_name) @name) @enum",
    "(class_method_definition (simple_name) @name) @method",
    "(class_property_definition (variable) @name) @property",
  ].join("\n"),
};

export const POWERSHELL: Language = { names: ["powershell"], grammar: () => POWERSHELL_GRAMMAR };
