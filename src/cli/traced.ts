import { openTracing } from "../app/tracing.ts";
import type { Log } from "../lib/log.ts";
import { inSpan } from "../lib/trace.ts";

/** Runs one command in a span of its own. */
export async function traced<T>(command: string, log: Log, work: () => Promise<T>): Promise<T> {
  const { close } = await openTracing(log);
  try {
    return await inSpan(`relay ${command}`, {}, work);
  } finally {
    await close();
  }
}
