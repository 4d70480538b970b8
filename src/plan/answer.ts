import type { z } from "zod";
import type { Answer, PlanErrorCode } from "../domain/plan.ts";

/** An answer with warnings. */
export interface WithWarnings<T> {
  answer: Answer<T>;
  /** Sentences for people. */
  warnings: string[];
}

/** Whether corrected input or a retry may succeed. */
const RECOVERABLE: Record<PlanErrorCode, boolean> = {
  PLANNING_FAILED: false,
  FILE_NOT_FOUND: true,
  BRANCH_EXISTS: true,
  INVALID_LLM_OUTPUT: true,
  INVALID_INPUT: true,
};

/** A failed answer (R-FIX-8). */
export function failure(
  code: PlanErrorCode,
  message: string,
  details?: Record<string, unknown>,
  recoverable: boolean = RECOVERABLE[code],
): { success: false; error: Extract<Answer<never>, { success: false }>["error"] } {
  return { success: false, error: { code, message, ...(details === undefined ? {} : { details }), recoverable } };
}

export type Failure = ReturnType<typeof failure>;

const MAX_PROBLEMS = 20;

/** Parses outside input; `INVALID_INPUT` names the fields and their problems. */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
): { success: true; data: z.output<Schema> } | Failure {
  const result = schema.safeParse(given);
  if (result.success) return { success: true, data: result.data };
  const fields = result.error.issues.slice(0, MAX_PROBLEMS).map((issue) => ({
    field: issue.path.map(String).join(".") || "input",
    problem: issue.message,
  }));
  const [first] = fields;
  return failure(
    "INVALID_INPUT",
    `The input does not fit the contract: ${first?.field ?? "input"}: ${first?.problem ?? "invalid"}; fix the fields listed in details.`,
    { fields },
  );
}
