import type { Node } from "web-tree-sitter";
import type { SymbolKind } from "../code-index.ts";
import type { FoundDefinition, Grammar } from "../languages/language.ts";
import { type Match, Patterns } from "./patterns.ts";
import { deadline, isGrammarCrash, isParsable, loadedGrammar, parsed } from "./parser.ts";

/**
 * Milliseconds to parse a text, including the code in its macros, and to walk the tree. Real files of 1 MiB take 250;
 * only hostile ones, such as half a million unclosed brackets, take more than linear time.
 */
const LONGEST_READING = 3_000;
/** Nesting depth of macros whose code is parsed. */
const DEEPEST = 3;
/** Macro bodies of one file that are parsed. */
const MOST_AGAIN = 500;

/**
 * The definitions that a grammar finds in a text, even one with syntax errors; `null` when the text is too long, takes
 * too long, or crashes the grammar. A crash is confined to the WebAssembly module.
 */
export async function foundByGrammar(grammar: Grammar, text: string): Promise<FoundDefinition[] | null> {
  if (!isParsable(text)) return null;
  const reader = await readerOf(grammar);
  try {
    return foundIn(reader, text, deadline(LONGEST_READING));
  } catch (error) {
    if (isGrammarCrash(error)) return null;
    throw error;
  }
}

function foundIn(reader: GrammarReader, text: string, late: () => boolean): FoundDefinition[] | null {
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
      // Without the surrounding brackets.
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

/** Extends each definition to the attributes before it. */
function led(text: string, found: readonly FoundDefinition[], leads: readonly Span[]): FoundDefinition[] {
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

/** The result of parsing and querying one text. */
interface ParseResult {
  found: FoundDefinition[];
  leads: Span[];
  again: Span[];
}

interface Span {
  from: number;
  to: number;
}

/** With more siblings, a text is probably no code: its lines say more than its tree. */
const MOST_BROKEN = 20_000;

/** Reads texts of one language. */
interface GrammarReader {
  /** `null` on timeout. */
  read(text: string, late: () => boolean): ParseResult | null;
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

async function load({ name, patterns: written, assignedTo }: Grammar): Promise<GrammarReader> {
  const { language, parser } = await loadedGrammar(name);
  const patterns = new Patterns(written, language);
  return {
    read: (text, late) => {
      const tree = parsed(parser, text, late);
      if (!tree) return null;
      try {
        const root = tree.rootNode;
        if (root.hasError && root.childCount > MOST_BROKEN) return null;
        const matches = patterns.matches(root, text, late);
        return matches && parseResultOf(text, assignedTo, matches);
      } finally {
        tree.delete();
      }
    },
  };
}

interface Candidate extends FoundDefinition {
  pattern: number;
  part: Span | null;
}

function parseResultOf(text: string, assignedTo: Grammar["assignedTo"], matches: readonly Match[]): ParseResult {
  const beside: Beside = { leads: [], again: [], wrappers: wrappersIn(matches) };
  const byName = new Map<string, Candidate>();
  for (const match of matches) {
    const candidate = candidateOf(text, assignedTo, match, beside);
    if (!candidate) continue;
    const { key, ...one } = candidate;
    const known = byName.get(key);
    byName.set(key, known ? merged(known, one) : one);
  }
  return { found: apart([...byName.values()]), leads: beside.leads, again: beside.again };
}

/** Other captures than definitions; `wrappers` by the node that they wrap. */
interface Beside {
  leads: Span[];
  again: Span[];
  wrappers: ReadonlyMap<string, Span>;
}

function wrappersIn(matches: readonly Match[]): Map<string, Span> {
  const wrappers = new Map<string, Span>();
  for (const { captures } of matches) {
    const wrapper = captures.find(({ name }) => name === "wrapper");
    const wrapped = captures.find(({ name }) => name === "wrapped");
    if (!wrapper || !wrapped) continue;
    const [outer, inner] = [spanOf(wrapper), spanOf(wrapped)];
    // In broken code a wrapper may be no larger than the node in it.
    if (keyOf(outer) !== keyOf(inner)) wrappers.set(keyOf(inner), outer);
  }
  return wrappers;
}

function candidateOf(text: string, assignedTo: Grammar["assignedTo"], match: Match, beside: Beside) {
  const { properties, pattern } = match;
  let name = properties.get("name") ?? null;
  let key: string | null = null;
  let whole: { kind: FoundDefinition["kind"]; span: Span } | null = null;
  let part: Span | null = null;
  let owner: string | null = null;
  let target: Span | null = null;
  for (const capture of match.captures) {
    const span = spanOf(capture);
    const kind = kindNamed(capture.name);
    if (kind) {
      whole = { kind, span };
      key ??= `whole ${span.from} ${span.to}`;
    } else if (capture.name === "name") {
      name = unquoted(text.slice(span.from, span.to));
      key = `name ${span.from}`;
    } else if (capture.name === "target") {
      target = span;
      key = `name ${span.from}`;
    } else if (capture.name === "part") part = span;
    else if (capture.name === "owner") owner = text.slice(span.from, span.to);
    else if (capture.name === "lead") beside.leads.push(span);
    else if (capture.name === "again") beside.again.push(span);
  }
  if (!whole || key === null) return null;
  let { kind } = whole;
  if (target !== null) {
    const assigned = assignedTo?.(text.slice(target.from, target.to), kind);
    if (!assigned) return null;
    ({ kind, name, owner } = assigned);
  }
  const span = outermost(whole.span, beside.wrappers);
  if (name === null || (properties.has("wrapped") && span === whole.span)) return null;
  const outside = properties.has("outside");
  return { key, outside, name, kind, ...span, owner, part, pattern };
}

function outermost(span: Span, wrappers: ReadonlyMap<string, Span>): Span {
  let widest = span;
  for (let next = wrappers.get(keyOf(span)); next !== undefined; next = wrappers.get(keyOf(next))) widest = next;
  return widest;
}

function spanOf({ node }: { node: Node }): Span {
  return { from: node.startIndex, to: node.endIndex };
}

/** Strips quotes, or the colon of a Ruby symbol. */
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

/** Where several definitions share one statement, limits each to its own part. */
function apart(candidates: readonly Candidate[]): FoundDefinition[] {
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
function kindNamed(name: string): FoundDefinition["kind"] | null {
  return isKind(name) ? name : null;
}

function isKind(name: string): name is FoundDefinition["kind"] {
  return Object.hasOwn(KINDS, name);
}
