import { expect, test } from "vitest";
import { traceSettingsIn } from "./trace-settings.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

test("traces are sent where an endpoint is set and nothing turns them off", () => {
  expect(traceSettingsIn({})).toBeNull();
  expect(traceSettingsIn({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).toBeNull();
  expect(traceSettingsIn({ OTEL_SERVICE_NAME: "relay", OTEL_TRACES_SAMPLER: "always_on" })).toBeNull();
  expect(traceSettingsIn({ ...ENDPOINT, OTEL_SDK_DISABLED: "TRUE" })).toBeNull();
  expect(traceSettingsIn({ ...ENDPOINT, OTEL_TRACES_EXPORTER: "none" })).toBeNull();
  const usual = { sampler: "parentbased_always_on", samplerArgument: undefined, timeoutMs: 2_000, protocol: undefined };
  expect(traceSettingsIn(ENDPOINT)).toEqual(usual);
  expect(traceSettingsIn({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://collector:4318/v1/traces" })).toEqual(usual);
});

test("the end of a program waits for the last spans ten seconds at most", () => {
  const timeout = (text: string) => traceSettingsIn({ ...ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: text })?.timeoutMs;
  expect([timeout("500"), timeout("60000"), timeout("soon"), timeout("-1")]).toEqual([500, 10_000, 2_000, 2_000]);
});
