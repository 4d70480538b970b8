import { z } from "zod";
import type { ConversationMessage } from "./conversation.ts";
import { sha256Of } from "../lib/sha256.ts";

/** How much spec an issue needs (R-SPEC-5): a bug fix, a small, a medium, a large feature, a change of architecture. */
export const COMPLEXITIES = ["L0", "L1", "L2", "L3", "L4"] as const;
export type Complexity = (typeof COMPLEXITIES)[number];

export const specRefSchema = z.object({
  version: z.literal(1),
  backend: z.string().min(1),
  path: z.string().min(1),
  updated_at: z.iso.datetime(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  format: z.literal("markdown"),
  /** This very version in its store (R-SPEC-18): a commit, or the number of an object; local files have none. */
  revision: z.string().min(1).max(100).optional(),
});

/** The location of an issue's canonical spec (R-SPEC-9); snake_case because it is stored and printed as it is. */
export type SpecRef = z.infer<typeof specRefSchema>;

/** A place that a spec cites and whose lines have other words now, or whose file is gone (R-SPEC-15). */
export const staleCitationSchema = z.object({ location: z.string(), what: z.enum(["changed", "deleted"]) });
export type StaleCitation = z.infer<typeof staleCitationSchema>;

/** Measures of a spec's content (R-SPEC-8). */
export interface SpecMetadata {
  sections: string[];
  decision_count: number;
  assumption_count: number;
  task_count: number;
  test_count: number;
  char_count: number;
  line_count: number;
}

/** What a version of a spec has read (R-SPEC-16): an edit changes the hash, whatever the clocks say. */
export interface SpecReads {
  text: string;
  /** By the ids of the tracker. */
  messages: Record<string, string>;
}

export function readsOf(
  issue: { title: string; body: string },
  messages: readonly Pick<ConversationMessage, "externalId" | "content">[],
): SpecReads {
  return {
    text: hashOf(issue.title, issue.body),
    messages: Object.fromEntries(messages.map(({ externalId, content }) => [externalId, hashOf(content)])),
  };
}

function hashOf(...texts: string[]): string {
  return sha256Of(JSON.stringify(texts)).slice(0, 16);
}
