import { failure } from "./failure.ts";

/** How long one call may take. Milliseconds. */
export interface Timeouts {
  callMs: number;
  /** Without any data from the server, before the first event or between two. */
  silenceMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = { callMs: 300_000, silenceMs: 90_000 };

/** Limits the time of one call: the signal aborts it when it takes too long, and `over` says why. */
export function startTimeouts({ callMs, silenceMs }: Timeouts) {
  const controller = new AbortController();
  let over: string | null = null;
  const end = (why: string) => {
    over ??= why;
    controller.abort();
  };
  const whole = setTimeout(() => end(`the answer took longer than ${callMs / 1_000} s`), callMs);
  const silence = setTimeout(() => end(`nothing came for ${silenceMs / 1_000} s`), silenceMs);
  return {
    signal: controller.signal,
    received: () => void silence.refresh(),
    over: (model: string) => (over === null ? null : failure("timeout", model, { detail: over })),
    stop() {
      clearTimeout(whole);
      clearTimeout(silence);
    },
  };
}
