import { environment } from "../config/environment.ts";
import { traceSettingsIn } from "../config/trace-settings.ts";
import { messageOf } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";

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
