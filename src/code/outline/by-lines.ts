import { definitionOn, indentOf } from "./line-definitions.ts";
import type { Found } from "./found.ts";

/** UTF-16 units of a text that are read. */
const LONGEST_READ = 16 * 1_048_576;
/** Definitions of one text that are kept. */
const MOST_FOUND = 10_000;
/** Languages in which nothing is defined, or not so that a line would tell. */
const WITHOUT = new Set(["json", "yaml", "toml", "xml", "ini", "text", "template", "markdown", "html", "css"]);

interface Open {
  found: Found;
  indent: number;
  /** Its signature has not ended yet: the next lines are still its own. */
  callable: boolean;
  container: boolean;
}

/**
 * Definitions by how their lines look, for languages without a grammar and for texts that one cannot read.
 * A definition lasts to the next line that is indented no more, and takes a closing bracket or `end` with it.
 */
export function foundByLines(language: string, text: string): Found[] {
  if (WITHOUT.has(language)) return [];
  const found: Found[] = [];
  const open: Open[] = [];
  const most = Math.min(text.length, LONGEST_READ);
  let lastEnd = 0;
  for (let start = 0; start < most && found.length < MOST_FOUND;) {
    const feed = text.indexOf("\n", start);
    const end = feed === -1 ? text.length : feed;
    const line = text.slice(start, Math.min(end, start + 1_000));
    if (line.trim() !== "") {
      const indent = indentOf(line);
      leave(open, indent, /^\s*(?:[)\]}]|\{\s*$|end\b|fi\b|done\b|esac\b)/.test(line), lastEnd);
      const one = definedOn(line, start + line.length - line.trimStart().length, end, open);
      if (one) {
        found.push(one.found);
        open.push({ ...one, indent });
      }
      lastEnd = end;
    }
    start = end + 1;
  }
  leave(open, -1, false, lastEnd);
  return found;
}

/** Ends what a line of that indent no longer belongs to. A closing line ends the definition at its own indent later. */
function leave(open: Open[], indent: number, closing: boolean, lastEnd: number): void {
  for (let last = open.at(-1); last && indent <= last.indent; last = open.at(-1)) {
    if (closing && indent === last.indent) return;
    last.found.to = Math.max(last.found.to, lastEnd);
    open.pop();
  }
}

function definedOn(line: string, from: number, to: number, open: readonly Open[]): Omit<Open, "indent"> | null {
  const definition = definitionOn(line);
  if (!definition) return null;
  const around = open.at(-1);
  const callable = definition.kind === "function";
  // A local variable is no symbol.
  if (definition.kind === "value" && open.some((one) => one.callable)) return null;
  const kind = kindOf(definition.kind, line, around?.container ?? false);
  const container = !callable && definition.kind !== "value" && kind !== "macro" && kind !== "module";
  return { found: { name: definition.name, kind, from, to, owner: null }, callable, container };
}

function kindOf(kind: string, line: string, inClass: boolean): Found["kind"] {
  switch (kind) {
    case "function":
      return inClass ? "method" : "function";
    case "interface":
    case "protocol":
      return "interface";
    case "struct":
    case "union":
      return "struct";
    case "impl":
      return "scope";
    case "enum":
    case "trait":
    case "type":
    case "module":
    case "macro":
      return kind;
    case "value":
      if (inClass) return "property";
      return /^\s*(?:[a-z]+\s+){0,4}(?:const|val|final|let)\s|^\s*[A-Z][A-Z0-9_]*\b/.test(line)
        ? "constant"
        : "variable";
    default:
      return "class";
  }
}
