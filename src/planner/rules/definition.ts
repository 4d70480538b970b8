import { eachDefinition } from "../../code/index/definitions.ts";
import type { Located, Reason, RelevantLine } from "../../code/search/rank-files.ts";

const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?![\w[])|--\s|"""|<!--)/;

/** A symbol that the report mentions, and what of it the first of the lines shows. */
interface Mentioned {
  reason: Extract<Reason, { kind: "defines" }>;
  /** `definition`: the line that defines it; `part`: a line within it. */
  shows: "definition" | "part";
  /** The lines to cite, the best first. */
  spots: readonly RelevantLine[];
}

/**
 * The first symbol that the report mentions and the file defines, letter by letter. Unless the best line is code within
 * the symbol, the line that defines it comes first: it alone proves the definition.
 */
export function mentionedSymbol(
  { reasons, symbols }: Pick<Located, "reasons" | "symbols">,
  spots: readonly RelevantLine[],
  { text, report }: { text: string; report: string },
): Mentioned | null {
  const lines = text.split("\n");
  const defined = definedIn(text);
  const mentioned = new Set(report.match(/[\p{L}\p{N}_$]+/gu));
  const reason = reasons.find(
    (one): one is Mentioned["reason"] => one.kind === "defines" && defined.has(one.symbol) && mentioned.has(one.symbol),
  );
  const at = reason && (defined.get(reason.symbol) ?? []);
  if (reason === undefined || at === undefined) return null;
  const isPart = (line: number) =>
    !COMMENT.test(lines[line - 1] ?? "") &&
    symbols.some(({ name, start, end }) => name === reason.symbol && start <= line && line <= end);
  const spotAt = (line: number): RelevantLine => {
    const symbol = symbols.find(({ name }) => name === reason.symbol) ?? null;
    return { line, text: (lines[line - 1] ?? "").trim(), why: reason, symbol, part: null };
  };
  const [first] = spots;
  if (first !== undefined && at.includes(first.line)) return { reason, shows: "definition", spots };
  if (first !== undefined && isPart(first.line)) return { reason, shows: "part", spots };
  const own = at.find((line) => !COMMENT.test(lines[line - 1] ?? "")) ?? at[0] ?? 1;
  return { reason, shows: "definition", spots: [spotAt(own), ...spots] };
}

/** The lines on which a text defines each of its names. */
function definedIn(text: string): Map<string, number[]> {
  const bytes = Buffer.from(text);
  const found = new Map<string, number[]>();
  let line = 1;
  let at = 0;
  eachDefinition(bytes, (start, end) => {
    for (; at < start; at += 1) if (bytes[at] === 10) line += 1;
    const name = bytes.toString("utf8", start, end);
    found.set(name, [...(found.get(name) ?? []), line]);
  });
  return found;
}
