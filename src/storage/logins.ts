import { z } from "zod";
import type { HostedName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

const begunRow = camelRow({ verifier: z.string(), target: z.string() });

/** A login that was started at a tracker: what the exchange needs, and where it leads afterwards. */
export type BegunLogin = z.infer<typeof begunRow>;

/** How long a login may take, in milliseconds. */
export const LOGIN_MS = 10 * 60_000;

/** Identifies a login: hashes of the returned state, and of a secret that the browser holds. */
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

/** Takes a login that this browser started; null if it did not, if it was already taken, or if it took too long. */
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

/** How long an attempt counts, in milliseconds. */
export const TRIES_MS = 60_000;

/** Attempts of one kind from an address, and how many of them are allowed within a minute. */
export interface Tries {
  address: string;
  kind: string;
  most: number;
}

/**
 * Counts an attempt from an address, across all processes; true if there were more than `most` in the last minute
 * (R-SAFE-4).
 */
export async function areTooManyTries(db: Db, tries: Tries, clock: Clock): Promise<boolean> {
  const now = clock.now();
  await db.execute(`delete from login_tries where at < $1`, [startOfTries(now)]);
  await db.execute(`insert into login_tries (address, kind, at) values ($1, $2, $3)`, [tries.address, tries.kind, now]);
  return (await triesSoFar(db, tries, clock)) > tries.most;
}

/** Whether the next attempt would be one too many; counts nothing. */
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

/** Forgets the attempts from an address, since they turned out not to be guesses. */
export async function forgetTries(db: Db, { address, kind }: { address: string; kind: string }): Promise<void> {
  await db.execute(`delete from login_tries where address = $1 and kind = $2`, [address, kind]);
}
