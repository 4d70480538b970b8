import type { FoundDefinition } from "../languages/language.ts";

interface Definition {
  name: string;
  kind: string;
}

const NAME = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
const MODIFIERS = String.raw`(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|open|sealed|data|inline|virtual|readonly|declare|unsafe|extern|pub(?:\([a-z: ]+\))?|const|suspend|local)\s+){0,6}`;
const KEYWORD = new RegExp(
  `^\\s*${MODIFIERS}(function\\*?|class|def|fn|func|fun|sub|interface|struct|enum|union|trait|impl|module|namespace|object|record|protocol|mod|type|macro_rules!|procedure)\\s+(?:<[^<>]{0,80}>\\s*)?(?:\\([^()]{0,80}\\)\\s*)?(?:self\\.)?(${NAME})`,
  "u",
);
const VALUE = new RegExp(
  `^\\s*${MODIFIERS}(?:const|let|var|val|static)\\s+(?:mut\\s+)?(${NAME})\\s*(?::[^=]{0,200})?(=|:=|$)`,
  "u",
);
const ASSIGNED = new RegExp(
  `^\\s*(?:${NAME}\\.){0,5}(${NAME})\\s*[:=]\\s*(?:async\\s*)?(?:function\\b|\\([^()]{0,200}\\)\\s*(?::[^=]{0,80})?=>|${NAME}\\s*=>|class\\b)`,
  "u",
);
const METHOD = new RegExp(
  `^\\s*${MODIFIERS}(?:(?:get|set)\\s+)?((?:[\\p{L}\\p{N}_$<>,.?*&:[\\]]+\\s+[*&]{0,2}){0,4})#?(?:${NAME}::)?(${NAME})\\s*(?:<[^<>()]{0,80}>)?\\(([^;]*)$`,
  "u",
);
const CONSTANT = new RegExp(`^(${NAME})\\s*(?::[^=]{0,80})?=[^=]`, "u");
const NOT_A_NAME = new Set(
  "if for while switch catch return else throw new await yield do try with when match case not and or in of is as elif except assert del print typeof delete super this self function super require import".split(
    " ",
  ),
);
const LONGEST = 400;

/** The definition on a line; `null` when the line does not look like one. */
export function definitionOn(line: string): Definition | null {
  if (line.length > LONGEST || /^\s*(?:\/\/|#(?!\w)|\*|\/\*|--|"""|'''|<!--)/.test(line)) return null;
  const keyword = KEYWORD.exec(line);
  if (keyword?.[1] && keyword[2]) return { name: keyword[2], kind: kindOf(keyword[1]) };
  const assigned = ASSIGNED.exec(line);
  if (assigned?.[1] && !NOT_A_NAME.has(assigned[1])) return { name: assigned[1], kind: "function" };
  const value = VALUE.exec(line);
  if (value?.[1]) {
    const callable = /=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\p{L}_$][\w$]*\s*=>)/u.test(line);
    return { name: value[1], kind: callable ? "function" : "value" };
  }
  const method = METHOD.exec(line);
  if (method?.[2] && !NOT_A_NAME.has(method[2]) && looksLikeSignature(line, method[1] ?? "")) {
    return { name: method[2], kind: "function" };
  }
  const constant = CONSTANT.exec(line);
  return constant?.[1] ? { name: constant[1], kind: "value" } : null;
}

/** Distinguishes a signature from a call: it opens a block, or a type precedes its name. */
function looksLikeSignature(line: string, before: string): boolean {
  const first = before.trim().split(/\s+/)[0] ?? "";
  if (NOT_A_NAME.has(first)) return false;
  const opens = /(?:\{|\)\s*(?:throws\s+[\w, .]+)?|\()\s*$/.test(line) && !/=>\s*\{\s*$|[=.]\s*[\w$]+\(/.test(line);
  if (!opens) return false;
  return before.trim() === "" ? /\)\s*(?::[^{]+)?\{\s*$/.test(line) && !/\b(?:function|=>)/.test(line) : true;
}

function kindOf(keyword: string): string {
  switch (keyword) {
    case "def":
    case "fn":
    case "func":
    case "fun":
    case "sub":
    case "procedure":
    case "function":
    case "function*":
      return "function";
    case "mod":
    case "namespace":
      return "module";
    case "macro_rules!":
      return "macro";
    default:
      return keyword;
  }
}

/** The indentation of a line; a tab counts as four. */
export function indentOf(line: string): number {
  let width = 0;
  for (const character of line) {
    if (character === " ") width += 1;
    else if (character === "\t") width += 4;
    else break;
  }
  return width;
}

/** UTF-16 units of a text that are read. */
const LONGEST_READ = 16 * 1_048_576;
/** Definitions of one text; later ones are left out. */
const MOST_FOUND = 10_000;
/** Languages without definitions, or without ones that show in a single line. */
const WITHOUT = new Set(["json", "yaml", "toml", "xml", "ini", "text", "template", "markdown", "html", "css"]);

interface OpenDefinition {
  found: FoundDefinition;
  indent: number;
  /** A function, whose local variables are no symbols. */
  callable: boolean;
  container: boolean;
}

/**
 * Definitions recognized line by line, for languages without a grammar and texts that a grammar cannot parse. A
 * definition ends before the next line of the same or less indentation, but includes a closing bracket or `end`.
 */
export function foundByLines(language: string, text: string): FoundDefinition[] {
  if (WITHOUT.has(language)) return [];
  const found: FoundDefinition[] = [];
  const open: OpenDefinition[] = [];
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

/** Closes the definitions that a line of this indentation ends. A closing line still belongs to its definition. */
function leave(open: OpenDefinition[], indent: number, closing: boolean, lastEnd: number): void {
  for (let last = open.at(-1); last && indent <= last.indent; last = open.at(-1)) {
    if (closing && indent === last.indent) return;
    last.found.to = Math.max(last.found.to, lastEnd);
    open.pop();
  }
}

function definedOn(
  line: string,
  from: number,
  to: number,
  open: readonly OpenDefinition[],
): Omit<OpenDefinition, "indent"> | null {
  const definition = definitionOn(line);
  if (!definition) return null;
  const around = open.at(-1);
  const callable = definition.kind === "function";
  // Local variables are no symbols.
  if (definition.kind === "value" && open.some((one) => one.callable)) return null;
  const kind = symbolKindOf(definition.kind, line, around?.container ?? false);
  const container = !callable && definition.kind !== "value" && kind !== "macro" && kind !== "module";
  return { found: { name: definition.name, kind, from, to, owner: null }, callable, container };
}

function symbolKindOf(kind: string, line: string, inClass: boolean): FoundDefinition["kind"] {
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
