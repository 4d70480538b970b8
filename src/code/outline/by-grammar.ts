import type { Found } from "./found.ts";
import { type Grammar, grammarOf, type Language, type Span } from "./grammar.ts";

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
export async function foundByGrammar(language: Language, text: string): Promise<Found[] | null> {
  if (!isParsable(text)) return null;
  const grammar = await grammarOf(language);
  try {
    return foundIn(grammar, text, deadline(LONGEST_READING));
  } catch (error) {
    if (error instanceof RangeError || (error instanceof Error && error.name === "RuntimeError")) return null;
    throw error;
  }
}

function foundIn(grammar: Grammar, text: string, late: () => boolean): Found[] | null {
  const first = grammar.read(text, late);
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
      const inner = grammar.read(text.slice(from + 1, to - 1), late);
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
