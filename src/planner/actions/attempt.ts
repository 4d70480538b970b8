import type { StoredAction } from "../../domain/cycle.ts";
import { RelayError } from "../../lib/errors.ts";
import { type ActionFailure, failureOf } from "./failure.ts";
import type { ActionWrites, Apply, ExecutorDeps } from "./ports.ts";

/** How one action is carried out. */
export interface Performer<Tx> {
  /**
   * Looks for the effect of an earlier attempt, given the time of the first one; null for actions whose failed attempts
   * leave nothing behind.
   */
  find: ((firstTriedAt: Date | null) => Promise<Apply<Tx> | null>) | null;
  /** `repeated`: an earlier attempt may have succeeded. */
  perform: (repeated: boolean) => Promise<Apply<Tx>>;
}

export type Attempted =
  | { kind: "done" }
  | { kind: "failed"; failure: ActionFailure }
  /** The service asks for a longer wait than a job may take; the action stays pending. */
  | { kind: "postponed"; ms: number };

/** Milliseconds of backoff after each failed attempt (R-ACT-3); after the last, the effect is looked for once more. */
const BACKOFF = [1_000, 2_000, 4_000];
/** Milliseconds until the next look for an effect, if the service cannot be read. */
const NEXT_LOOK = 10_000;
/** The longest wait within a job, in milliseconds. */
const MAX_WAIT = 60_000;

/**
 * Attempts an action up to three times (R-ACT-3). Only a `RelayError` is an outcome; any other error is a bug or a fault
 * of the machine: it is thrown, and the action stays pending.
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
  // A throttled action has not failed: many issues share the limit.
  if (failure.code === "rate_limited")
    return { kind: "postponed", ms: Math.max(1_000, failure.retryAfterMs ?? MAX_WAIT) };
  const last = uncertain ? await findLateEffect(stored, performer, firstTriedAt, ledger) : null;
  return last ?? { kind: "failed", failure: failureOf(stored.action.type, failure) };
}

/**
 * Looks for the effect of the last attempt: reported as failed, it would be planned and done again. As long as the
 * service cannot be read, the action stays pending. Null if there is no effect.
 */
async function findLateEffect<Tx extends ActionWrites>(
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

/** The service understood the request and refused it, so it had no effect. */
function isRefusal({ status }: RelayError): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

function outcomeOf(error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  throw error;
}
