import { z } from "zod";
import type { HostedName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

const begunRow = camelRow({ verifier: z.string(), target: z.string() });

/** A login that somebody has begun at a tracker: what the exchange needs, and where it leads then. */
export type BegunLogin = z.infer<typeof begunRow>;

/** How long a login may take, in milliseconds. */
export const LOGIN_MS = 10 * 60_000;

/** Whose login it is: hashes of the state that comes back, and of what the browser holds. */
export interface LoginKeys {
  stateHash: string;
  browserHash: string;
  provider: HostedName;
}

export async function beginLogin(
  db: Db,
  { stateHash, browserHash, provider }: LoginKeys,
  { verifier, target }: BegunLogin,
  clock: Clock,
): Promise<void> {
  const now = clock.now();
  await db.execute(`delete from begun_logins where expires_at < $1`, [now]);
  await db.execute(
    `insert into begun_logins (state_sha256, browser_sha256, provider, verifier, target, expires_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [stateHash, browserHash, provider, verifier, target, new Date(now.getTime() + LOGIN_MS)],
  );
}

/** Takes a login that this browser began; null if it did not, it was taken before, or it took too long. */
export async function takeLogin(
  db: Db,
  { stateHash, browserHash, provider }: LoginKeys,
  clock: Clock,
): Promise<BegunLogin | null> {
  return await db.maybeOne(
    begunRow,
    `delete from begun_logins where state_sha256 = $1 and browser_sha256 = $2 and provider = $3 and expires_at > $4
     returning verifier, target`,
    [stateHash, browserHash, provider, clock.now()],
  );
}

/** For how long a try counts, in milliseconds. */
export const TRIES_MS = 60_000;

/** Whose tries are counted, and how many of a minute are looked at. */
export interface Tries {
  address: string;
  kind: string;
  most: number;
}

/** Counts a try from an address, in all processes; true if those of the last minute are more than `most` (R-SAFE-4). */
export async function areTooManyTries(db: Db, tries: Tries, clock: Clock): Promise<boolean> {
  const now = clock.now();
  await db.execute(`delete from login_tries where at < $1`, [startOfTries(now)]);
  await db.execute(`insert into login_tries (address, kind, at) values ($1, $2, $3)`, [tries.address, tries.kind, now]);
  return (await triesSoFar(db, tries, clock)) > tries.most;
}

/** Whether the next try would be one too many; counts nothing. */
export async function areTriesUsedUp(db: Db, tries: Tries, clock: Clock): Promise<boolean> {
  return (await triesSoFar(db, tries, clock)) >= tries.most;
}

async function triesSoFar(db: Db, { address, kind, most }: Tries, clock: Clock): Promise<number> {
  const { count } = await db.one(
    z.object({ count: z.number() }),
    `select count(*)::int as count from (select from login_tries where address = $1 and kind = $2 and at >= $3 limit $4) tries`,
    [address, kind, startOfTries(clock.now()), most + 1],
  );
  return count;
}

function startOfTries(now: Date): Date {
  return new Date(now.getTime() - TRIES_MS);
}

/** Takes back the count of what turned out to be no guess. */
export async function forgetTries(db: Db, { address, kind }: { address: string; kind: string }): Promise<void> {
  await db.execute(`delete from login_tries where address = $1 and kind = $2`, [address, kind]);
}
