/** Structured log lines for shells; decisions never log. */
export interface Log {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** JSON lines on stderr. The logging library is loaded on the first call only, so that short commands start fast. */
export async function jsonLog(level: "debug" | "info" | "warn" | "error"): Promise<Log> {
  const { pino } = await import("pino");
  return pino({ level, base: { pid: process.pid } }, pino.destination({ fd: 2, sync: true }));
}
