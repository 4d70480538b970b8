import { failure } from "./failure.ts";
import type { ModelFailure } from "./model.ts";
import { type ModelConnection, providerOf } from "./providers/registry.ts";
import { type RetryPolicy, DEFAULT_RETRY } from "./retry.ts";

/** How long one call may take. Milliseconds. */
export interface Timeouts {
  callMs: number;
  /** Longest time without data from the server, before the first event or between two. */
  silenceMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = { callMs: 300_000, silenceMs: 90_000 };
/** For servers that people run themselves: a large model on a CPU reads a prompt for minutes before its first word. */
const OWN_SERVER = { timeouts: { callMs: 3_600_000, silenceMs: 1_800_000 }, runFactor: 10 };

/** `models.timeouts` of the configuration. */
export interface TimeoutSettings {
  answer_seconds?: number | undefined;
  silence_seconds?: number | undefined;
  run_factor?: number | undefined;
  tries: number;
}

/** How long a role waits for its models: as set, or else by where they run (R-PLAN-17). */
export function patienceWith(
  models: readonly Pick<ModelConnection, "provider">[],
  { answer_seconds: answer, silence_seconds: silence, run_factor: factor, tries }: TimeoutSettings,
): { timeouts: Timeouts; runFactor: number; retry: RetryPolicy } {
  const isOwn = models.some(({ provider }) => providerOf(provider).address === null);
  const { timeouts, runFactor } = isOwn ? OWN_SERVER : { timeouts: DEFAULT_TIMEOUTS, runFactor: 1 };
  return {
    timeouts: {
      callMs: answer === undefined ? timeouts.callMs : answer * 1_000,
      silenceMs: silence === undefined ? timeouts.silenceMs : silence * 1_000,
    },
    runFactor: factor ?? runFactor,
    retry: { ...DEFAULT_RETRY, attempts: tries },
  };
}

interface StartedTimeouts {
  signal: AbortSignal;
  received: () => void;
  over: (model: string) => ModelFailure | null;
  stop: () => void;
}

/** Limits the time of one call: the signal aborts it when it takes too long, and `over` says why. */
export function startTimeouts({ callMs, silenceMs }: Timeouts): StartedTimeouts {
  const controller = new AbortController();
  let over: string | null = null;
  const end = (why: string) => {
    over ??= why;
    controller.abort();
  };
  const whole = setTimeout(
    () => end(`the answer took longer than ${callMs / 1_000} s (models.timeouts.answer_seconds)`),
    callMs,
  );
  const silence = setTimeout(
    () => end(`nothing came for ${silenceMs / 1_000} s (models.timeouts.silence_seconds)`),
    silenceMs,
  );
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
