import { destination, pino } from "pino";
import type { Log } from "./log.ts";
import { cut, isRecord } from "./text.ts";
import { traceFields } from "./trace.ts";

/** Characters of one field: some come from strangers. */
const LONGEST = 2_000;

/**
 * JSON lines on stderr, written synchronously, so that the last line before a crash is not lost; with the active span.
 * Long texts are cut.
 */
export function jsonLog(level: "debug" | "info" | "warn" | "error", fd = 2): Log {
  const options = { level, base: { pid: process.pid }, mixin: traceFields, formatters: { log: shortened } };
  return pino(options, destination({ fd, sync: true }));
}

function shortened(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shortenedValue(value)]));
}

function shortenedValue(value: unknown): unknown {
  if (typeof value === "string") return cut(value, LONGEST);
  if (Array.isArray(value)) return value.map(shortenedValue);
  // Dates and errors are written in their own ways.
  return isRecord(value) && Object.getPrototypeOf(value) === Object.prototype ? shortened(value) : value;
}
