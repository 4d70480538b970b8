import { destination, pino } from "pino";
import type { Log } from "./log.ts";

/** JSON lines on stderr, written synchronously, so that the last line before a crash is not lost. */
export function jsonLog(level: "debug" | "info" | "warn" | "error"): Log {
  return pino({ level, base: { pid: process.pid } }, destination({ fd: 2, sync: true }));
}
