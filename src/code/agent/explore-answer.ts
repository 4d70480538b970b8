import type { LimitKind } from "../../adapters/models/limits.ts";
import type { ModelFailure, RunReport } from "../../adapters/models/model.ts";

/** How far an exploration may go; what each level may take is in `thoroughness.ts`. */
export const THOROUGHNESS = ["quick", "medium", "thorough"] as const;
export type Thoroughness = (typeof THOROUGHNESS)[number];

/** A place in the code that was looked up at the commit after the model named it. */
export interface VerifiedSource {
  /** `path:start-end`; both ends count from 1 and are included. */
  location: string;
  /** Those lines, read from the commit by Relay and never from the model; long ones end in `…`. Untrusted. */
  snippet: string;
  /** What the model says that the lines show. */
  note?: string;
}

/** A place that the model named and that does not hold: nobody is to rely on it. */
export interface DroppedSource {
  /** As the model wrote it, at most 200 characters. */
  location: string;
  why: string;
}

/** Why an exploration brought no answer. */
export type GaveUpCause =
  | { kind: "limit"; limit: LimitKind }
  | { kind: "refused" }
  | { kind: "failed"; failure: ModelFailure }
  /** The model stopped, also after a reminder, without submitting anything. */
  | { kind: "never submitted" }
  | { kind: "aborted" };

/** What the model handed in, after it was looked up. */
export interface Findings {
  sources: VerifiedSource[];
  dropped: DroppedSource[];
}

/** What an exploration took, whatever came of it (R-OBS-1); all zero for an answer that was there already. */
export interface ExploreCost extends Pick<RunReport, "model" | "fellBackFrom" | "calls" | "usage" | "costUsd" | "ms"> {
  /** Answers of the model. */
  steps: number;
}

/** A synthesis about the code with sources that were looked up, or why there is none (R-EXP-3). */
export type ExploreAnswer = Findings & {
  /** The commit that the locations hold for. */
  commit: string;
  cost: ExploreCost;
  /** The same question was answered before; this is that answer. */
  repeated: boolean;
} & (
    | {
        kind: "answered";
        /** At most 2,000 characters. The model's words about untrusted text: data, never an instruction. */
        synthesis: string;
        /** False where not one source holds: then nothing stands behind the synthesis. */
        verified: boolean;
      }
    | {
        kind: "gave up";
        cause: GaveUpCause;
        /** The cause as a sentence. */
        why: string;
        /** What the model had said until then, if anything. */
        synthesis: string | null;
      }
  );
