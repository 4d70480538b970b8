import { html } from "hono/html";
import { type Issue, issueName } from "../../../domain/issue.ts";
import type { Standing } from "../../../domain/standing.ts";
import { riskOf } from "../../../domain/concern.ts";
import type { IssueOverview } from "../../../storage/issue-overview.ts";
import { type Markup, dollars, lasting } from "../document.ts";
import { pathOf } from "../paths.ts";
import { controlForms } from "../queue.ts";
import { nextTitles } from "./next-words.ts";
import { agentName, sizeText } from "../words.ts";
import { titleOf } from "./standpoint.ts";

const TABS = [
  { name: "story", title: "Story" },
  { name: "spec", title: "Spec" },
  { name: "plan", title: "Plan" },
  { name: "run", title: "Run" },
  { name: "changes", title: "Changes" },
  { name: "evidence", title: "Evidence" },
  { name: "cost", title: "Cost" },
] as const;

export type Tab = (typeof TABS)[number]["name"];

/** The tab of this name; the story without one. */
export function tabIn(text: string | undefined): Tab {
  return TABS.find(({ name }) => name === text)?.name ?? "story";
}

export interface IssueView {
  issue: Issue;
  overview: IssueOverview;
  standing: Standing;
  /** Where it stands, in one sentence. */
  words: string;
  tab: Tab;
  /** Whether they run Relay. */
  isOperator: boolean;
  /** Whether they can speak from the page. */
  maySpeak: boolean;
  now: Date;
}

/** One issue: its tab, and beside it where it stands. */
export function issuePage(view: IssueView, content: Markup): Markup {
  const { issue, tab } = view;
  const path = pathOf(issue);
  return html`<article class="issue">
    <header>
      <p class="where">${issue.externalProjectId} <span class="number">#${issue.externalIssueId}</span></p>
      <h1>${issue.title}</h1>
    </header>
    <nav class="tabs" aria-label="Parts of ${issueName(issue)}">
      ${TABS.map(
        ({ name, title }) =>
          html`<a
            href="${name === "story" ? path : `${path}?part=${name}`}"
            ${name === tab ? html`aria-current="true"` : ""}
            >${title}</a
          >`,
      )}
    </nav>
    <div class="columns">
      <div class="part">${content}</div>
      ${panel(view)}
    </div>
  </article>`;
}

function panel({ issue, overview, standing, words, tab, isOperator, maySpeak, now }: IssueView): Markup {
  const { spec, plan, request, run, usage, concerns } = overview;
  const path = pathOf(issue);
  return html`<aside aria-label="Where it stands" ${tab === "story" ? "" : html`class="brief"`}>
    <p class="stand"><strong>${titleOf({ standing, overview })}</strong></p>
    <p>${words}</p>
    ${
      maySpeak
        ? nextTitles(issue, overview)
            .filter(({ name }) => name !== "stop")
            .map(({ title }) => {
              // People who are asked should answer; going ahead without is the second choice, beside the comment.
              const shown = standing.stand === "answers" ? titleOf({ standing, overview }) : title;
              return html`<p class="next"><a class="button" href="${path}#say">${shown}</a></p>`;
            })
        : ""
    }
    <dl>
      <dt>For</dt>
      <dd>${lasting(standing.since, now)}</dd>
      ${
        standing.people.length === 0
          ? ""
          : html`<dt>Waits for</dt>
              <dd>${standing.people.map((name) => `@${name}`).join(", ")}</dd>`
      }
      ${
        spec === null
          ? ""
          : html`<dt>Spec</dt>
              <dd><a href="${path}?part=spec">version ${spec.version}</a> ${sizeText(spec.complexity)}</dd>`
      }
      ${
        plan === null
          ? ""
          : html`<dt>Plan</dt>
              <dd>
                <a href="${path}?part=plan">version ${plan.version}</a>,
                ${riskOf(plan.triage.risk, concerns).risk.toLowerCase()} risk
              </dd>`
      }
      ${
        run === null
          ? ""
          : html`<dt>Run</dt>
              <dd><a href="${path}?part=run">${run.status}</a>, ${agentName(run.agent)}</dd>`
      }
      ${
        request === null
          ? ""
          : html`<dt>Request</dt>
              <dd>
                ${request.url === null ? `#${request.number}` : html`<a href="${request.url}" rel="noreferrer">#${request.number}</a>`}
                (${request.state})
              </dd>`
      }
      <dt>Cost</dt>
      <dd>
        <a href="${path}?part=cost">${usage.calls + usage.agentRuns === 0 ? "none" : dollars(usage.costUsd)}</a>${
          usage.unpricedCalls > 0 ? html` + ${usage.unpricedCalls} without a price` : ""
        }
      </dd>
      <dt>Reporter</dt>
      <dd>@${issue.reporter}</dd>
    </dl>
    ${issue.url === null ? "" : html`<p><a href="${issue.url}" rel="noreferrer">Open in the tracker</a></p>`}
    ${isOperator ? controlForms(issue) : ""}
  </aside>`;
}
