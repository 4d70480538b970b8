import type { StoredAction } from "../../domain/cycle.ts";
import { RelayError } from "../../lib/errors.ts";
import type { ActionFailure } from "./failure.ts";
import { failureOf } from "./failure.ts";
import type { ActionWrites, Apply, ExecutorDeps } from "./ports.ts";

/** How one action is done. */
export interface Performer<Tx> {
  /**
   * Looks for the effect of an earlier try, the first of which was made then; null for actions whose tries leave
   * nothing behind when they fail.
   */
  find: ((firstTriedAt: Date | null) => Promise<Apply<Tx> | null>) | null;
  /** `repeated`: an earlier try may have had its effect. */
  perform: (repeated: boolean) => Promise<Apply<Tx>>;
}

export type Attempted =
  | { kind: "done" }
  | { kind: "failed"; failure: ActionFailure }
  /** The outside service asks for more patience than a running job has; the action stays pending. */
  | { kind: "postponed"; ms: number };

/** Milliseconds to wait after each failed try (R-ACT-3); the last wait comes before a last look for the effect. */
const BACKOFF = [1_000, 2_000, 4_000];
/** Milliseconds until somebody looks again for an effect that could not be looked for. */
const NEXT_LOOK = 10_000;
/** The longest wait inside of a run, in milliseconds. */
const MAX_WAIT = 60_000;

/**
 * Tries an action up to three times (R-ACT-3). Only a `RelayError` is an outcome; anything else is a fault of the
 * program or of the machine, goes up, and leaves the action pending for the next run.
 */
export async function attempt<Tx extends ActionWrites>(
  stored: StoredAction,
  performer: Performer<Tx>,
  { ledger, sleep, log }: Pick<ExecutorDeps<Tx>, "ledger" | "sleep" | "log">,
): Promise<Attempted> {
  let repeated = stored.attempts > 0;
  let uncertain = repeated;
  let failure: RelayError | null = null;
  let firstTriedAt: Date | null = null;
  for (const backoff of BACKOFF) {
    firstTriedAt = await ledger.begin(stored.id);
    try {
      const earlier = repeated ? await performer.find?.(firstTriedAt) : null;
      await ledger.finish(stored.id, earlier ?? (await performer.perform(repeated)));
      return { kind: "done" };
    } catch (error) {
      failure = outcomeOf(error);
    }
    log.warn(
      { action: stored.id, type: stored.action.type, code: failure.code, status: failure.status },
      failure.message,
    );
    repeated = true;
    uncertain ||= !isRefusal(failure);
    if (!failure.retryable) break;
    const wait = Math.max(backoff, failure.retryAfterMs ?? 0);
    if (wait > MAX_WAIT) return { kind: "postponed", ms: wait };
    if (performer.find !== null || backoff !== BACKOFF.at(-1)) await sleep(wait);
  }
  if (failure === null) throw new RelayError("internal", `action ${stored.id} was not tried`);
  // Whoever must wait for their turn has not failed: many issues speak at once.
  if (failure.code === "rate_limited")
    return { kind: "postponed", ms: Math.max(1_000, failure.retryAfterMs ?? MAX_WAIT) };
  const last = uncertain ? await lookAfterAll(stored, performer, firstTriedAt, ledger) : null;
  return last ?? { kind: "failed", failure: failureOf(stored.action.type, failure) };
}

/**
 * The last try may have had its effect too; reported as failed, it would be asked for and done a second time. So as
 * long as the service does not even let itself be looked at, the action stays pending. Null where there is no effect.
 */
async function lookAfterAll<Tx extends ActionWrites>(
  stored: StoredAction,
  performer: Performer<Tx>,
  firstTriedAt: Date | null,
  ledger: ExecutorDeps<Tx>["ledger"],
): Promise<Attempted | null> {
  if (performer.find === null) return null;
  try {
    const earlier = await performer.find(firstTriedAt);
    if (earlier === null) return null;
    await ledger.finish(stored.id, earlier);
    return { kind: "done" };
  } catch (error) {
    const { retryable, retryAfterMs = 0 } = outcomeOf(error);
    return retryable ? { kind: "postponed", ms: Math.max(NEXT_LOOK, retryAfterMs) } : null;
  }
}

/** The service understood and said no, so nothing happened. */
function isRefusal({ status }: RelayError): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

function outcomeOf(error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  throw error;
}
