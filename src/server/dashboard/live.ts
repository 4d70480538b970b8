import type { Handler } from "hono";
import { streamSSE } from "hono/streaming";
import { sleep } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { isRowId } from "../api/texts.ts";
import { lastEntry } from "../../storage/audit.ts";
import type { Db } from "../../storage/db.ts";
import type { PageEnv } from "../login.ts";

const LOOK_MS = 1_000;
/** A comment now and then keeps proxies from closing a silent stream. */
const BEAT_MS = 20_000;

/**
 * `/live`: says when something changed, of one issue with `?issue=ID`. It ends when the browser leaves or the server
 * begins to stop.
 */
export function liveRoute({ db, stopping }: { db: () => Db; stopping: AbortSignal }): Handler<PageEnv> {
  return (c) => {
    const issue = c.req.query("issue") ?? null;
    if (issue !== null && !isRowId(issue)) throw new RelayError("invalid", "`issue` must be the id of an issue");
    const viewer = c.get("viewer");
    return streamSSE(c, async (stream) => {
      const left = new AbortController();
      stream.onAbort(() => left.abort());
      const signal = AbortSignal.any([left.signal, stopping]);
      let seen: string | null = c.req.header("last-event-id") ?? null;
      let quietMs = 0;
      while (!signal.aborted) {
        const now = await lastEntry(db(), issue, viewer);
        if (seen !== null && now !== seen) await stream.writeSSE({ event: "changed", data: "", id: now });
        else if (seen === null) await stream.writeSSE({ event: "ready", data: "", id: now });
        quietMs = now === seen ? quietMs + LOOK_MS : 0;
        seen = now;
        if (quietMs >= BEAT_MS) {
          quietMs = 0;
          await stream.write(": still here\n\n");
        }
        await sleep(LOOK_MS, signal).catch(() => {});
      }
    });
  };
}
