import { html } from "hono/html";
import { isOpen } from "../../app/people/decisions.ts";
import type { Issue, IssueAddress } from "../../domain/issue.ts";
import type { TaskRequest } from "../../domain/work.ts";
import type { IssueOverview } from "../../storage/issue-overview.ts";
import type { Markup } from "./document.ts";
import { LONGEST, onceKey } from "./form.ts";
import { nextButtons } from "./issue/next-words.ts";
import { pathOf } from "./paths.ts";

/** The page on which an issue of the local tracker is opened. */
export function newIssuePage(projects: readonly string[], login: string): Markup {
  return html`<h1>Open an issue</h1>
    ${
      projects.length === 0
        ? html`<p class="empty start">
            No repository is known here. Start <code>relay serve</code> inside one, or run
            <code>relay spec ISSUE.md --repo DIR</code>.
          </p>`
        : html`<form class="write" method="post" action="/try">
            ${onceKey()}
            <label for="project">Repository</label>
            <select id="project" name="project">
              ${projects.map((name) => html`<option>${name}</option>`)}
            </select>
            <label for="as">As</label>
            <input id="as" name="as" value="${login}" required maxlength="60" />
            <label for="title">Title</label>
            <input id="title" name="title" required maxlength="250" />
            <label for="body">What is wrong, or what is wanted</label>
            <textarea id="body" name="body" rows="10" maxlength="${LONGEST}"></textarea>
            <p class="hint">It is assigned to Relay at once. Markdown works.</p>
            <button>Open the issue</button>
          </form>`
    }`;
}

/** Where people speak at an issue of the local tracker, as any of its members; and review its request. */
export function speakingForm(
  issue: Issue,
  overview: IssueOverview,
  { members, login }: { members: readonly string[]; login: string },
): Markup {
  const { request } = overview;
  const people = [...new Set([login, issue.reporter, ...members])];
  return html`<form class="write" method="post" action="${pathOf(issue)}/say" id="say">
      ${onceKey()}<input type="hidden" name="plan" value="${overview.plan?.id ?? "0"}" />
      <label for="as">As</label>
      <input id="as" name="as" list="people" value="${login}" required maxlength="60" />
      <datalist id="people">${people.map((name) => html`<option value="${name}"></option>`)}</datalist>
      <label for="text">Comment</label>
      <textarea id="text" name="text" rows="4" maxlength="${LONGEST}"></textarea>
      <p class="buttons">
        <button>Comment</button>
        ${nextButtons(issue, overview)}
      </p>
    </form>
    ${
      request?.state === "open"
        ? html`<p><a href="${pathOf(issue)}?part=changes#review">Review request ${request.number}</a></p>`
        : ""
    }`;
}

/** Where somebody reviews the request of a local issue as a whole. */
export function reviewForm(issue: IssueAddress, { number, branch }: TaskRequest, login: string): Markup {
  return html`<form class="write" method="post" action="${pathOf(issue)}/review" id="review">
    ${onceKey()}
    <h2>Review request ${number}</h2>
    <p class="hint">Merging here marks it as merged; <code>git merge ${branch}</code> merges the branch.</p>
    <label for="reviewer">As</label>
    <input id="reviewer" name="as" value="${login}" required maxlength="60" />
    <label for="text">What should be different</label>
    <textarea id="text" name="text" rows="3" maxlength="${LONGEST}"></textarea>
    <p class="buttons">
      <button name="do" value="changes">Ask for changes</button>
      <button name="do" value="merge">Mark as merged</button>
      <button class="quiet" name="do" value="close">Close</button>
    </p>
  </form>`;
}

/** Where somebody asks for a change of one file of a local request; `at` numbers the form on its page. */
export function commentForm(issue: IssueAddress, path: string, { at, login }: { at: number; login: string }): Markup {
  return html`<details class="comment">
    <summary>Comment</summary>
    <form class="write" method="post" action="${pathOf(issue)}/review">
      ${onceKey()} <input type="hidden" name="path" value="${path}" />
      <label for="as-${at}">As</label>
      <input id="as-${at}" name="as" value="${login}" required maxlength="60" />
      <label for="line-${at}">Line</label>
      <input id="line-${at}" name="line" type="number" min="1" max="2147483647" value="1" required />
      <label for="text-${at}">What should be different</label>
      <textarea id="text-${at}" name="text" rows="3" required maxlength="${LONGEST}"></textarea>
      <p class="buttons"><button name="do" value="changes">Ask for this change</button></p>
    </form>
  </details>`;
}

/**
 * Says the word that stops the work, from anywhere on the page of a local issue; null where there is nothing to stop.
 */
export function stopForm(issue: Issue, login: string): Markup | null {
  if (issue.provider !== "local" || !isOpen("stop", issue)) return null;
  const lost =
    "Stops the work. Commits stay on its branch; what the agent has not finished since the last one is lost.";
  return html`<form class="stop" method="post" action="${pathOf(issue)}/say">
    <input type="hidden" name="as" value="${login}" />
    <button name="decision" value="stop" data-key="s" data-ask="${lost}">Stop</button>
    <span class="hint">${lost}</span>
  </form>`;
}
