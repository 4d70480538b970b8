import { environment } from "../config/config.ts";
import { traceSettingsIn } from "../config/trace-settings.ts";
import { messageOf } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import { inSpan } from "../lib/trace.ts";

/** Sends spans until it is closed, where the environment names a collector; otherwise nothing is loaded (R-OBS-3). */
export async function openTracing(log: Log): Promise<{ close: () => Promise<void> }> {
  const settings = traceSettingsIn(environment());
  if (settings === null) return { close: async () => {} };
  try {
    const { exportTraces } = await import("../lib/trace-export.ts");
    return exportTraces(settings, log);
  } catch (error) {
    log.warn(
      { error: messageOf(error).slice(0, 300) },
      "no traces are sent: a variable of OTEL_EXPORTER_OTLP is wrong",
    );
    return { close: async () => {} };
  }
}

/** Runs one command in a span of its own. */
export async function traced<T>(command: string, log: Log, work: () => Promise<T>): Promise<T> {
  const { close } = await openTracing(log);
  try {
    return await inSpan(`relay ${command}`, {}, work);
  } finally {
    await close();
  }
}
