import type { Context } from "hono";
import { z } from "zod";
import type { TrackerEvent } from "../../domain/event.ts";
import { RelayError } from "../../lib/errors.ts";
import { type ApiRequest, keepRequest, setAnswer, setEvents } from "../../storage/api-requests.ts";
import type { Db } from "../../storage/db.ts";
import type { PageEnv } from "../login.ts";
import type { ApiDeps } from "./deps.ts";
import { plainText } from "./texts.ts";
import { sha256Of } from "../../lib/sha256.ts";

/** The headers of calls that change something. */
export const changeHeaders = z.object({
  "idempotency-key": plainText(200)
    .optional()
    .meta({ description: "The same call with the same key again has the same answer, for a day." }),
});

/** How long a call waits for the same one that is under way, in milliseconds. */
const PATIENCE_MS = 5_000;

export interface Change {
  /** Unique to the call, and the same when it is repeated; what the call does is stored under it. */
  key: string;
  /** Changes the local tracker and has Relay receive the events, once and in one transaction. */
  locally: (work: (tx: Db) => Promise<TrackerEvent[]>) => Promise<TrackerEvent[]>;
}

/**
 * Carries out a call once: a known `Idempotency-Key` gets the earlier answer. A call that failed may be sent again.
 * Throws `conflict` while the same call is under way.
 */
export async function once<T>(
  c: Context<PageEnv>,
  deps: ApiDeps,
  { status }: { status: 200 | 201 | 202 },
  work: (change: Change) => Promise<T>,
): Promise<Response> {
  const given = c.req.header("idempotency-key");
  const { login, provider } = c.get("viewer");
  const sha256 = sha256Of(`${c.req.method} ${new URL(c.req.url).pathname}\n${await c.req.text()}`);
  const by = { login, provider, key: given === undefined ? `own:${deps.ids.next()}` : `given:${given}` };
  const kept = await keepRequest(deps.db(), by, sha256, deps);
  if (kept.requestSha256 !== sha256) {
    return c.json({ error: "this Idempotency-Key came with another call before; take a new one for a new call" }, 422);
  }
  const attempt = await deps.db().tryLock(
    `api request ${kept.id}`,
    async () => {
      const request = await keepRequest(deps.db(), by, sha256, deps);
      if (request.status !== null) return request.answer;
      const answer = await work({
        key: `api:${request.id}`,
        locally: async (change) => await inTracker(request, change, deps),
      });
      await setAnswer(deps.db(), request.id, status, answer);
      return answer;
    },
    PATIENCE_MS,
  );
  if (attempt.kind === "done") return c.json(z.json().parse(attempt.value), status);
  throw new RelayError("conflict", "the same call is under way; send it again in a moment");
}

async function inTracker(
  { id, events }: ApiRequest,
  work: (tx: Db) => Promise<TrackerEvent[]>,
  { db, take }: ApiDeps,
): Promise<TrackerEvent[]> {
  if (events !== null) return events;
  return await db().transaction(async (tx) => {
    const made = await work(tx);
    await setEvents(tx, id, made);
    for (const [index, event] of made.entries()) {
      await take(tx, { provider: event.provider, deliveryId: `api:${id}:${index}`, contentKey: null, events: [event] });
    }
    return made;
  });
}
