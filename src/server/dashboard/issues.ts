import { html } from "hono/html";
import type { IssueState } from "../../domain/lifecycle.ts";
import type { ListedIssue } from "../../storage/issue-lists.ts";
import { type Markup, ago } from "./document.ts";
import { pathOf } from "./paths.ts";

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
export function viewIn(text: string | undefined): View {
  return VIEWS.find(({ name }) => name === text) ?? OPEN;
}

/** How many issues a view has. */
export function countIn({ states }: Pick<View, "states">, counts: ReadonlyMap<IssueState, number>): number {
  const isWanted = (state: IssueState) =>
    typeof states === "string" ? states === "all" || !["done", "closed"].includes(state) : states.includes(state);
  return [...counts].reduce((sum, [state, count]) => sum + (isWanted(state) ? count : 0), 0);
}

const STATES: Record<IssueState, string> = {
  pending_plan: "waits for quiet",
  planning: "reading",
  clarifying: "waits for answers",
  awaiting_proceed: "waits for the go-ahead",
  specifying: "writing the spec",
  waiting_confirmation: "waits for a yes",
  queued: "waits for a worker",
  in_progress: "at work",
  in_review: "in review",
  done: "done",
  stuck: "stuck",
  failed: "failed",
  paused: "paused",
  closed: "closed",
};

export interface Listed {
  issues: readonly ListedIssue[];
  view: View;
  query: string;
  counts: ReadonlyMap<IssueState, number>;
  /** The address of the next page; null on the last. */
  next: string | null;
  now: Date;
}

/** The list of issues: one line each, the last changed first. */
export function issuesPage({ issues, view, query, counts, next, now }: Listed): Markup {
  return html`<h1>Issues</h1>
    <nav class="views" aria-label="Show">
      ${VIEWS.map((one) => {
        const search = new URLSearchParams({ show: one.name, ...(query === "" ? {} : { q: query }) });
        return html`<a href="/issues?${search.toString()}" ${one === view ? html`aria-current="true"` : ""}
          >${one.title} <span class="count">${countIn(one, counts)}</span></a
        >`;
      })}
    </nav>
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
            <td data-label="State"><span class="state ${issue.state}">${STATES[issue.state]}</span></td>
            <td data-label="Repository" class="repository">${issue.externalProjectId}</td>
            <td data-label="Changed">${ago(issue.updatedAt, now)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
