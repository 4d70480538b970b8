import { html } from "hono/html";
import { type DecisionName, aboutOf, isOpen } from "../../../app/people/decisions.ts";
import type { Issue } from "../../../domain/issue.ts";
import type { IssueOverview } from "../../../storage/issue-overview.ts";
import type { Markup } from "../document.ts";

const NAMES: readonly DecisionName[] = ["go-ahead", "agree", "retry", "stop"];

/** What people can decide next, with one click. */
export function nextTitles(issue: Pick<Issue, "state">, { plan }: Pick<IssueOverview, "plan">) {
  const titles: Record<DecisionName, string> = {
    "go-ahead": issue.state === "clarifying" ? "Go ahead without answers" : "Go ahead",
    agree: `Agree to plan ${plan?.version ?? ""}`.trim(),
    retry: "Try again",
    stop: "Stop",
  };
  return NAMES.filter((name) => isOpen(name, issue)).map((name) => ({ name, title: titles[name] }));
}

/** The buttons that fit the issue's state, each with what it is about: a click decides nothing else. */
export function nextButtons(issue: Pick<Issue, "state">, overview: IssueOverview): Markup[] {
  return nextTitles(issue, overview).map(({ name, title }) => {
    const value = [name, aboutOf(name, overview) ?? []].flat().join(":");
    return html`<button
      ${name === "stop" ? html`class="quiet"` : ""}
      name="decision"
      value="${value}"
      data-key="${name === "stop" ? "s" : "a"}"
      data-ask="${title}?"
    >
      ${title}
    </button>`;
  });
}
