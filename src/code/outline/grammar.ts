import { fileURLToPath } from "node:url";
import type { Query, QueryMatch } from "web-tree-sitter";
import type { Found } from "./found.ts";
import type { SymbolKind } from "../code-index.ts";

/** Names of the grammars that `@vscode/tree-sitter-wasm` carries and Relay uses. */
export type GrammarName =
  | "bash"
  | "c-sharp"
  | "cpp"
  | "css"
  | "go"
  | "ini"
  | "java"
  | "php"
  | "powershell"
  | "python"
  | "ruby"
  | "rust"
  | "tsx"
  | "typescript";

/**
 * What a language defines and where the name stands, as tree-sitter patterns. Captures:
 * a kind of symbol or `scope` (the whole definition), `name`, `owner` (see `Found`), `part` (the piece of a group
 * of definitions that is this one's alone), `lead` (an attribute that belongs to the definition after it),
 * `again` (code that the grammar does not look into). `#set! name` names what has none; `#set! outside` leaves out
 * what stands in a function.
 * Where two patterns name the same thing, the earlier gives the kind and the wider the range.
 */
export interface Language {
  grammar: GrammarName;
  patterns: string;
}

/** What a grammar made of a text. */
interface Reading {
  found: Found[];
  leads: Span[];
  again: Span[];
}

export interface Span {
  from: number;
  to: number;
}

/** Patterns that may be half matched at one time. */
const MOST_PENDING = 4_096;

/** Pieces side by side in a text that is no code; searching among them takes the square of their number. */
const MOST_BROKEN = 20_000;

/** A grammar and the patterns of one language. */
export interface Grammar {
  /** `null` when it became late before the text was read. */
  read(text: string, late: () => boolean): Reading | null;
}

const loaded = new Map<Language, Promise<Grammar>>();

/** The grammar of a language, loaded once for each process and kept. */
export function grammarOf(language: Language): Promise<Grammar> {
  let grammar = loaded.get(language);
  if (!grammar) {
    grammar = load(language);
    loaded.set(language, grammar);
  }
  return grammar;
}

async function load({ grammar, patterns }: Language): Promise<Grammar> {
  const sitter = await import("web-tree-sitter");
  await sitter.Parser.init();
  const file = import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);
  const language = await sitter.Language.load(fileURLToPath(file));
  const query = new sitter.Query(language, patterns);
  const parser = new sitter.Parser();
  parser.setLanguage(language);
  return {
    read: (text, late) => {
      // To the parser a NUL is the end of the text.
      const tree = parser.parse(text.replaceAll("\0", " "), null, { progressCallback: late });
      if (!tree) {
        parser.reset();
        return null;
      }
      try {
        const root = tree.rootNode;
        if (root.hasError && root.childCount > MOST_BROKEN) return null;
        const matches = query.matches(root, { matchLimit: MOST_PENDING, progressCallback: late });
        return late() ? null : readingOf(text, query, matches);
      } finally {
        tree.delete();
      }
    },
  };
}

interface Candidate extends Found {
  pattern: number;
  part: Span | null;
}

function readingOf(text: string, query: Query, matches: readonly QueryMatch[]): Reading {
  const leads: Span[] = [];
  const again: Span[] = [];
  const byName = new Map<string, Candidate>();
  for (const match of matches) {
    const candidate = candidateOf(text, query, match, leads, again);
    if (!candidate) continue;
    const { key, ...one } = candidate;
    const known = byName.get(key);
    byName.set(key, known ? merged(known, one) : one);
  }
  return { found: apart([...byName.values()]), leads, again };
}

function candidateOf(text: string, query: Query, match: QueryMatch, leads: Span[], again: Span[]) {
  const set = query.setProperties[match.patternIndex]?.["name"];
  let name = set ?? null;
  let key: string | null = null;
  let whole: { kind: Found["kind"]; span: Span } | null = null;
  let part: Span | null = null;
  let owner: string | null = null;
  for (const capture of match.captures) {
    const span = { from: capture.node.startIndex, to: capture.node.endIndex };
    const kind = kindNamed(capture.name);
    if (kind) {
      whole = { kind, span };
      key ??= `whole ${span.from} ${span.to}`;
    } else if (capture.name === "name") {
      name = unquoted(text.slice(span.from, span.to));
      key = `name ${span.from}`;
    } else if (capture.name === "part") part = span;
    else if (capture.name === "owner") owner = text.slice(span.from, span.to);
    else if (capture.name === "lead") leads.push(span);
    else if (capture.name === "again") again.push(span);
  }
  if (!whole || name === null || key === null) return null;
  const outside = query.setProperties[match.patternIndex]?.["outside"] !== undefined;
  return { key, outside, name, kind: whole.kind, ...whole.span, owner, part, pattern: match.patternIndex };
}

/** Without quotes, or the colon of a Ruby symbol. */
function unquoted(name: string): string {
  if (/^:\w/.test(name)) return name.slice(1);
  return /^(["'`]).*\1$/s.test(name) ? name.slice(1, -1) : name;
}

function merged(one: Candidate, other: Candidate): Candidate {
  const [first, second] = one.pattern <= other.pattern ? [one, other] : [other, one];
  return {
    ...first,
    from: Math.min(one.from, other.from),
    to: Math.max(one.to, other.to),
    part: first.part ?? second.part,
  };
}

/** Where several definitions share one statement, each keeps only its own part of it. */
function apart(candidates: readonly Candidate[]): Found[] {
  const shared = new Map<string, number>();
  for (const one of candidates) {
    if (one.part) shared.set(keyOf(one), (shared.get(keyOf(one)) ?? 0) + 1);
  }
  return candidates.map((one) => {
    const { from, to } = one.part && (shared.get(keyOf(one)) ?? 0) > 1 ? one.part : one;
    return { name: one.name, kind: one.kind, from, to, owner: one.owner, outside: one.outside ?? false };
  });
}

function keyOf({ from, to }: Span): string {
  return `${from} ${to}`;
}

const KINDS: Record<SymbolKind | "scope", true> = {
  function: true,
  method: true,
  constructor: true,
  class: true,
  interface: true,
  struct: true,
  enum: true,
  trait: true,
  type: true,
  module: true,
  property: true,
  constant: true,
  variable: true,
  macro: true,
  table: true,
  rule: true,
  element: true,
  heading: true,
  scope: true,
};

/** The kind of that name, if there is one. */
function kindNamed(name: string): Found["kind"] | null {
  return isKind(name) ? name : null;
}

function isKind(name: string): name is Found["kind"] {
  return Object.hasOwn(KINDS, name);
}
