import { html } from "hono/html";
import type { BudgetName, Budgets } from "../../budget/budget.ts";
import type { Latency } from "../../storage/costs.ts";
import { type Markup, dollars } from "./document.ts";

const HEIGHT = 60;
const WIDTH = 10;
/** Lines of budgets make the chart of dollars at most this much higher than its highest bar. */
const HEADROOM = 4;

/** A budget in force as a line in the chart of dollars a day. */
export interface Limit {
  budget: BudgetName;
  /** Where the line stands, in US dollars a day. */
  usd: number;
  words: string;
}

/**
 * The budgets in force, the highest line first. The workspace's budget is only for the operator, who gets what all
 * issues have cost in this month; `month` is null for others.
 */
export function limitsOf(budgets: Budgets, month: { spentUsd: number } | null, now: Date): Limit[] {
  const { issue, repositoryDay, workspaceMonth } = budgets;
  const limits: Limit[] = [];
  if (issue !== "off")
    limits.push({ budget: "issue", usd: issue, words: `an issue may cost ${dollars(issue)} in all` });
  if (repositoryDay !== "off") {
    const words = `a repository may cost ${dollars(repositoryDay)} a day`;
    limits.push({ budget: "repository_day", usd: repositoryDay, words });
  }
  if (workspaceMonth !== "off" && month !== null) {
    const usd = workspaceMonth / new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0)).getUTCDate();
    const words = `everything may cost ${dollars(workspaceMonth)} a month, ${dollars(usd)} a day on average; ${dollars(month.spentUsd)} is spent in this one`;
    limits.push({ budget: "workspace_month", usd, words });
  }
  return limits.toSorted((a, b) => b.usd - a.usd);
}

/**
 * Budgets in words; those in the chart with the look of their lines. `top` is the height of the chart in US dollars.
 */
export function limitList(limits: readonly Limit[], top = 0): Markup {
  return html`<ul class="limits" aria-label="Budgets in force">
    ${limits.map(
      ({ budget, usd, words }) =>
        html`<li>
          <svg viewBox="0 0 32 8" aria-hidden="true"><line class="limit ${budget}" x2="32" y1="4" y2="4"></line></svg
          ><strong>Budget:</strong> ${words}${top > 0 && usd > top ? " (above the chart)" : ""}
        </li>`,
    )}
  </ul>`;
}

/** Dollars a day with the lines of budgets; each bar leads to its calls. */
export function dollarsChart(days: readonly string[], of: (day: string) => number, limits: readonly Limit[]): Markup {
  const values = days.map(of);
  const highest = Math.max(...values, 0.000_001);
  const top = Math.max(highest, ...limits.map(({ usd }) => usd).filter((usd) => usd <= highest * HEADROOM));
  return html`<svg
      class="days"
      viewBox="0 0 ${days.length * WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="group"
      aria-label="Dollars a day, at most ${dollars(highest)}"
    >
      ${days.map((day, index) => {
        const value = values[index] ?? 0;
        const title = `${day}: ${dollars(value)}`;
        return value === 0
          ? ""
          : html`<a href="/calls?day=${day}" aria-label="${title}"
              ><title>${title}</title>${column(index, value / top)}</a
            >`;
      })}
      ${limits
        .filter(({ usd }) => usd <= top)
        .map(({ budget, usd, words }) => {
          const y = (1 - usd / top) * HEIGHT;
          return html`<line class="limit ${budget}" x2="${days.length * WIDTH}" y1="${y}" y2="${y}"
            ><title>Budget: ${words}</title></line
          >`;
        })}
    </svg>
    ${axis(days, `at most ${dollars(highest)}`)} ${limits.length === 0 ? "" : limitList(limits, top)}`;
}

/** The p50 and p95 of a stage, or all of them, by day; each bar leads to its calls. */
export function timesChart(
  name: string,
  stage: string | null,
  times: readonly Latency[],
  days: readonly string[],
): Markup {
  const highest = Math.max(...times.filter(({ day }) => day !== null).map(({ p95Ms }) => p95Ms), 1);
  return html`<svg
      class="days times"
      viewBox="0 0 ${days.length * WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="group"
      aria-label="${name}: p50 and p95 by day, at most ${tookText(highest)}"
    >
      ${times.map(({ day, calls, p50Ms, p95Ms }) => {
        const index = day === null ? -1 : days.indexOf(day);
        if (day === null || index === -1) return "";
        const title = `${day}: p50 ${tookText(p50Ms)}, p95 ${tookText(p95Ms)}, calls: ${calls}`;
        const query = new URLSearchParams({ day, ...(stage === null ? {} : { stage }) }).toString();
        return html`<a href="/calls?${query}" aria-label="${title}"
          ><title>${title}</title>${column(index, p95Ms / highest, "p95")}${column(index, p50Ms / highest)}</a
        >`;
      })}
    </svg>
    ${axis(days, `at most ${tookText(highest)}`)}`;
}

function column(index: number, share: number, look = ""): Markup {
  const height = Math.max(share > 0 ? 1 : 0, share * HEIGHT);
  return html`<rect
    class="${look}"
    x="${index * WIDTH + 1}"
    y="${HEIGHT - height}"
    width="${WIDTH - 2}"
    height="${height}"
  ></rect>`;
}

function axis(days: readonly string[], most: string): Markup {
  return html`<p class="axis"><span>${days[0] ?? ""}</span><span>${most}</span><span>${days.at(-1) ?? ""}</span></p>`;
}

/** A bar of a table; its number stands beside it. */
export function bar(share: number): Markup {
  return html`<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect width="${share * 100}" height="8"></rect>
  </svg>`;
}

/** How long a call took: `240 ms`, `3.2 s`, `2 min 5 s`. */
export function tookText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
