import { z } from "zod";

/** Why the search found a place, when the rules explored. */
const FOUND_BY = [
  "frame",
  "named",
  "handles",
  "uses",
  "module",
  "message",
  "defines",
  "beside",
  "path",
  "words",
  "history",
  "imports",
  "imported",
  "callers",
  "tests",
  "lists",
] as const;
export type FoundBy = (typeof FOUND_BY)[number];

/** Not places to change: what depends on the first of them. */
export const NOTES = ["callers", "tests", "lists"] as const satisfies readonly FoundBy[];
export type NoteKind = (typeof NOTES)[number];

export const findingSourceSchema = z.object({
  /** `path:line`, `path:start-end` or `path`, at the finding's commit. */
  location: z.string().min(1).max(1_000),
  snippet: z.string().max(4_000).default(""),
  kind: z.string().max(60).optional(),
  /** Only in findings of the rules. */
  found_by: z.enum(FOUND_BY).optional(),
});

export type FindingSource = z.infer<typeof findingSourceSchema>;

/** A synthesis about the code, with its sources. At most 20 are kept per issue (R-ACT-6). */
export interface Finding {
  id: string;
  issueId: string;
  /** Per issue, from 1, as specs cite it (`Finding #3`); no other finding of the issue ever gets it. */
  number: number;
  synthesis: string;
  sources: FindingSource[];
  /** The commit of the locations. */
  commit: string | null;
  createdAt: Date;
}

/** Why a finding was removed: others took its place at once, it no longer held, or there was no more room. */
export const REMOVALS = ["replaced", "withdrawn", "crowded_out"] as const;
export type Removal = (typeof REMOVALS)[number];

/** What is left of a removed finding, without the lines of the code; `why` is null where it is not known. */
export interface RemovedFinding extends Finding {
  removedAt: Date;
  why: Removal | null;
}

export const FINDINGS_PER_ISSUE = 20;
