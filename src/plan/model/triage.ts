import type { TriageResult } from "../../domain/plan.ts";
import type { Failure } from "../answer.ts";
import type { TriageInput } from "../input.ts";

/** What a model refines. */
export interface TriageWanted {
  input: TriageInput;
  byRules: TriageResult;
}

export type TriageFromModel = { kind: "triaged"; result: TriageResult } | { kind: "failed"; failure: Failure };

export type AskForTriage = (wanted: TriageWanted) => Promise<TriageFromModel>;
