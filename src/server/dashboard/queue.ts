import { html } from "hono/html";
import { Hono } from "hono";
import type { Acts } from "../../app/people/acts.ts";
import { CONTROLS, type Control } from "../../app/people/control.ts";
import { isOperator } from "../../app/people/viewer.ts";
import { type Issue, type IssueAddress, issueName, issueNamed } from "../../domain/issue.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { type Backlog, countBacklog } from "../../storage/backlog.ts";
import type { Db } from "../../storage/db.ts";
import { type DeadLetter, listDeadLetters } from "../../storage/dead-letters.ts";
import type { PageEnv } from "../login.ts";
import { type PageContext, missing, shown } from "./answer.ts";
import { type Markup, ago, spanText } from "./document.ts";
import { pathOf } from "./paths.ts";

interface QueueDeps {
  db: () => Db;
  clock: Clock;
  acts: Acts;
}

/** `/queue`; its forms try dead letters again, and pause, resume or retry an issue (R-SAFE-4). */
export function queueRoutes({ db, clock, acts }: QueueDeps): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  routes.get("/queue", async (c) => {
    if (!isOperator(c.get("viewer"))) return await missing(c, "The queue is for who runs Relay.");
    const main = queuePage(await countBacklog(db(), clock), await listDeadLetters(db()), clock.now());
    return await shown(c, { title: "Queue", at: "/queue" }, main);
  });
  routes.post("/queue/retry", async (c) => {
    await acts.retryLetters(await issueIn(c), c.get("viewer"));
    return c.redirect("/queue", 303);
  });
  for (const verb of CONTROLS) {
    routes.post(`/queue/control/${verb}`, async (c) => {
      const address = await issueIn(c);
      await acts.control(address, verb, c.get("viewer"));
      return c.redirect(pathOf(address), 303);
    });
  }
  return routes;
}

async function issueIn(c: PageContext): Promise<IssueAddress> {
  const { issue } = await c.req.parseBody();
  const address = typeof issue === "string" ? issueNamed(issue) : null;
  if (address !== null) return address;
  throw new RelayError("invalid", "the form names no issue; open its page again");
}

const ASKS: Record<Control, string> = {
  pause: "Pauses the issue until somebody resumes it: Relay reads and says nothing there.",
  resume: "Resumes the issue where it was paused.",
  retry: "Tries again what failed: its deliveries and its work.",
};
const TITLES: Record<Control, string> = { pause: "Pause", resume: "Resume", retry: "Retry" };

/** What the operator can do with an issue as it stands. */
export function controlForms(issue: Issue): Markup {
  const fitting = CONTROLS.filter((verb) => {
    if (verb === "resume") return issue.state === "paused" || issue.state === "closed";
    if (verb === "retry") return issue.state === "failed" || issue.state === "stuck";
    return !["paused", "closed", "done"].includes(issue.state);
  });
  return html`<p class="buttons">
    ${fitting.map(
      (verb) =>
        html`<form method="post" action="/queue/control/${verb}">
          <input type="hidden" name="issue" value="${issueName(issue)}" />
          <button class="quiet" title="${ASKS[verb]}" data-ask="${ASKS[verb]}">${TITLES[verb]}</button>
        </form>`,
    )}
  </p>`;
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
                  <form method="post" action="/queue/retry">
                    <input type="hidden" name="issue" value="${issueName(issue)}" />
                    <button>Try again</button>
                  </form>
                </li>`,
            )}
          </ul>`
    }`;
}
