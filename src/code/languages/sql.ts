import type { FoundDefinition, Language } from "./language.ts";

/** UTF-16 units of a text that are read. */
const LONGEST_READ = 1_048_576;
const PART = String.raw`(?:[\p{L}_#@][\p{L}\p{N}_$#@]{0,199}|"[^"\n]{1,200}"|\x60[^\x60\n]{1,200}\x60|\[[^\]\n]{1,200}\])`;
const HEADER = new RegExp(
  String.raw`create\s+(?:or\s+(?:replace|alter)\s+)?(?:(?:global|local|temp|temporary|unlogged|external|foreign|virtual|unique|fulltext|spatial|clustered|nonclustered|materialized|recursive|constraint|aggregate)\s+){0,4}(table|view|function|procedure|proc|index|trigger|type|schema|sequence)\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?((?:${PART}\s{0,3}\.\s{0,3}){0,3})(${PART})`,
  "iuy",
);
const TOKEN = /--|\/\*|['"`;]|\$(?:[A-Za-z_]\w{0,60})?\$|[A-Za-z_]\w*/g;

const KINDS: Record<string, FoundDefinition["kind"]> = {
  table: "table",
  view: "table",
  function: "function",
  procedure: "function",
  proc: "function",
  trigger: "function",
  index: "property",
  sequence: "property",
  type: "type",
  schema: "module",
};

export const SQL: Language = { names: ["sql"], definitions: createdBy };

/** Objects that a script creates, each up to the semicolon of its statement. */
function createdBy(text: string): FoundDefinition[] {
  const read = text.slice(0, LONGEST_READ);
  const token = new RegExp(TOKEN);
  const found: FoundDefinition[] = [];
  let open: FoundDefinition | null = null;
  let blocks = 0;
  let before = "";
  const end = (to: number): void => {
    if (open) found.push({ ...open, to });
    open = null;
    blocks = 0;
  };
  for (let match = token.exec(read); match; match = token.exec(read)) {
    const word = match[0].toLowerCase();
    const skipped = pastQuoted(read, match[0], token.lastIndex);
    if (skipped !== null) token.lastIndex = skipped;
    else if (word === ";") {
      if (blocks === 0) end(match.index + 1);
    } else if (word === "create" && blocks === 0) {
      const created = createdAt(read, match.index);
      if (created) {
        end(match.index);
        open = created.found;
        token.lastIndex = created.to;
      }
    } else if (word === "go" && isAlone(read, match.index)) end(match.index);
    else if (open) blocks = Math.max(0, blocks + change(word, before, open));
    before = word;
  }
  end(read.length);
  return found;
}

/** How a keyword changes the block depth, which only routines have. `END IF` and `END LOOP` close no block. */
function change(word: string, before: string, { kind }: FoundDefinition): number {
  if (kind !== "function") return 0;
  if (before === "end" && /^(?:if|loop|while|repeat|for|case)$/.test(word)) return word === "case" ? 0 : 1;
  if (word === "begin" || word === "case") return 1;
  return word === "end" ? -1 : 0;
}

function createdAt(text: string, at: number): { found: FoundDefinition; to: number } | null {
  HEADER.lastIndex = at;
  const match = HEADER.exec(text);
  const kind = KINDS[match?.[1]?.toLowerCase() ?? ""];
  const name = match?.[3];
  if (!kind || name === undefined) return null;
  return {
    found: { name: name.replaceAll(/["`[\]]/g, ""), kind, from: at, to: at, owner: null },
    to: HEADER.lastIndex,
  };
}

/** The end of the comment, string or quoted name that a token begins; `null` if it begins none. */
function pastQuoted(text: string, token: string, at: number): number | null {
  const closing = token === "--" ? "\n" : token === "/*" ? "*/" : /^['"`$]/.test(token) ? token : null;
  if (closing === null) return null;
  const end = text.indexOf(closing, at);
  return end === -1 ? text.length : end + closing.length;
}

function isAlone(text: string, at: number): boolean {
  return text.charAt(at - 1) === "\n" && /^(?:\r?\n|$)/.test(text.slice(at + 2, at + 4));
}
