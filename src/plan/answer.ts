import type { z } from "zod";
import { problemWords } from "./problem-words.ts";
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

/** Parses outside input; `INVALID_INPUT` names the fields, and says what each has and must have. */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
): { success: true; data: z.output<Schema> } | Failure {
  const result = schema.safeParse(given, { error: problemWords });
  if (result.success) return { success: true, data: result.data };
  const { issues } = result.error;
  const fields = issues.slice(0, MAX_PROBLEMS).map(({ path, message }) => ({
    field: path.map(String).join(".") || "input",
    problem: message,
  }));
  const first = fields.map(({ field, problem }) => `${field} ${problem}`).at(0) ?? "it is invalid";
  const more = issues.length > 1 ? ` ${issues.length - 1} more of its fields are wrong: see details.` : "";
  return failure("INVALID_INPUT", `The input does not fit the contract: ${first}.${more} ${SHOWN}`, { fields });
}

/** Where the whole input is described. */
export const SHOWN = "docs/plan.md has all fields.";
