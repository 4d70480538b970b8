import type { TraceSettings } from "../lib/trace-export.ts";
import type { Environment } from "../lib/secret-variable.ts";

/** By default, and at most: the end of a program waits for it. */
const TIMEOUT_MS = 2_000;
const LONGEST_TIMEOUT_MS = 10_000;

/** What the standard variables of OpenTelemetry say of traces; null where none are wanted (R-OBS-3). */
export function traceSettingsIn(env: Environment): TraceSettings | null {
  const isOff = env["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true" || env["OTEL_TRACES_EXPORTER"] === "none";
  const endpoint = env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] || env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  if (isOff || !endpoint) return null;
  const timeout = Number(env["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"] || env["OTEL_EXPORTER_OTLP_TIMEOUT"]);
  return {
    sampler: env["OTEL_TRACES_SAMPLER"] || "parentbased_always_on",
    samplerArgument: env["OTEL_TRACES_SAMPLER_ARG"] || undefined,
    timeoutMs: timeout > 0 ? Math.min(timeout, LONGEST_TIMEOUT_MS) : TIMEOUT_MS,
    protocol: env["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] || env["OTEL_EXPORTER_OTLP_PROTOCOL"] || undefined,
  };
}
