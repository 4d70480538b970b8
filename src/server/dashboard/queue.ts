import { html } from "hono/html";
import { issueName } from "../../domain/issue.ts";
import type { Backlog } from "../../storage/backlog.ts";
import type { DeadLetter } from "../../storage/dead-letters.ts";
import { type Markup, ago, spanText } from "./document.ts";
import { pathOf } from "./paths.ts";

/** What waits to be worked off, and what failed for good until somebody tries it again. */
export function queuePage(backlog: Backlog, letters: readonly DeadLetter[], now: Date): Markup {
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
