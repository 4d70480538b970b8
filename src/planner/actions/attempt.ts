import type { StoredAction } from "../../domain/cycle.ts";
import { RelayError, Postponed, lostAccess } from "../../lib/errors.ts";
import { Unsettled } from "../../notify/send-once.ts";
import { type ActionFailure, failureOf } from "./failure.ts";
import type { ActionWrites, Apply, ExecutorDeps } from "./ports.ts";

/** Carries out an action. `repeated`: an earlier attempt may have succeeded. */
export type Perform<Tx> = (repeated: boolean) => Promise<Apply<Tx>>;

export type Attempted =
  | { kind: "done" }
  | { kind: "failed"; failure: ActionFailure }
  /**
   * The action stays pending: a service asks for a longer wait than a job may take, its effect is not known yet, or
   * Relay lacks access (`why`).
   */
  | { kind: "postponed"; ms: number; why?: string };

/** Milliseconds of backoff after each failed attempt but the last (R-ACT-3). */
const BACKOFF = [1_000, 2_000];
/** The longest wait within a job, in milliseconds, and the longest for an effect that may still appear. */
const MAX_WAIT = 60_000;
const MAX_WAIT_UNSETTLED = 4_000;
/** Milliseconds until an action that Relay had no access for is tried again: twice as long each time, up to this. */
const ACCESS_WAIT = { first: 2_000, most: 300_000 };

/**
 * Attempts an action up to three times (R-ACT-3). Only a `RelayError` is an outcome; any other error is a bug or a
 * fault of the machine: it is thrown, and the action stays pending. So does one whose work is postponed.
 */
export async function attempt<Tx extends ActionWrites>(
  stored: StoredAction,
  perform: Perform<Tx>,
  { ledger, sleep, log }: Pick<ExecutorDeps<Tx>, "ledger" | "sleep" | "log">,
): Promise<Attempted> {
  let repeated = stored.attempts > 0;
  let last: RelayError | null = null;
  for (let failed = 0; ;) {
    await ledger.begin(stored.id);
    let failure: RelayError;
    try {
      await ledger.finish(stored.id, await perform(repeated));
      return { kind: "done" };
    } catch (error) {
      if (!(error instanceof RelayError) || (error instanceof Postponed && !(error instanceof Unsettled))) throw error;
      failure = error;
    }
    log.warn(
      { action: stored.id, type: stored.action.type, code: failure.code, status: failure.status },
      failure.message,
    );
    if (lostAccess(failure) !== null) {
      const ms = Math.min(ACCESS_WAIT.first * 2 ** Math.min(stored.attempts, 20), ACCESS_WAIT.most);
      return { kind: "postponed", ms, why: failure.message };
    }
    repeated = true;
    if (failure instanceof Unsettled) {
      const { cause, givenUp, retryAfterMs = MAX_WAIT } = failure;
      if (givenUp) return { kind: "failed", failure: failureOf(stored.action.type, last ?? failure) };
      if (retryAfterMs > MAX_WAIT_UNSETTLED) return { kind: "postponed", ms: retryAfterMs };
      if (cause instanceof RelayError) last = cause;
      await sleep(retryAfterMs);
      continue;
    }
    const backoff = BACKOFF[failed];
    failed += 1;
    if (failure.retryable && backoff !== undefined) {
      const wait = Math.max(backoff, failure.retryAfterMs ?? 0);
      if (wait > MAX_WAIT) return { kind: "postponed", ms: wait };
      await sleep(wait);
      continue;
    }
    // A throttled action has not failed: many issues share the limit.
    if (failure.code === "rate_limited")
      return { kind: "postponed", ms: Math.max(1_000, failure.retryAfterMs ?? MAX_WAIT) };
    return { kind: "failed", failure: failureOf(stored.action.type, failure) };
  }
}
