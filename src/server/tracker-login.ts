import { createHash, randomBytes } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { accountOf, authorization } from "../adapters/trackers/oauth.ts";
import type { TrackerLogin } from "../app/people/logins.ts";
import type { Viewers } from "../app/people/viewers.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import { LOGIN_MS, areTooManyTries, beginLogin, takeLogin } from "../storage/logins.ts";
import { clientAddress } from "./client-address.ts";
import type { LoginProblem } from "./dashboard/login-page.ts";
import { safeTarget } from "./safe-target.ts";
import { type CookieDeps, attributes, cookieName, startSession } from "./session-cookie.ts";
import { sha256Of } from "../lib/sha256.ts";

export interface TrackerLoginDeps extends CookieDeps {
  logins: readonly TrackerLogin[];
  viewers: Viewers;
  trustedProxies: number;
  log: Log;
}

type LoginContext = Context<{ Bindings: HttpBindings }>;
type Refuse = (c: LoginContext, problem: LoginProblem, status: 400 | 403 | 429 | 503) => Response | Promise<Response>;

/** Logins that one address may begin within a minute. */
const MOST_BEGUN = 30;

/**
 * `/login/PROVIDER` sends the browser to the tracker, and `/login/PROVIDER/callback` accepts the person who comes back,
 * once and only in the browser that left (R-SAFE-4). Only people who may see something get a session; the token of
 * their account is used to ask who they are, and is then forgotten.
 */
export function trackerLoginRoutes(deps: TrackerLoginDeps, refuse: Refuse): Hono<{ Bindings: HttpBindings }> {
  const routes = new Hono<{ Bindings: HttpBindings }>();
  const { db, clock, log, secure } = deps;
  for (const login of deps.logins) {
    const { provider, client, redirectUri } = login;

    routes.get(`/login/${provider}`, async (c) => {
      const address = clientAddress(c.env.incoming, deps.trustedProxies);
      if (await areTooManyTries(db(), { address, kind: "begun", most: MOST_BEGUN }, clock)) {
        return await refuse(c, "busy", 429);
      }
      // Two tabs of one browser may log in at a time.
      const browser = browserIn(c, deps) ?? newSecret();
      const [state, verifier] = [newSecret(), newSecret()];
      const keys = { stateHash: sha256Of(state), browserHash: sha256Of(browser), provider };
      await beginLogin(db(), keys, { verifier, target: safeTarget(c.req.query("to")) }, clock);
      setCookie(c, browserCookie(deps), browser, { ...attributes(secure), maxAge: LOGIN_MS / 1_000 });
      const challenge = createHash("sha256").update(verifier).digest("base64url");
      return c.redirect(authorization(client, { redirectUri, state, challenge }), 303);
    });

    routes.get(`/login/${provider}/callback`, async (c) => {
      const { state = "", code = "", error } = c.req.query();
      const browser = browserIn(c, deps);
      if (browser === null) return await refuse(c, "begun", 400);
      const keys = { stateHash: sha256Of(state), browserHash: sha256Of(browser), provider };
      const begun = await takeLogin(db(), keys, clock);
      if (begun === null) return await refuse(c, "begun", 400);
      if (error !== undefined || code === "") return await refuse(c, "refused", 403);
      try {
        const { id, login: name } = await accountOf(client, { code, redirectUri, verifier: begun.verifier });
        const viewer = await deps.viewers.viewerOf({ provider, accountId: id, login: name }, "atLogin");
        if (viewer === null || viewer.repositories?.length === 0) {
          log.info({ provider, login: name }, "a login may see nothing here");
          return await refuse(c, "stranger", 403);
        }
        await startSession(c, { login: name, by: provider, accountId: id }, deps);
        return c.redirect(begun.target, 303);
      } catch (failure) {
        if (!(failure instanceof RelayError)) throw failure;
        log.warn({ provider, error: messageOf(failure) }, "login failed");
        return failure.code === "forbidden" ? await refuse(c, "refused", 403) : await refuse(c, "unanswered", 503);
      }
    });
  }
  return routes;
}

function browserIn(c: LoginContext, deps: Pick<CookieDeps, "secure">): string | null {
  const held = getCookie(c, browserCookie(deps));
  return held !== undefined && /^[\w-]{43}$/.test(held) ? held : null;
}

const browserCookie = (deps: Pick<CookieDeps, "secure">) => cookieName(deps, "relay-login");

const newSecret = () => randomBytes(32).toString("base64url");
