import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";
import { sha256Of } from "../lib/sha256.ts";

const sessionRow = camelRow({
  login: z.string(),
  by: z.string(),
  accountId: z.string().nullable(),
  expiresAt: z.date(),
});

/**
 * Who is logged in, and how: with a one-time link, the admin token, or the tracker of this name, whose account is
 * `accountId`.
 */
export type Session = z.infer<typeof sessionRow>;

/** How long a session lasts in total, and without being used, in milliseconds. */
export const SESSION_MS = 30 * 86_400_000;
const IDLE_MS = 7 * 86_400_000;
/** How exactly its last use is known. */
const USED_MS = 10 * 60_000;

/** Begins a session and returns its token, of which only the hash is stored (R-SAFE-4). Removes ended sessions. */
export async function beginSession(
  db: Db,
  { login, by, accountId }: Omit<Session, "expiresAt">,
  clock: Clock,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const now = clock.now();
  await db.execute(`delete from sessions where expires_at < $1 or used_at < $2`, [now, before(now, IDLE_MS)]);
  await db.execute(
    `insert into sessions (token_sha256, login, by, account_id, created_at, used_at, expires_at)
     values ($1, $2, $3, $4, $5, $5, $6)`,
    [sha256Of(token), login, by, accountId, now, new Date(now.getTime() + SESSION_MS)],
  );
  return token;
}

/** The session of a token; null if there is none, or it has ended. */
export async function findSession(db: Db, token: string, clock: Clock): Promise<Session | null> {
  const now = clock.now();
  const session = await db.maybeOne(
    sessionRow,
    `select login, by, account_id, expires_at from sessions
     where token_sha256 = $1 and expires_at > $2 and used_at > $3`,
    [sha256Of(token), now, before(now, IDLE_MS)],
  );
  if (session === null) return null;
  await db.execute(`update sessions set used_at = $2 where token_sha256 = $1 and used_at < $3`, [
    sha256Of(token),
    now,
    before(now, USED_MS),
  ]);
  return session;
}

export async function endSession(db: Db, token: string): Promise<void> {
  await db.execute(`delete from sessions where token_sha256 = $1`, [sha256Of(token)]);
}

/**
 * Ends all sessions of a tracker's account: its login belongs to someone else now, or it may not see anything any more.
 */
export async function endSessionsOf(db: Db, { by, accountId }: Pick<Session, "by" | "accountId">): Promise<void> {
  await db.execute(`delete from sessions where by = $1 and account_id = $2`, [by, accountId]);
}

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms);
}
