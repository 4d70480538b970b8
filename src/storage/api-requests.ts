import { z } from "zod";
import type { TrackerEvent } from "../domain/event.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";
import { eventSchema } from "./deliveries.ts";

/** How long the answer to a call is stored, in milliseconds. */
const KEPT_MS = 86_400_000;

const requestRow = camelRow({
  id: z.string(),
  requestSha256: z.string(),
  events: z.array(eventSchema).nullable(),
  status: z.number().nullable(),
  answer: z.unknown(),
});

/** An API call that changes something; `status` is null until it is answered. */
export type ApiRequest = z.infer<typeof requestRow>;

/** The caller, and their idempotency key. */
export interface RequestKey {
  login: string;
  provider: string | null;
  key: string;
}

/** Stores a call before it is carried out, unless its key is known; returns the stored one. Removes old calls. */
export async function keepRequest(
  db: Db,
  { login, provider, key }: RequestKey,
  requestSha256: string,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<ApiRequest> {
  const now = clock.now();
  await db.execute(`delete from api_requests where created_at < $1`, [new Date(now.getTime() - KEPT_MS)]);
  await db.execute(
    `insert into api_requests (id, login, provider, key, request_sha256, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing`,
    [ids.next(), login, provider, key, requestSha256, now],
  );
  return await db.one(
    requestRow,
    `select * from api_requests where lower(login) = lower($1) and coalesce(provider, '') = coalesce($2, '') and key = $3`,
    [login, provider, key],
  );
}

/** Stores what the call changed in the local tracker, in the same transaction as the change. */
export async function setEvents(tx: Db, id: string, events: readonly TrackerEvent[]): Promise<void> {
  await tx.execute(`update api_requests set events = $2 where id = $1`, [id, JSON.stringify(events)]);
}

/** Removes calls that mention an issue, in what they changed or in their answers. */
export async function forgetRequests(tx: Db, issue: Issue): Promise<void> {
  const { id, provider, externalProjectId, externalIssueId } = issue;
  await tx.execute(
    `delete from api_requests where events @> $1
       or answer @> jsonb_build_object('issue', $2::text) or answer @> jsonb_build_object('id', $3::text)
       or answer @> jsonb_build_object('source', jsonb_build_object('issue_id', $3::text))`,
    [JSON.stringify([{ provider, externalProjectId, externalIssueId }]), issueName(issue), id],
  );
}

export async function setAnswer(db: Db, id: string, status: number, answer: unknown): Promise<void> {
  await db.execute(`update api_requests set status = $2, answer = $3 where id = $1`, [
    id,
    status,
    JSON.stringify(answer),
  ]);
}
