import type { FindingSource } from "../../domain/finding.ts";

/** The places that explorations of this cycle have verified. Findings may cite no other source. */
export interface Evidence {
  add(sources: readonly { location: string; snippet: string }[]): void;
  /** The verified place that a citation refers to, with its code; null if it was not verified. */
  find(citation: string): FindingSource | null;
  /** All verified code that holds the cited lines. */
  around(citation: string): string;
  /** Verified places of the cited file, otherwise of any file: candidates for what was meant. */
  near(citation: string): string[];
}

interface Place {
  path: string;
  /** From 1; null for a whole file. */
  lines: { start: number; end: number } | null;
}

type Verified = Place & { location: string; snippet: string };

const SNIPPET_LIMIT = 4_000;
const NEAR = 5;

export function createEvidence(): Evidence {
  const verified: Verified[] = [];
  return {
    add: (sources) => verified.push(...sources.map((source) => ({ ...source, ...placeOf(source.location) }))),
    find: (citation) => {
      const cited = placeOf(citation);
      const holding = verified.filter((one) => one.path === cited.path && covers(one, cited));
      const tightest = holding.toSorted((a, b) => length(a) - length(b))[0];
      return tightest === undefined ? null : sourceOf(cited, tightest);
    },
    around: (citation) => {
      const cited = placeOf(citation);
      const holding = verified.filter((one) => one.path === cited.path && covers(one, cited));
      return [cited.path, ...holding.map((one) => one.snippet)].join("\n");
    },
    near: (citation) => {
      const { path } = placeOf(citation);
      const same = verified.filter((one) => one.path === path);
      return [...new Set((same.length > 0 ? same : verified).map((one) => one.location))].slice(0, NEAR);
    },
  };
}

/** `path:3`, `path:3-9` or only a path, with or without backticks. */
function placeOf(location: string): Place {
  const bare = location.trim().replaceAll("`", "");
  const colon = bare.lastIndexOf(":");
  const found = /^L?(\d{1,9})(?:[-–]L?(\d{1,9}))?$/.exec(bare.slice(colon + 1));
  if (colon < 1 || found === null) return { path: bare, lines: null };
  const start = Number(found[1]);
  return { path: bare.slice(0, colon), lines: { start, end: Number(found[2] ?? found[1]) } };
}

/** A citation of a whole file covers the verified place in it. */
function covers({ lines: all }: Place, { lines: part }: Place): boolean {
  if (part === null || all === null) return part === null;
  return part.start >= all.start && part.end <= all.end && part.start <= part.end;
}

function length({ lines }: Place): number {
  return lines === null ? Number.POSITIVE_INFINITY : lines.end - lines.start;
}

/** Only the cited lines if the snippet has them all, otherwise the whole snippet. */
function sourceOf(cited: Place, { location, snippet, lines }: Verified): FindingSource {
  const text = snippet.split("\n");
  if (cited.lines === null || lines === null || text.length !== lines.end - lines.start + 1) {
    return { location, snippet: snippet.slice(0, SNIPPET_LIMIT) };
  }
  const { start, end } = cited.lines;
  const shown = text.slice(start - lines.start, end - lines.start + 1).join("\n");
  const range = start === end ? `${start}` : `${start}-${end}`;
  return { location: `${cited.path}:${range}`, snippet: shown.slice(0, SNIPPET_LIMIT) };
}
