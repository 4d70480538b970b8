import { html } from "hono/html";
import { Hono } from "hono";
import { isOperator } from "../../app/viewer.ts";
import { issueName } from "../../domain/issue.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Backlog, countBacklog } from "../../storage/backlog.ts";
import type { Db } from "../../storage/db.ts";
import { type DeadLetter, listDeadLetters } from "../../storage/dead-letters.ts";
import type { PageEnv } from "../login.ts";
import { missing, shown } from "./answer.ts";
import { type Markup, ago, spanText } from "./document.ts";
import { pathOf } from "./paths.ts";

/** `/queue`. */
export function queueRoutes({ db, clock }: { db: () => Db; clock: Clock }): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  routes.get("/queue", async (c) => {
    if (!isOperator(c.get("viewer"))) return await missing(c, "The queue is for who runs Relay.");
    const main = queuePage(await countBacklog(db(), clock), await listDeadLetters(db()), clock.now());
    return await shown(c, { title: "Queue", at: "/queue" }, main);
  });
  return routes;
}

/** What waits to be worked off, and what failed for good until somebody tries it again. */
function queuePage(backlog: Backlog, letters: readonly DeadLetter[], now: Date): Markup {
  return html`<h1>Queue</h1>
    <p class="facts">
      <span>${backlog.waiting} ${backlog.waiting === 1 ? "delivery waits" : "deliveries wait"}</span>
      ${backlog.waiting === 0 ? "" : html`<span>the oldest for ${spanText(backlog.oldestSeconds * 1_000)}</span>`}
    </p>
    <h2>Dead letters</h2>
    ${
      letters.length === 0
        ? html`<p class="empty">None: nothing has failed for good.</p>`
        : html`<ul class="letters">
            ${letters.map(
              ({ what, issue, attempts, error, deadLetteredAt }) =>
                html`<li data-item>
                  <a href="${pathOf(issue)}">${issueName(issue)}</a>
                  ${what === "delivery" ? "a delivery" : "its work"} failed ${attempts} times, the last time
                  ${ago(deadLetteredAt, now)}
                  <pre>${error}</pre>
                  <p class="hint"><code>relay retry ${issue.externalIssueId}</code> tries it again.</p>
                </li>`,
            )}
          </ul>`
    }`;
}
