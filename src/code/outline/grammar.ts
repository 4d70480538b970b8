import { fileURLToPath } from "node:url";
import type { Query, QueryMatch } from "web-tree-sitter";
import type { SymbolKind } from "../code-index.ts";
import type { Found, Grammar } from "../languages/language.ts";

/** UTF-16 units of a text that a grammar reads. */
const LONGEST_PARSED = 1_048_576;
/** UTF-16 units of a line; a longer one is made by a machine. */
const LONGEST_LINE = 10_000;
/**
 * Milliseconds that parsing a text and searching its tree may take, with the code in its macros. Real files of 1 MiB take 250; only hostile ones,
 * such as half a million brackets that nothing closes, make a search slower than in proportion to their length.
 */
const LONGEST_READING = 1_500;
/** How deep code in macros in macros is looked into. */
const DEEPEST = 3;
/** Texts of one file that are parsed again. */
const MOST_AGAIN = 500;

/**
 * What a grammar finds in a text, also where it is partly wrong; `null` when the text is too long, took too
 * long, or made the grammar give up. A grammar's own code may give up on a strange text: that says nothing about the rest of the program.
 */
export async function foundByGrammar(grammar: Grammar, text: string): Promise<Found[] | null> {
  if (!isParsable(text)) return null;
  const reader = await readerOf(grammar);
  try {
    return foundIn(reader, text, deadline(LONGEST_READING));
  } catch (error) {
    if (error instanceof RangeError || (error instanceof Error && error.name === "RuntimeError")) return null;
    throw error;
  }
}

function foundIn(reader: GrammarReader, text: string, late: () => boolean): Found[] | null {
  const first = reader.read(text, late);
  if (!first) return null;
  const found = led(text, first.found, first.leads);
  let next = first.again;
  let left = MOST_AGAIN;
  for (let depth = 0; depth < DEEPEST && next.length > 0; depth += 1) {
    const deeper: Span[] = [];
    for (const { from, to } of next) {
      if (left === 0 || late()) return found;
      left -= 1;
      // Without the brackets around it.
      const inner = reader.read(text.slice(from + 1, to - 1), late);
      if (!inner) continue;
      const moved = inner.found.map((one) => ({ ...one, from: one.from + from + 1, to: one.to + from + 1 }));
      const leads = inner.leads.map((one) => ({ from: one.from + from + 1, to: one.to + from + 1 }));
      found.push(...led(text, moved, leads));
      deeper.push(...inner.again.map((one) => ({ from: one.from + from + 1, to: one.to + from + 1 })));
    }
    next = deeper;
  }
  return found;
}

/** Lets each definition begin with the attributes that stand before it. */
function led(text: string, found: readonly Found[], leads: readonly Span[]): Found[] {
  if (leads.length === 0) return [...found];
  const starts = new Map<number, number>();
  const space = /\s*/y;
  for (const lead of leads.toSorted((a, b) => a.from - b.from)) {
    space.lastIndex = lead.to;
    space.test(text);
    starts.set(space.lastIndex, starts.get(lead.from) ?? lead.from);
  }
  return found.map((one) => ({ ...one, from: starts.get(one.from) ?? one.from }));
}

function isParsable(text: string): boolean {
  if (text.length > LONGEST_PARSED) return false;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
    if (end - start > LONGEST_LINE) return false;
    start = end + 1;
  }
  return text.length - start <= LONGEST_LINE;
}

/** Answers `true`, which means stop, when so many milliseconds are over. */
function deadline(milliseconds: number): () => boolean {
  const end = performance.now() + milliseconds;
  return () => performance.now() > end;
}

/** What a grammar made of a text. */
interface Reading {
  found: Found[];
  leads: Span[];
  again: Span[];
}

interface Span {
  from: number;
  to: number;
}

/** Patterns that may be half matched at one time. */
const MOST_PENDING = 4_096;

/** Pieces side by side in a text that is no code; searching among them takes the square of their number. */
const MOST_BROKEN = 20_000;

/** Reads texts of one language. */
interface GrammarReader {
  /** `null` when it became late before the text was read. */
  read(text: string, late: () => boolean): Reading | null;
}

const loaded = new Map<Grammar, Promise<GrammarReader>>();

/** The reader of a grammar, loaded once for each process and kept. */
function readerOf(grammar: Grammar): Promise<GrammarReader> {
  let reader = loaded.get(grammar);
  if (!reader) {
    reader = load(grammar);
    loaded.set(grammar, reader);
  }
  return reader;
}

async function load({ name, patterns }: Grammar): Promise<GrammarReader> {
  const sitter = await import("web-tree-sitter");
  await sitter.Parser.init();
  const file = import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`);
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
