import { html } from "hono/html";
import { Hono } from "hono";
import type { IssueState } from "../../domain/lifecycle.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../storage/db.ts";
import { type ListedIssue, countByState, listPage } from "../../storage/issue-lists.ts";
import type { PageEnv } from "../login.ts";
import { shown } from "./answer.ts";
import { type Markup, ago } from "./document.ts";
import { pathOf } from "./paths.ts";
import { STATE_WORDS } from "./words.ts";

const ISSUES_A_PAGE = 50;

/** `/issues`: all of them, to narrow down and to search. */
export function issueListRoutes({ db, clock }: { db: () => Db; clock: Clock }): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  routes.get("/issues", async (c) => {
    const sight = c.get("viewer");
    const query = (c.req.query("q") ?? "").trim().slice(0, 200);
    const view = viewIn(c.req.query("show") ?? (query === "" ? undefined : "all"));
    const before = placeIn(c.req.query("before"));
    const issues = await listPage(db(), { sight, states: view.states, query, before, most: ISSUES_A_PAGE + 1 });
    const last = issues.length > ISSUES_A_PAGE ? issues[ISSUES_A_PAGE - 1] : undefined;
    const next =
      last &&
      new URLSearchParams({
        show: view.name,
        q: query,
        before: `${last.updatedAt.toISOString()} ${last.id}`,
      }).toString();
    const main = issuesPage({
      issues: issues.slice(0, ISSUES_A_PAGE),
      view,
      query,
      counts: await countByState(db(), sight),
      next: next === undefined ? null : `/issues?${next}`,
      now: clock.now(),
    });
    return await shown(c, { title: "Issues", at: "/issues", query }, main);
  });
  return routes;
}

/** After which issue a page of the list begins. */
function placeIn(text = ""): { updatedAt: Date; id: string } | null {
  const [time = "", id = ""] = text.split(" ");
  const updatedAt = new Date(time);
  return Number.isNaN(updatedAt.getTime()) || !/^\d{1,19}$/.test(id) ? null : { updatedAt, id };
}

interface View {
  name: string;
  title: string;
  states: "open" | "all" | readonly IssueState[];
}

export const OPEN: View = { name: "open", title: "Open", states: "open" };

/** What the list can be narrowed to. */
const VIEWS: readonly View[] = [
  OPEN,
  {
    name: "waiting",
    title: "Waiting for people",
    states: ["clarifying", "awaiting_proceed", "waiting_confirmation", "in_review", "stuck"],
  },
  { name: "work", title: "At work", states: ["pending_plan", "planning", "specifying", "queued", "in_progress"] },
  { name: "done", title: "Done", states: ["done", "closed"] },
  { name: "all", title: "All", states: "all" },
];

/** The view of this name; the open issues without one. */
function viewIn(text: string | undefined): View {
  return VIEWS.find(({ name }) => name === text) ?? OPEN;
}

/** How many issues a view has. */
export function countIn({ states }: Pick<View, "states">, counts: ReadonlyMap<IssueState, number>): number {
  const isWanted = (state: IssueState) =>
    typeof states === "string" ? states === "all" || !["done", "closed"].includes(state) : states.includes(state);
  return [...counts].reduce((sum, [state, count]) => sum + (isWanted(state) ? count : 0), 0);
}

interface Listed {
  issues: readonly ListedIssue[];
  view: View;
  query: string;
  counts: ReadonlyMap<IssueState, number>;
  /** The address of the next page; null on the last. */
  next: string | null;
  now: Date;
}

/** The list of issues: one line each, the last changed first. */
function issuesPage({ issues, view, query, counts, next, now }: Listed): Markup {
  return html`<h1>Issues</h1>
    <nav class="views" aria-label="Show">
      ${VIEWS.map((one) => {
        const search = new URLSearchParams({ show: one.name, ...(query === "" ? {} : { q: query }) });
        return html`<a href="/issues?${search.toString()}" ${one === view ? html`aria-current="true"` : ""}
          >${one.title} <span class="count">${countIn(one, counts)}</span></a
        >`;
      })}
    </nav>
    ${
      query === ""
        ? ""
        : html`<p class="hint">
            <a href="/search?${new URLSearchParams({ q: query }).toString()}">Search the code for “${query}”</a>
          </p>`
    }
    ${issues.length === 0 ? noneFound(query, countIn({ states: "all" }, counts)) : tableOf(issues, now)}
    ${next === null ? "" : html`<p class="foot"><a rel="next" href="${next}">Older</a></p>`}`;
}

function noneFound(query: string, all: number): Markup {
  if (query !== "") return html`<p class="empty start">No issue here matches “${query}”.</p>`;
  if (all > 0) return html`<p class="empty start">None here.</p>`;
  return html`<p class="empty start">
    No issues yet. Assign Relay to one in your tracker, or run <code>relay demo</code> to see a whole story.
  </p>`;
}

function tableOf(issues: readonly ListedIssue[], now: Date): Markup {
  return html`<table class="list">
    <thead>
      <tr>
        <th scope="col">Issue</th>
        <th scope="col">State</th>
        <th scope="col">Repository</th>
        <th scope="col">Changed</th>
      </tr>
    </thead>
    <tbody>
      ${issues.map(
        (issue) =>
          html`<tr data-item>
            <td>
              <a href="${pathOf(issue)}"><span class="number">#${issue.externalIssueId}</span> ${issue.title}</a>
            </td>
            <td data-label="State"><span class="state ${issue.state}">${STATE_WORDS[issue.state]}</span></td>
            <td data-label="Repository" class="repository">${issue.externalProjectId}</td>
            <td data-label="Changed">${ago(issue.updatedAt, now)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
