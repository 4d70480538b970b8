import { setImmediate } from "node:timers/promises";
import { RelayError } from "../../lib/errors.ts";

const STEPS = 200;

/**
 * Lets a long loop notice that its time is over: timers do not fire while a loop runs. Call `step` for each thing
 * looked at. It throws `RelayError` `timeout` once the signal has come.
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
