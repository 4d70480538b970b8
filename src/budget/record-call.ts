import type { Ids } from "../lib/ids.ts";
import type { ModelCall, ModelRole } from "../adapters/models/model.ts";
import type { Db } from "../storage/db.ts";
import { keptJson } from "../domain/text/clean-text.ts";
import { type EvalStage, addCall } from "../storage/model-calls.ts";

/** Characters kept of a call's input and output. */
const KEPT = { input: 60_000, output: 60_000 };

/**
 * A sink for model calls, for `onCall`: stores each with its cost under its issue (R-OBS-1). Calls are linked to their
 * cycle later, when it is stored. Large fields are visibly truncated.
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
        input: shortened(kept(call.input, KEPT.input), KEPT.input),
        output: shortened(kept(call.output, KEPT.output), KEPT.output),
        latencyMs: call.ms,
      },
      { ids },
    );
  };
}

/** Without secrets: a cut could leave half of one. Of a text, what is kept may come from its first or last `most` characters. */
function kept(value: unknown, most: number): unknown {
  const json: unknown = JSON.parse(keptJson(walk(value, 2 * most + MARK)) ?? "null");
  return json;
}

function stageOf(role: ModelRole): EvalStage {
  switch (role) {
    case "planner":
    case "explore":
    case "rerank":
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

/** Characters for the words of a cut. */
const MARK = 50;
/** Texts in a value are never truncated below this. */
const LEAST = 200;

/**
 * A JSON value of at most about `characters` characters: its longest texts are cut in the middle, with a mark that says
 * how much is missing. A value with too many parts for that is cut as one text. Characters that the database cannot
 * store are replaced.
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
  const half = Math.max(0, Math.floor((longest - MARK) / 2));
  return `${text.slice(0, half)}[… ${text.length - 2 * half} characters left out …]${text.slice(text.length - half)}`.toWellFormed();
}

/** PostgreSQL's JSON accepts neither NUL nor lone surrogates. */
function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}
