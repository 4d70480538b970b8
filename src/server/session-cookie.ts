import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Clock } from "../lib/clock.ts";
import type { Db } from "../storage/db.ts";
import { type Session, SESSION_MS, beginSession, endSession, findSession } from "../storage/sessions.ts";

export interface CookieDeps {
  /** Throws `unavailable` until the database is there. */
  db: () => Db;
  clock: Clock;
  /** Whether browsers reach Relay by TLS: cookies are then sent over TLS only. */
  secure: boolean;
}

/** Begins a session in this browser and ends the one that it had, so that a planted token is worth nothing. */
export async function startSession(
  c: Context,
  who: Omit<Session, "expiresAt">,
  { db, clock, secure }: CookieDeps,
): Promise<void> {
  const earlier = getCookie(c, cookieName({ secure }));
  if (earlier !== undefined) await endSession(db(), earlier);
  setCookie(c, cookieName({ secure }), await beginSession(db(), who, clock), {
    ...attributes(secure),
    maxAge: SESSION_MS / 1_000,
  });
}

export async function sessionIn(c: Context, { db, clock, secure }: CookieDeps): Promise<Session | null> {
  const token = getCookie(c, cookieName({ secure }));
  return token === undefined ? null : await findSession(db(), token, clock);
}

export async function stopSession(c: Context, { db, secure }: CookieDeps): Promise<void> {
  const token = getCookie(c, cookieName({ secure }));
  if (token !== undefined) await endSession(db(), token);
  deleteCookie(c, cookieName({ secure }), { path: "/", secure });
}

/** A browser takes the `__Host-` prefix only by TLS. */
export function cookieName({ secure }: Pick<CookieDeps, "secure">, name = "relay"): string {
  return secure ? `__Host-${name}` : name;
}

/**
 * Attributes of cookies: sent to this host only, hidden from scripts, and sent from other sites only when they link
 * here.
 */
export function attributes(secure: boolean) {
  return { path: "/", httpOnly: true, secure, sameSite: "Lax" } as const;
}
