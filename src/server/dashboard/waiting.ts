import { html } from "hono/html";
import type { Issue } from "../../domain/issue.ts";
import type { Stand, Standing } from "../../domain/standing.ts";
import type { IssueOverview } from "../../storage/issue-overview.ts";
import { type Markup, ago, dollars, lasting } from "./document.ts";
import { pathOf } from "./paths.ts";

/** One issue that is not over. */
export interface Card {
  issue: Issue;
  standing: Standing;
  overview: IssueOverview;
}

const COLUMNS = [
  { name: "you", title: "Waiting for you", empty: "Nothing waits for you." },
  { name: "others", title: "Waiting for others", empty: "Nobody else is waited for." },
  { name: "work", title: "Relay at work", empty: "Relay rests." },
  { name: "stuck", title: "Stuck", empty: "Nothing is stuck." },
] as const;

type Column = (typeof COLUMNS)[number]["name"];

/** What is awaited, as the person would do it; what Relay does, as it would say it. */
const TITLES: Record<Stand, string> = {
  quiet: "Waits until it is quiet",
  reading: "Reads the discussion",
  answers: "Answers",
  go_ahead: "Go-ahead for the spec",
  writing_spec: "Writes the spec",
  making_plan: "Makes the plan",
  approval: "Yes to the plan",
  halted: "Stopped: a word to go on",
  worker: "Waits for a worker",
  person: "Somebody to carry it out",
  working_plan: "Works on the change",
  working_review: "Works on the review",
  working_checks: "Mends failing checks",
  working_conflict: "Resolves a conflict",
  review: "A review",
  red_checks: "A look at red checks",
  hint: "A hint",
  conflict: "A merge of the base",
  merged: "Merged",
  no_plan: "A plan by a person",
  spec_ready: "Spec ready",
  stuck: "An answer",
  failed: "A retry",
  budget: "A new budget window",
  paused: "A word to resume",
  closed: "Closed",
  unassigned: "Unassigned",
  request_closed: "Request closed",
};

/** What is awaited or done, in a few words: `Yes to plan 2`. */
export function titleOf({ standing, overview }: Pick<Card, "standing" | "overview">): string {
  const open = overview.gaps.filter(({ status }) => status === "open").length;
  switch (standing.stand) {
    case "answers":
      return open === 1 ? "1 answer" : `${open} answers`;
    case "approval":
      return `Yes to plan ${overview.plan?.version ?? ""}`.trim();
    case "review":
      return overview.request === null ? TITLES.review : `Review of request ${overview.request.number}`;
    default:
      return TITLES[standing.stand];
  }
}

export function columnOf({ standing }: Pick<Card, "standing">, login: string): Column {
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
export function waitingPage(
  cards: readonly Card[],
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

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function cardOf(card: Card, now: Date): Markup {
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
      ${standing.until === null ? "" : html`<span>goes on ${ago(standing.until, now)}</span>`}
    </p>
  </li>`;
}
