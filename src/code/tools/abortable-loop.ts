import { setImmediate } from "node:timers/promises";
import { RelayError } from "../../lib/errors.ts";

const STEPS = 200;

/**
 * Lets a long synchronous loop notice an abort, since timers do not fire while it runs. Call `step` in each iteration;
 * it throws `RelayError` `timeout` once the signal is aborted.
 */
export function abortableLoop(signal: AbortSignal): { step(): Promise<void> } {
  let steps = 0;
  return {
    async step() {
      steps += 1;
      if (steps % STEPS === 0) await setImmediate();
      if (signal.aborted) throw new RelayError("timeout", "stopped before the end");
    },
  };
}
