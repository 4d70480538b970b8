import type { ActionType } from "../../domain/action.ts";
import { cut } from "../../lib/text.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";

/** An action that failed permanently, or after all its attempts. */
export interface ActionFailure {
  type: ActionType;
  /** The part that failed, such as `gap_12`; null for the whole action. */
  part: string | null;
  /** A status such as `503`, or a few words. */
  reason: string;
  retryable: boolean;
}

/** A permanent failure of one part of an action. */
export class PartError extends RelayError {
  readonly part: string;

  constructor(code: "not_found" | "conflict", part: string, message: string) {
    super(code, message);
    this.name = "PartError";
    this.part = part;
  }
}

/** The line that the planner sees (R-ACT-4): `FAILED: post_comment | 503 | retryable`. */
export function failureLine({ type, part, reason, retryable }: ActionFailure): string {
  const subject = part === null ? type : `${type}[${part}]`;
  return `FAILED: ${subject} | ${reason} | ${retryable ? "retryable" : "permanent"}`;
}

export function failureOf(type: ActionType, error: RelayError): ActionFailure {
  return {
    type,
    part: error instanceof PartError ? error.part : null,
    reason: reasonOf(error),
    retryable: error.retryable,
  };
}

/** The planner can fix only what it wrote itself, so only such errors include their message. */
function reasonOf(error: RelayError): string {
  if (error.status !== undefined) return String(error.status);
  if (error.code !== "invalid" && error.code !== "too_large") return error.code.replaceAll("_", " ");
  return cut(messageOf(error).replaceAll("|", "/"), 120);
}
