import { linesOf } from "./blocks.ts";
import { linksIn, unlinked } from "./links.ts";
import { parseSpec } from "./parse.ts";

/** The document as its writer wrote it: without the section Evidence, and without links at citations (R-SPEC-17). */
export function withoutEvidence(markdown: string): string {
  const text = unlinked(markdown);
  const kept = linesOutside(text, evidenceLines(text));
  if (kept === null) return text === markdown ? markdown : `${text.trimEnd()}\n`;
  return `${kept.trimEnd()}\n`;
}

/** A document in its parts: what was written, the section Evidence with its links, and the addresses of citations. */
export function partsOf(markdown: string): { written: string; evidence: string; addresses: Map<string, string> } {
  const addresses = linksIn(markdown);
  const isDefinition = (line: string) => [...addresses].some(([label, to]) => line === `[${label}]: ${to}`);
  const lines = linesOf(markdown);
  const evidence = evidenceLines(markdown).flatMap(({ line, endLine }) => lines.slice(line - 1, endLine));
  return {
    written: withoutEvidence(markdown),
    evidence: evidence
      .filter((line) => !isDefinition(line))
      .join("\n")
      .trim(),
    addresses,
  };
}

function evidenceLines(text: string): { line: number; endLine: number }[] {
  return parseSpec(text).sections.filter(({ key }) => key === "evidence");
}

function linesOutside(text: string, ranges: readonly { line: number; endLine: number }[]): string | null {
  if (ranges.length === 0) return null;
  return linesOf(text)
    .filter((_, at) => !ranges.some(({ line, endLine }) => line <= at + 1 && at < endLine))
    .join("\n");
}
