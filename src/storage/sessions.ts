import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

const sessionRow = camelRow({ login: z.string(), by: z.string(), expiresAt: z.date() });

/** Who is logged in to the dashboard, and by what: a one-time link, the admin token, or a tracker's name. */
export type Session = z.infer<typeof sessionRow>;

/** How long a session lasts, in milliseconds. */
export const SESSION_MS = 30 * 86_400_000;

/** Begins a session and returns its token, of which only the hash is stored (R-SAFE-4). Ended sessions go. */
export async function beginSession(
  db: Db,
  { login, by }: Pick<Session, "login" | "by">,
  clock: Clock,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const now = clock.now();
  await db.execute(`delete from sessions where expires_at < $1`, [now]);
  await db.execute(
    `insert into sessions (token_sha256, login, by, created_at, expires_at) values ($1, $2, $3, $4, $5)`,
    [hashOf(token), login, by, now, new Date(now.getTime() + SESSION_MS)],
  );
  return token;
}

/** The session of a token; null if there is none, or it has ended. */
export async function findSession(db: Db, token: string, clock: Clock): Promise<Session | null> {
  return await db.maybeOne(
    sessionRow,
    `select login, by, expires_at from sessions where token_sha256 = $1 and expires_at > $2`,
    [hashOf(token), clock.now()],
  );
}

export async function endSession(db: Db, token: string): Promise<void> {
  await db.execute(`delete from sessions where token_sha256 = $1`, [hashOf(token)]);
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
