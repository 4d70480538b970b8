import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { html } from "hono/html";
import { HOSTED } from "../../../adapters/trackers/registry.ts";
import { type Acts, LONGEST_WORDS } from "../../../app/people/acts.ts";
import { decisionIn } from "../../../app/people/decisions.ts";
import type { Viewer } from "../../../app/people/viewer.ts";
import type { HostedName, Issue } from "../../../domain/issue.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Db } from "../../../storage/db.ts";
import type { IssueOverview } from "../../../storage/issue-overview.ts";
import { listUnposted } from "../../../storage/proxied-comments.ts";
import type { PageEnv } from "../../login.ts";
import { type Markup, ago } from "../document.ts";
import { issueAt, pathOf } from "../paths.ts";
import { nextButtons } from "./next-words.ts";

/**
 * The form by which people of its tracker comment on a hosted issue; others read why they cannot. Also shows comments
 * that are not posted yet.
 */
export async function hostedSpeaking(
  issue: Issue,
  provider: HostedName,
  viewer: Viewer,
  { db, clock, overview }: { db: Db; clock: Clock; overview: IssueOverview },
): Promise<Markup> {
  const { title } = HOSTED[provider];
  const waiting = await listUnposted(db, issue.id, viewer.login);
  const shown = waiting.map(
    ({ login, words, saidAt, refused }) =>
      html`<article class="said other">
        <header>
          <strong>@${login}</strong> ${ago(saidAt, clock.now())}
          <span class="chip">${refused === null ? `waits for ${title}` : `not said: ${refused}`}</span>
        </header>
        <div class="text"><p>${words}</p></div>
      </article>`,
  );
  if (viewer.provider !== provider) {
    return html`${shown}
      <p class="hint">To speak here, log in with ${title}: the thread shows who said what.</p>`;
  }
  return html`${shown}
    <form class="write" method="post" action="${pathOf(issue)}/say" id="say">
      <input type="hidden" name="key" value="${randomUUID()}" />
      <input type="hidden" name="plan" value="${overview.plan?.id ?? "0"}" />
      <label for="text">Comment as @${viewer.login}</label>
      <textarea id="text" name="text" rows="4" maxlength="${LONGEST_WORDS}"></textarea>
      <p class="hint">It stands in the thread on ${title} too, and counts as your comment there.</p>
      <p class="buttons">
        <button>Comment</button>
        ${nextButtons(issue, overview)}
      </p>
    </form>`;
}

/** The plan that a form showed; null where it does not say. */
export function planIn(field: string): string | null {
  return /^\d{1,18}$/.test(field) ? field : null;
}

/** `POST /issues/…/say` at hosted issues: in the name of the logged-in person, whatever the form says. */
export function speakingRoutes({ acts }: { acts: Acts }): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  routes.post("/issues/*", async (c, next) => {
    const path = new URL(c.req.url).pathname.slice("/issues/".length);
    const address = path.endsWith("/say") ? issueAt(path.slice(0, -"/say".length)) : null;
    if (address === null || address.provider === "local") return await next();
    const form = await c.req.parseBody();
    const field = (name: string) => (typeof form[name] === "string" ? form[name] : "");
    const decision = decisionIn(field("decision"));
    if (decision !== null) await acts.decide(address, decision, c.get("viewer"));
    else await acts.say(address, field("text"), c.get("viewer"), field("key"), planIn(field("plan")));
    return c.redirect(`${pathOf(address)}#say`, 303);
  });
  return routes;
}
