import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { type Context, type MiddlewareHandler, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { type Viewer, operatorView } from "../app/viewer.ts";
import type { Clock } from "../lib/clock.ts";
import type { Db } from "../storage/db.ts";
import { type Session, SESSION_MS, beginSession, endSession, findSession } from "../storage/sessions.ts";
import { loginPage } from "./dashboard/login-page.ts";

export interface LoginDeps {
  /** Throws `unavailable` until the database is there. */
  db: () => Db;
  clock: Clock;
  /** The secret of `RELAY_ADMIN_TOKEN`; null if none is set. */
  adminToken: string | null;
  /** The one who has the admin token or the link: the account that runs Relay. */
  operator: string;
  links: LoginLinks;
  /** Whether browsers reach Relay by TLS: cookies are then sent by nothing else. */
  secure: boolean;
}

export interface PageEnv {
  Bindings: HttpBindings;
  /** `viewer`: what they may see, and do; `session`: how they logged in. */
  Variables: { session: Session; viewer: Viewer };
}

type LoginContext = Context<{ Bindings: HttpBindings }>;

/** Failed logins of one address within a minute, after which none of its is looked at for the rest of it (R-SAFE-4). */
const MOST_FAILURES = 10;
const FAILURES_MS = 60_000;
const MOST_ADDRESSES = 1_000;

/** Links that log one browser in, once, until this process ends. */
export class LoginLinks {
  readonly #tokens = new Set<string>();

  /** The path of a new link, with its token. */
  make(): string {
    const token = randomBytes(32).toString("base64url");
    this.#tokens.add(hashOf(token));
    return `/login?link=${token}`;
  }

  /** Whether the link is good; it is used up by that. */
  use(token: string): boolean {
    return this.#tokens.delete(hashOf(token));
  }
}

/**
 * Lets pass who is logged in, by a session's cookie or `Authorization: Bearer` with the admin token; browsers are sent to
 * the login page, and programs get 401.
 */
export function loginGuard(deps: LoginDeps): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    const session = (await sessionIn(c, deps)) ?? bearerIn(c, deps);
    if (session === null) {
      const wantsPage = c.req.method === "GET" && (c.req.header("accept") ?? "").includes("text/html");
      const target = new URL(c.req.url);
      if (wantsPage) return c.redirect(`/login?to=${encodeURIComponent(target.pathname + target.search)}`, 303);
      return c.json({ error: "this needs a login: open /login, or send the admin token as a bearer" }, 401, {
        "www-authenticate": "Bearer",
      });
    }
    c.set("session", session);
    c.set("viewer", operatorView(session.login));
    await next();
    return undefined;
  };
}

/** `/login` and `/logout`. */
export function loginRoutes(deps: LoginDeps): Hono<{ Bindings: HttpBindings }> {
  const routes = new Hono<{ Bindings: HttpBindings }>();
  const failures = new Failures(deps.clock);

  routes.get("/login", async (c) => {
    const to = safeTarget(c.req.query("to"));
    const link = c.req.query("link");
    if (link === undefined) return c.html(loginPage({ to, problem: null, hasToken: deps.adminToken !== null }));
    if (failures.areTooMany(c) || !deps.links.use(link)) {
      failures.add(c);
      return c.html(loginPage({ to, problem: "used", hasToken: deps.adminToken !== null }), 401);
    }
    return await begin(c, { login: deps.operator, by: "link" }, to, deps);
  });

  routes.post("/login", async (c) => {
    const form = await c.req.parseBody();
    const to = safeTarget(textIn(form["to"]));
    if (failures.areTooMany(c)) {
      return c.html(loginPage({ to, problem: "busy", hasToken: deps.adminToken !== null }), 429, {
        "retry-after": "60",
      });
    }
    if (!isToken(textIn(form["token"]) ?? "", deps.adminToken)) {
      failures.add(c);
      return c.html(loginPage({ to, problem: "wrong", hasToken: deps.adminToken !== null }), 401);
    }
    return await begin(c, { login: deps.operator, by: "token" }, to, deps);
  });

  routes.post("/logout", async (c) => {
    const token = getCookie(c, cookieName(deps));
    if (token !== undefined) await endSession(deps.db(), token);
    deleteCookie(c, cookieName(deps), { path: "/", secure: deps.secure });
    return c.redirect("/login", 303);
  });
  return routes;
}

async function begin(
  c: Context,
  who: Pick<Session, "login" | "by">,
  to: string,
  deps: Pick<LoginDeps, "db" | "clock" | "secure">,
): Promise<Response> {
  setCookie(c, cookieName(deps), await beginSession(deps.db(), who, deps.clock), {
    path: "/",
    httpOnly: true,
    secure: deps.secure,
    sameSite: "Lax",
    maxAge: SESSION_MS / 1_000,
  });
  return c.redirect(to, 303);
}

async function sessionIn(c: Context, deps: LoginDeps): Promise<Session | null> {
  const token = getCookie(c, cookieName(deps));
  return token === undefined ? null : await findSession(deps.db(), token, deps.clock);
}

function bearerIn(c: Context, { adminToken, operator, clock }: LoginDeps): Session | null {
  const [, token = ""] = /^Bearer +(.+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
  return isToken(token, adminToken) ? { login: operator, by: "token", expiresAt: clock.now() } : null;
}

/** A browser takes the `__Host-` prefix only by TLS. */
function cookieName({ secure }: Pick<LoginDeps, "secure">): string {
  return secure ? "__Host-relay" : "relay";
}

/** In time that tells nothing about the token. */
function isToken(given: string, wanted: string | null): boolean {
  return wanted !== null && timingSafeEqual(Buffer.from(hashOf(given)), Buffer.from(hashOf(wanted)));
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A path of this server, else its first page: a link must not lead elsewhere after the login. */
function safeTarget(to: string | undefined): string {
  return to !== undefined && /^\/(?![/\\])[\u0021-\u007E]*$/.test(to) ? to : "/";
}

/** Failed logins by address: of those that connect, since headers can say anything. */
class Failures {
  readonly #times = new Map<string, number[]>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(c: LoginContext): void {
    const address = addressOf(c);
    const times = this.#recent(address);
    this.#times.delete(address);
    this.#times.set(address, [...times, this.#clock.now().getTime()]);
    const [oldest] = this.#times.keys();
    if (this.#times.size > MOST_ADDRESSES && oldest !== undefined) this.#times.delete(oldest);
  }

  areTooMany(c: LoginContext): boolean {
    return this.#recent(addressOf(c)).length >= MOST_FAILURES;
  }

  #recent(address: string): number[] {
    const since = this.#clock.now().getTime() - FAILURES_MS;
    return (this.#times.get(address) ?? []).filter((at) => at > since);
  }
}

function addressOf(c: LoginContext): string {
  return c.env.incoming.socket.remoteAddress ?? "";
}
