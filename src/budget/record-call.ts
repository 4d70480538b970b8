import type { Ids } from "../lib/ids.ts";
import type { ModelCall, ModelRole } from "../adapters/models/model.ts";
import type { Db } from "../storage/db.ts";
import type { EvalStage } from "../storage/evals.ts";
import { addCall } from "../storage/evals.ts";
import { shortened } from "./shortened.ts";

/** Characters kept of what went into a call, and of what came out. */
const KEPT = { input: 60_000, output: 60_000 };

/**
 * A sink for calls of models, for `onCall`: each becomes a record with its cost, linked to its issue (R-OBS-1). It is
 * linked to its cycle when that is stored, which comes after the planner's calls. Large fields are cut, visibly.
 */
export function recordCall(
  db: Db,
  where: { issueId: string | null; cycleId?: string },
  { ids }: { ids: Ids },
): (call: ModelCall) => Promise<void> {
  return async (call) => {
    await addCall(
      db,
      {
        ...call,
        issueId: where.issueId,
        cycleId: where.cycleId ?? null,
        stage: stageOf(call.role),
        input: shortened(call.input, KEPT.input),
        output: shortened(call.output, KEPT.output),
        latencyMs: call.ms,
      },
      { ids },
    );
  };
}

function stageOf(role: ModelRole): EvalStage {
  switch (role) {
    case "planner":
    case "explore":
    case "triage":
    case "reply":
    case "worker":
      return role;
    case "spec":
      return "spec_generator";
    case "fix_plan":
      return "fix_planner";
    default:
      return role satisfies never;
  }
}
