import type { Ids } from "../lib/ids.ts";
import type { ModelCall, ModelRole } from "../adapters/models/model.ts";
import type { Db } from "../storage/db.ts";
import type { EvalStage } from "../storage/evals.ts";
import { addCall } from "../storage/evals.ts";

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

/** Texts in a value are never cut below this. */
const LEAST = 200;

/**
 * A JSON value of at most about `characters` characters: its longest texts are cut in the middle, with a mark that says
 * how much is gone. A value that is still too long, for its many parts, is cut as one text. Characters that a database
 * cannot hold are replaced.
 */
function shortened(value: unknown, characters: number): unknown {
  for (let longest = characters; longest >= LEAST; longest = Math.floor(longest / 2)) {
    const cut = walk(value, longest);
    if (lengthOf(cut) <= characters) return cut;
  }
  return middleCut(storable(JSON.stringify(value) ?? ""), characters);
}

function walk(value: unknown, longest: number): unknown {
  if (typeof value === "string") return middleCut(storable(value), longest);
  if (Array.isArray(value)) return value.map((item) => walk(item, longest));
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [storable(name), walk(held, longest)]));
}

function lengthOf(value: unknown): number {
  return (JSON.stringify(value) ?? "").length;
}

function middleCut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.max(0, Math.floor((longest - 50) / 2));
  return `${text.slice(0, half)}[… ${text.length - 2 * half} characters left out …]${text.slice(text.length - half)}`.toWellFormed();
}

/** PostgreSQL's JSON takes no NUL and no half of a pair. */
function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}
