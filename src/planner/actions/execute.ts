import type { ActionType } from "../../domain/action.ts";
import type { StoredAction } from "../../domain/cycle.ts";
import type { Attempted, Performer } from "./attempt.ts";
import { attempt } from "./attempt.ts";
import type { ActionWrites, Apply, ExecutorDeps } from "./ports.ts";
import { auditDraft } from "./ports.ts";
import { failureLine } from "./failure.ts";
import { commentPerformer } from "./post-comment.ts";
import { applyFindings, applyGaps, applyLearnings, applySpecStatus } from "./updates.ts";

export interface ExecutionReport {
  /** Finished actions, of this call or an earlier one, in order of execution. */
  done: StoredAction[];
  /** One line per failed action, for the planner (R-ACT-4). */
  failures: string[];
  /**
   * Milliseconds until a retry, because a service asked for a long wait; the remaining actions are pending. Null if all
   * actions are done or have failed.
   */
  postponedMs: number | null;
}

/**
 * Executes the stored actions of one round in order (R-ACT-3, R-ACT-5). Safe to repeat after a crash: finished actions
 * are not repeated, failed ones stay failed. A failure only stops later actions that depend on it.
 */
export async function executeBatch<Tx extends ActionWrites>(
  stored: readonly StoredAction[],
  deps: ExecutorDeps<Tx>,
): Promise<ExecutionReport> {
  const done: StoredAction[] = [];
  const failures: string[] = [];
  const failedTypes = new Set<ActionType>();
  for (const action of executionOrder(stored)) {
    const { type } = action.action;
    const result = await runAction(action, failedTypes, deps);
    switch (result.kind) {
      case "done":
        done.push(action);
        break;
      case "failed":
        failures.push(result.line);
        failedTypes.add(type);
        break;
      case "postponed":
        deps.log.info({ issue: deps.issue.id, action: action.id, ms: result.ms }, "actions postponed");
        return { done, failures, postponedMs: result.ms };
      default:
        result satisfies never;
    }
  }
  return { done, failures, postponedMs: null };
}

type ActionResult = { kind: "done" } | { kind: "failed"; line: string } | { kind: "postponed"; ms: number };

async function runAction<Tx extends ActionWrites>(
  stored: StoredAction,
  failedTypes: ReadonlySet<ActionType>,
  deps: ExecutorDeps<Tx>,
): Promise<ActionResult> {
  const { type } = stored.action;
  if (stored.status === "done") return { kind: "done" };
  if (stored.status === "failed") {
    const unknown = { type, part: null, reason: "unknown", retryable: false };
    return { kind: "failed", line: stored.error ?? failureLine(unknown) };
  }
  const failedBefore = DEPENDS_ON[type].find((other) => failedTypes.has(other));
  const attempted: Attempted =
    failedBefore === undefined
      ? await attempt(stored, performerOf(stored, deps), deps)
      : { kind: "failed", failure: { type, part: null, reason: `${failedBefore} failed before`, retryable: true } };
  if (attempted.kind !== "failed") return attempted;
  const line = failureLine(attempted.failure);
  const after = { action: type, position: stored.position, failure: line };
  await deps.ledger.fail(stored.id, line, [auditDraft(deps, "action.failed", { after })]);
  return { kind: "failed", line };
}

/**
 * Action types that each type depends on. Gap changes refer to the numbers of gaps added earlier, so after a failure
 * they could hit the wrong gap.
 */
const DEPENDS_ON: Readonly<Record<ActionType, readonly ActionType[]>> = {
  post_comment: [],
  update_findings: ["update_findings"],
  update_gaps: ["update_gaps"],
  update_learnings: [],
  ready_for_spec_generation: ["update_gaps", "update_findings"],
  update_spec: [],
  set_spec_status: ["update_spec", "ready_for_spec_generation"],
};

/** Actions that change what the spec is written from. */
const SPEC_SOURCES: ReadonlySet<ActionType> = new Set(["update_findings", "update_gaps", "update_learnings"]);

/**
 * By position, except that the spec is generated after all actions that feed it: the validator lets later actions close
 * the gaps that must be closed first.
 */
function executionOrder(stored: readonly StoredAction[]): StoredAction[] {
  const ordered = stored.toSorted((a, b) => a.round - b.round || a.position - b.position);
  const turn = ordered.findLastIndex(({ action }) => SPEC_SOURCES.has(action.type)) + 1;
  const before = ordered.slice(0, turn);
  return [...before.filter((each) => !isHandoff(each)), ...before.filter(isHandoff), ...ordered.slice(turn)];
}

function isHandoff({ action }: StoredAction): boolean {
  return action.type === "ready_for_spec_generation";
}

function performerOf<Tx extends ActionWrites>(stored: StoredAction, deps: ExecutorDeps<Tx>): Performer<Tx> {
  const { action, idempotencyKey } = stored;
  switch (action.type) {
    case "post_comment":
      return commentPerformer(stored, action.data, deps);
    case "update_findings":
      return inDatabase(applyFindings(action.data, deps));
    case "update_gaps":
      return inDatabase(applyGaps(action.data, deps));
    case "update_learnings":
      return inDatabase(applyLearnings(action.data, deps));
    case "set_spec_status":
      return inDatabase(applySpecStatus(action.data, deps));
    case "ready_for_spec_generation":
      return {
        find: null,
        perform: async (repeated) => await deps.generateSpec(action.data, { idempotencyKey, repeated }),
      };
    case "update_spec":
      return {
        find: null,
        perform: async (repeated) => await deps.writeSpec(action.data, { idempotencyKey, repeated }),
      };
    default:
      return action satisfies never;
  }
}

/** The whole effect is in the transaction, so a failed attempt leaves nothing to look for. */
function inDatabase<Tx extends ActionWrites>(apply: Apply<ActionWrites>): Performer<Tx> {
  return { find: null, perform: () => Promise.resolve(apply) };
}
