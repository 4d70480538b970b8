import type { ActionType } from "../../domain/action.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";

/** An action that failed for good, or after all its tries. */
export interface ActionFailure {
  type: ActionType;
  /** The part that failed, such as `gap_12`; null when it is the action as a whole. */
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

/** The line that the planner is told (R-ACT-4): `FAILED: post_comment | 503 | retryable`. */
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

/** The planner can mend only what it wrote itself, so only that is told in words. */
function reasonOf(error: RelayError): string {
  if (error.status !== undefined) return String(error.status);
  if (error.code !== "invalid" && error.code !== "too_large") return error.code.replaceAll("_", " ");
  const message = messageOf(error).replaceAll("|", "/");
  return message.length <= 120 ? message : `${message.slice(0, 119)}…`;
}
