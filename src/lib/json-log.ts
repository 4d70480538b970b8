import { destination, pino } from "pino";
import type { Log } from "./log.ts";
import { traceFields } from "./trace.ts";

/** JSON lines on stderr, written synchronously, so that the last line before a crash is not lost; with the active span. */
export function jsonLog(level: "debug" | "info" | "warn" | "error"): Log {
  return pino({ level, base: { pid: process.pid }, mixin: traceFields }, destination({ fd: 2, sync: true }));
}
