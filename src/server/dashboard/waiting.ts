import { html } from "hono/html";
import { Hono } from "hono";
import type { Clock } from "../../lib/clock.ts";
import { usedSince } from "../../storage/costs.ts";
import type { Db } from "../../storage/db.ts";
import { countByState, listIssuesById, listPage } from "../../storage/issue-lists.ts";
import { overviewsOf } from "../../storage/issue-overview.ts";
import type { PageEnv } from "../login.ts";
import { shown } from "./answer.ts";
import { type Markup, ago, dollars, lasting } from "./document.ts";
import { type Standpoint, standpointOf, titleOf } from "./issue/standpoint.ts";
import { OPEN, countIn } from "./issues.ts";
import { pathOf } from "./paths.ts";
import { counted } from "./words.ts";

/** Open issues that get a card; the others are one line with a link. */
const MOST_CARDS = 100;
const DAY_MS = 86_400_000;

/** `/`: who waits for whom. */
export function waitingRoutes(deps: { db: () => Db; clock: Clock; bot: string }): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  routes.get("/", async (c) => {
    const db = deps.db();
    const now = deps.clock.now();
    const viewer = c.get("viewer");
    const listed = await listPage(db, { sight: viewer, states: "open", query: "", before: null, most: MOST_CARDS });
    const open = countIn(OPEN, await countByState(db, viewer));
    const ids = listed.map(({ id }) => id);
    const overviewOf = await overviewsOf(db, ids);
    const cards = (await listIssuesById(db, ids)).map((issue) => standpointOf(issue, overviewOf(issue.id), deps));
    const today = await usedSince(db, new Date(now.getTime() - (now.getTime() % DAY_MS)), viewer.repositories);
    const main = waitingPage(cards, { login: viewer.login, now, today, more: open - listed.length });
    return await shown(c, { title: "Waiting", at: "/" }, main);
  });
  return routes;
}

const COLUMNS = [
  { name: "you", title: "Waiting for you", empty: "Nothing waits for you." },
  { name: "others", title: "Waiting for others", empty: "Nobody else is waited for." },
  { name: "work", title: "Relay at work", empty: "Relay works on nothing right now." },
  { name: "stuck", title: "Stuck", empty: "Nothing is stuck." },
] as const;

type Column = (typeof COLUMNS)[number]["name"];

function columnOf({ standing }: Pick<Standpoint, "standing">, login: string): Column {
  const { stand, people, anyone } = standing;
  if (["stuck", "failed", "hint", "red_checks", "conflict", "paused", "budget", "no_plan"].includes(stand))
    return "stuck";
  if (people.some((name) => name.toLowerCase() === login.toLowerCase())) return "you";
  if (people.length > 0 && anyone === null) return "others";
  return anyone === null ? "work" : "you";
}

export interface Today {
  specs: number;
  requests: number;
  usd: number;
}

/** The home page: who waits for whom, by who can act now. */
function waitingPage(
  cards: readonly Standpoint[],
  { login, now, today, more }: { login: string; now: Date; today: Today; more: number },
): Markup {
  const sorted = cards.toSorted((a, b) => a.standing.since.getTime() - b.standing.since.getTime());
  return html`<h1 class="unseen">Waiting</h1>
    <div class="board">
      ${COLUMNS.map(({ name, title, empty }) => {
        const mine = sorted.filter((card) => columnOf(card, login) === name);
        return html`<section aria-labelledby="column-${name}">
          <h2 id="column-${name}">${title} <span class="count">${mine.length}</span></h2>
          ${
            mine.length === 0
              ? html`<p class="empty">${empty}</p>`
              : html`<ul class="cards">
                  ${mine.map((card) => cardOf(card, now))}
                </ul>`
          }
        </section>`;
      })}
    </div>
    ${
      cards.length === 0
        ? html`<p class="empty start">
            No open issues. Assign Relay to one in your tracker, or try <code>relay demo</code>.
          </p>`
        : ""
    }
    <p class="foot">
      Today: ${counted(today.specs, "spec")} · ${counted(today.requests, "request")} · ${dollars(today.usd)}
      ${more > 0 ? html` · <a href="/issues?state=open">${more} more open issues</a>` : ""}
    </p>`;
}

function cardOf(card: Standpoint, now: Date): Markup {
  const { issue, standing, overview } = card;
  const { plan, usage } = overview;
  const who = standing.people.map((name) => `@${name}`).join(", ");
  return html`<li class="card" data-item>
    <a href="${pathOf(issue)}">
      <strong>${who === "" ? "" : `${who}: `}${titleOf(card)}</strong>
      <span class="title"><span class="number">#${issue.externalIssueId}</span> ${issue.title}</span>
    </a>
    <p class="facts">
      <span class="repository">${issue.externalProjectId}</span>
      ${
        standing.stand === "approval" && plan !== null
          ? html`<span
              >${plan.triage.risk.toLowerCase()} risk · ${counted(plan.plan.file_changes.length, "file")}</span
            >`
          : ""
      }
      <span>for ${lasting(standing.since, now)}</span>
      ${usage.costUsd > 0 ? html`<span class="money">${dollars(usage.costUsd)}</span>` : ""}
      ${standing.until === null || standing.until <= now ? "" : html`<span>goes on ${ago(standing.until, now)}</span>`}
    </p>
  </li>`;
}
