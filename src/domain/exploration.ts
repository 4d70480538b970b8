import { z } from "zod";

/** How far an exploration may go, the shortest first. */
export const THOROUGHNESS = ["quick", "medium", "thorough"] as const;
export type Thoroughness = (typeof THOROUGHNESS)[number];

/** The stages that look at the code by a model of their own. */
const ASKERS = ["planner", "spec_generator"] as const;

const verifiedPlaceSchema = z.object({
  /** `path:start-end`: lines from 1, both included, at the exploration's commit. */
  location: z.string(),
  /** Those lines as Relay read them; cut with `…` in the last one. Untrusted. */
  snippet: z.string(),
  /** What the lines show, in the words of a model. */
  note: z.string().optional(),
});
export type VerifiedPlace = z.infer<typeof verifiedPlaceSchema>;

/** An answered question about the code, with every place that was verified (R-PLAN-13). */
export const explorationSchema = z.object({
  id: z.string(),
  issueId: z.string(),
  askedBy: z.enum(ASKERS),
  question: z.string(),
  thoroughness: z.enum(THOROUGHNESS),
  /** A model's words about untrusted text. */
  synthesis: z.string(),
  /** Never empty: what nothing verified is not kept. */
  places: z.array(verifiedPlaceSchema),
  commit: z.string(),
  createdAt: z.date(),
});
export type Exploration = z.infer<typeof explorationSchema>;

/** The oldest goes when there are more. */
export const EXPLORATIONS_PER_ISSUE = 40;
