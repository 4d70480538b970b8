import { randomBytes, timingSafeEqual } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { type Context, type MiddlewareHandler, Hono } from "hono";
import { type Viewer, operatorView } from "../app/people/viewer.ts";
import { API_TOKEN, type ApiToken, findToken, revokeTokensOf } from "../storage/api-tokens.ts";
import { type Tries, areTooManyTries, forgetTries } from "../storage/logins.ts";
import { type Session, endSessionsOf } from "../storage/sessions.ts";
import { clientAddress } from "./client-address.ts";
import { type LoginProblem, loginPage } from "./dashboard/login-page.ts";
import { safeTarget } from "./safe-target.ts";
import { type CookieDeps, sessionIn, startSession, stopSession } from "./session-cookie.ts";
import { type LoginAttempts, storedAttempts } from "./login-attempts.ts";
import { type TrackerLoginDeps, trackerLoginRoutes } from "./tracker-login.ts";
import { sha256Of } from "../lib/sha256.ts";

export interface LoginDeps extends TrackerLoginDeps {
  /** The secret of `RELAY_ADMIN_TOKEN`; null if none is set. */
  adminToken: string | null;
  /** The login of whoever has the admin token or a link: the account that runs Relay. */
  operator: string;
  links: LoginLinks;
}

/**
 * What the guard alone needs; without `logins` and `viewers`, nobody is logged in by a tracker. Without `tries`, failed
 * logins are counted in the database.
 */
export type GuardDeps = CookieDeps &
  Pick<LoginDeps, "adminToken" | "operator" | "trustedProxies"> &
  Partial<Pick<LoginDeps, "logins" | "viewers"> & { tries: LoginAttempts }>;

export interface PageEnv {
  Bindings: HttpBindings;
  /** `viewer`: what they may see, and do; `session`: how they logged in. */
  Variables: { session: Session; viewer: Viewer };
}

type LoginContext = Context<{ Bindings: HttpBindings }>;

/** Failed logins that one address has in a minute; for the rest of it, no more are checked (R-SAFE-4). */
const MOST_FAILURES = 10;

/** Links that log one browser in, once, until this process ends. */
export class LoginLinks {
  readonly #tokens = new Set<string>();

  /** The path of a new link, with its token. */
  make(): string {
    const token = randomBytes(32).toString("base64url");
    this.#tokens.add(sha256Of(token));
    return `/login?link=${token}`;
  }

  /** Whether the link is valid; this uses it up. */
  use(token: string): boolean {
    return this.#tokens.delete(sha256Of(token));
  }
}

/** The caller, and the personal token that they use; null for a session, the admin token and the link. */
interface Login {
  session: Session;
  token: ApiToken | null;
}

/**
 * Lets logged-in callers pass: with a session's cookie, or with the admin token in `Authorization: Bearer`; `programs`
 * also with a personal token, which opens no page. Browsers are sent to the login page; programs get 401, or 429 after
 * too many wrong bearers or logins (R-SAFE-4).
 */
export function loginGuard(deps: GuardDeps, who: "people" | "programs"): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    const session = await sessionIn(c, deps);
    const login = session === null ? await bearerIn(c, deps, who) : { session, token: null };
    if (login === "busy") {
      const error = "too many wrong logins from this address; wait a minute, and check the token";
      return c.json({ error }, 429, { "retry-after": "60" });
    }
    const viewer = login === null ? null : await viewerOf(login, deps);
    if (login === null || viewer === null) {
      const wantsPage = c.req.method === "GET" && (c.req.header("accept") ?? "").includes("text/html");
      const target = new URL(c.req.url);
      if (wantsPage) return c.redirect(`/login?to=${encodeURIComponent(target.pathname + target.search)}`, 303);
      return c.json(
        { error: "this needs a login: open /login, or send the admin token, or one of your own, as a bearer" },
        401,
        {
          "www-authenticate": "Bearer",
        },
      );
    }
    c.set("session", login.session);
    c.set("viewer", viewer);
    await next();
    return undefined;
  };
}

/**
 * Null refuses the call: the login by this tracker is not set up any more, or the account may see nothing now, which
 * ends its sessions and revokes its tokens.
 */
async function viewerOf({ session, token }: Login, { db, logins = [], viewers }: GuardDeps): Promise<Viewer | null> {
  const { by, login, accountId } = session;
  if (accountId === null) return operatorView(login);
  const known = logins.find(({ provider }) => provider === by);
  if (known === undefined || viewers === undefined) return null;
  const account = { provider: known.provider, accountId };
  const viewer = await viewers.viewerOf({ ...account, login });
  if (viewer === null) {
    await endSessionsOf(db(), { by, accountId });
    await revokeTokensOf(db(), account);
    return null;
  }
  return token === null ? viewer : { ...viewer, token: { name: token.name, acts: token.acts } };
}

/** `/login` and `/logout`. */
export function loginRoutes(deps: LoginDeps): Hono<{ Bindings: HttpBindings }> {
  const routes = new Hono<{ Bindings: HttpBindings }>();
  const page = (to: string, problem: LoginProblem | null) =>
    loginPage({ to, problem, hasToken: deps.adminToken !== null, logins: deps.logins });
  const tried = (c: LoginContext) => failuresOf(c, deps.trustedProxies);

  routes.get("/login", async (c) => {
    const to = safeTarget(c.req.query("to"));
    const link = c.req.query("link");
    // A preview of a link, which asks for the head only, must not use it up.
    if (link === undefined || c.req.method === "HEAD") return c.html(page(to, null));
    if ((await areTooManyTries(deps.db(), tried(c), deps.clock)) || !deps.links.use(link)) {
      return c.html(page(to, "used"), 401);
    }
    return await begin(c, { login: deps.operator, by: "link", accountId: null }, to);
  });

  routes.post("/login", async (c) => {
    const form = await c.req.parseBody();
    const to = safeTarget(textIn(form["to"]));
    if (await areTooManyTries(deps.db(), tried(c), deps.clock)) {
      return c.html(page(to, "busy"), 429, { "retry-after": "60" });
    }
    if (!isToken(textIn(form["token"]) ?? "", deps.adminToken)) return c.html(page(to, "wrong"), 401);
    return await begin(c, { login: deps.operator, by: "token", accountId: null }, to);
  });

  const begin = async (c: LoginContext, who: Omit<Session, "expiresAt">, to: string) => {
    await forgetTries(deps.db(), tried(c));
    await startSession(c, who, deps);
    return c.redirect(to, 303);
  };

  routes.post("/logout", async (c) => {
    await stopSession(c, deps);
    return c.redirect("/login", 303);
  });
  routes.route(
    "/",
    trackerLoginRoutes(deps, (c, problem, status) => c.html(page("/", problem), status)),
  );
  return routes;
}

/** Null without a bearer, or for a wrong one; `busy` if its address has failed too often to check it. */
async function bearerIn(
  c: Context<PageEnv>,
  deps: GuardDeps,
  who: "people" | "programs",
): Promise<Login | "busy" | null> {
  const { db, clock, adminToken, operator, trustedProxies, viewers } = deps;
  const [, token] = /^Bearer +(.+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
  if (token === undefined) return null;
  const count = deps.tries ?? storedAttempts(db(), clock);
  const failures = failuresOf(c, trustedProxies);
  if (await count.areUsedUp(failures)) return "busy";
  if (isToken(token, adminToken)) {
    return { session: { login: operator, by: "token", accountId: null, expiresAt: clock.now() }, token: null };
  }
  const own =
    who === "programs" && viewers !== undefined && API_TOKEN.test(token) ? await findToken(db(), token, clock) : null;
  if (own !== null) {
    const { login, provider, accountId, expiresAt } = own;
    return { session: { login, by: provider, accountId, expiresAt }, token: own };
  }
  return (await count.areTooMany(failures)) ? "busy" : null;
}

/** The failed logins of an address, by form, link or bearer: each counts until a good login forgives it. */
function failuresOf<E extends { Bindings: HttpBindings }>(c: Context<E>, trustedProxies: number): Tries {
  return { address: clientAddress(c.env.incoming, trustedProxies), kind: "failed", most: MOST_FAILURES };
}

/** Compares the token in a time that reveals nothing about it. */
export function isToken(given: string, wanted: string | null): boolean {
  return wanted !== null && timingSafeEqual(Buffer.from(sha256Of(given)), Buffer.from(sha256Of(wanted)));
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
