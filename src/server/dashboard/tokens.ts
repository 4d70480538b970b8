import { html } from "hono/html";
import { Hono } from "hono";
import { z } from "zod";
import type { TrackerLogin } from "../../app/people/logins.ts";
import { type Viewer, isOperator } from "../../app/people/viewer.ts";
import { HOSTED_NAMES } from "../../domain/issue.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Ids } from "../../lib/ids.ts";
import type { StoredAccount } from "../../storage/account-permissions.ts";
import {
  type ApiToken,
  LONGEST_TOKEN_NAME,
  MOST_TOKEN_DAYS,
  listTokens,
  makeToken,
  revokeToken,
} from "../../storage/api-tokens.ts";
import type { Db } from "../../storage/db.ts";
import type { PageEnv } from "../login.ts";
import { shown } from "./answer.ts";
import { type Markup, ago } from "./document.ts";

interface TokenDeps {
  db: () => Db;
  clock: Clock;
  ids: Ids;
  logins: readonly Pick<TrackerLogin, "provider">[];
}

/** How long a new token may be good for, in days; the second is what the form begins with. */
const DAYS = [7, 90, MOST_TOKEN_DAYS] as const;

const form = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(LONGEST_TOKEN_NAME)
    // One line of what people can see and tell apart.
    .regex(/^[\p{L}\p{N}\p{P}\p{S} ]+$/u),
  may: z.enum(["read", "act"]),
  days: z.coerce.number().int().min(1).max(MOST_TOKEN_DAYS),
});

/**
 * `/tokens`: a person's tokens for the API and MCP. Only people who are logged in on the page make and revoke them, so
 * that no token makes another; the operator sees and revokes everybody's (R-SAFE-4).
 */
export function tokenRoutes(deps: TokenDeps): Hono<PageEnv> {
  const { db, clock, ids } = deps;
  const routes = new Hono<PageEnv>();
  const about = { title: "Tokens", at: "/tokens" } as const;
  const page = async (viewer: Viewer, made: string | null) =>
    tokensPage({
      tokens: await listTokens(db(), isOperator(viewer) ? null : accountOf(viewer)),
      viewer,
      made,
      hasLogins: deps.logins.length > 0,
      now: clock.now(),
    });
  routes.get("/tokens", async (c) => await shown(c, about, await page(c.get("viewer"), null)));
  routes.post("/tokens", async (c) => {
    const viewer = c.get("viewer");
    const account = accountOf(viewer);
    const wanted = form.safeParse(await c.req.parseBody());
    if (!wanted.success) {
      const why = `a token needs a name of at most ${LONGEST_TOKEN_NAME} characters in one line, and 1 to ${MOST_TOKEN_DAYS} days`;
      throw new RelayError("invalid", why);
    }
    const { name, may, days } = wanted.data;
    const owned = { ...account, login: viewer.login, name, acts: may === "act", days };
    // The answer to the form is the only page that ever shows it.
    return await shown(c, about, await page(viewer, await makeToken(db(), owned, { clock, ids })));
  });
  routes.post("/tokens/:id{[0-9]{1,18}}/revoke", async (c) => {
    const viewer = c.get("viewer");
    const of = isOperator(viewer) ? null : accountOf(viewer);
    await revokeToken(db(), c.req.param("id"), { of, by: viewer.login }, { clock, ids });
    return c.redirect("/tokens", 303);
  });
  return routes;
}

/** Throws `forbidden` for the operator. */
function accountOf({ provider, accountId }: Viewer): StoredAccount {
  const hosted = HOSTED_NAMES.find((name) => name === provider);
  if (hosted !== undefined && accountId !== null) return { provider: hosted, accountId };
  throw new RelayError("forbidden", "a token of one’s own needs a login with an account of GitHub or GitLab");
}

interface Shown {
  tokens: readonly ApiToken[];
  viewer: Viewer;
  /** A token that was made just now. */
  made: string | null;
  /** Whether people can log in with an account of a tracker. */
  hasLogins: boolean;
  now: Date;
}

function tokensPage({ tokens, viewer, made, hasLogins, now }: Shown): Markup {
  return html`<h1>Tokens</h1>
    ${
      made === null
        ? ""
        : html`<div class="made" role="status">
            <p>This is the token. Copy it now: it is not shown again.</p>
            <pre class="secret">${made}</pre>
          </div>`
    }
    ${isOperator(viewer) ? forOperator(hasLogins) : html`<p class="hint">${FOR_PEOPLE}</p>`}
    ${
      tokens.length === 0
        ? html`<p class="empty">No tokens yet.</p>`
        : html`<table class="list">
            <thead>
              <tr>
                <th scope="col">Token</th>
                <th scope="col">May</th>
                <th scope="col">Last used</th>
                <th scope="col">Ends</th>
                <th scope="col"><span class="unseen">Revoke</span></th>
              </tr>
            </thead>
            <tbody>
              ${tokens.map((token) => rowOf(token, isOperator(viewer), now))}
            </tbody>
          </table>`
    }
    ${isOperator(viewer) ? "" : newToken()}`;
}

const FOR_PEOPLE =
  "Programs and coding agents send a token as a bearer to the API and to MCP. They see what you see, and what they say is said in your name.";

function forOperator(hasLogins: boolean): Markup {
  return html`<p class="hint">
    You run Relay: your programs send <code>RELAY_ADMIN_TOKEN</code> as a bearer.
    ${
      hasLogins
        ? "People who log in with their account of a tracker make tokens of their own here."
        : "Once people log in with their account of GitHub or GitLab, they make tokens of their own here."
    }
  </p>`;
}

function rowOf({ id, provider, login, name, acts, usedAt, expiresAt }: ApiToken, ofAll: boolean, now: Date): Markup {
  const ask = `Revoke “${name}”? What uses it is refused from then on.`;
  return html`<tr data-item>
    <td>${name}${ofAll ? html` <span class="repository">of @${login} (${provider})</span>` : ""}</td>
    <td data-label="May">${acts ? `all that @${login} may` : "read, and answer by MCP"}</td>
    <td data-label="Last used">${usedAt === null ? "never used" : ago(usedAt, now)}</td>
    <td data-label="Ends">${expiresAt <= now ? "has ended" : ago(expiresAt, now)}</td>
    <td>
      <form method="post" action="/tokens/${id}/revoke">
        <button class="quiet" data-ask="${ask}" aria-label="Revoke ${name}">Revoke</button>
      </form>
    </td>
  </tr>`;
}

function newToken(): Markup {
  return html`<h2>A new token</h2>
    <form class="write" method="post" action="/tokens">
      <label for="name">What it is for</label>
      <input
        id="name"
        name="name"
        required
        maxlength="${LONGEST_TOKEN_NAME}"
        placeholder="my editor"
        autocomplete="off"
      />
      <fieldset>
        <legend class="hint">What it may do</legend>
        <label
          ><input type="radio" name="may" value="read" checked /> Read, and answer questions by MCP: for coding
          agents</label
        >
        <label
          ><input type="radio" name="may" value="act" /> All that you may: agree, stop, comment, in your name</label
        >
      </fieldset>
      <label for="days">Good for</label>
      <select id="days" name="days">
        ${DAYS.map((days) => html`<option value="${days}" ${days === DAYS[1] ? "selected" : ""}>${days} days</option>`)}
      </select>
      <p class="buttons"><button>Make the token</button></p>
    </form>`;
}
