import { html } from "hono/html";
import { Hono } from "hono";
import type { Clock } from "../../lib/clock.ts";
import { type DayCosts, costsByDay } from "../../storage/costs.ts";
import type { Db } from "../../storage/db.ts";
import { findIssueById } from "../../storage/issues.ts";
import { findCall } from "../../storage/model-calls.ts";
import type { PageEnv } from "../login.ts";
import { missing, shown } from "./answer.ts";
import { callPage } from "./call.ts";
import { type Markup, dollars, spanText } from "./document.ts";

const DAYS_SHOWN = 30;
const DAY_MS = 86_400_000;

/** `/costs`, and `/calls/ID` for one call. */
export function costRoutes({ db, clock }: { db: () => Db; clock: Clock }): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  routes.get("/costs", async (c) => {
    const today = Math.floor(clock.now().getTime() / DAY_MS);
    const days = Array.from({ length: DAYS_SHOWN }, (_, index) =>
      new Date((today - DAYS_SHOWN + 1 + index) * DAY_MS).toISOString().slice(0, 10),
    );
    const { repositories } = c.get("viewer");
    const costs = await costsByDay(db(), new Date((today - DAYS_SHOWN + 1) * DAY_MS), repositories);
    const main = costsPage(costs, days);
    return await shown(c, { title: "Costs", at: "/costs" }, main);
  });
  routes.get("/calls/:id{[0-9]{1,19}}", async (c) => {
    const call = await findCall(db(), c.req.param("id"), c.get("viewer"));
    if (call === null) return await missing(c, "There is no such call; texts of calls are kept for a while only.");
    const issue = call.issueId === null ? null : await findIssueById(db(), call.issueId);
    return await shown(c, { title: `Call of ${call.model}`, at: null }, callPage(call, issue, clock.now()));
  });
  return routes;
}

const BY = [
  { key: "stage", title: "By stage" },
  { key: "model", title: "By model" },
  { key: "repository", title: "By repository" },
] as const;

/** Small charts of what models cost; the numbers stand beside each bar. */
function costsPage(rows: readonly DayCosts[], days: readonly string[]): Markup {
  const total = sum(rows.map(({ usd }) => usd));
  const unpriced = sum(rows.map((row) => row.unpriced));
  return html`<h1>Costs</h1>
    ${
      rows.length === 0
        ? html`<p class="empty start">No model was called in the last ${days.length} days: rules cost nothing.</p>`
        : html`<p class="facts">
              <span class="money">${dollars(total)}</span> <span>in ${days.length} days</span>
              ${unpriced === 0 ? "" : html`<span>${unpriced} calls without a known price</span>`}
            </p>
            <section class="chart" aria-labelledby="by-day">
              <h2 id="by-day">By day</h2>
              ${daysChart(days, (day) => sum(rows.filter((row) => row.day === day).map(({ usd }) => usd)))}
            </section>
            <div class="multiples">
              ${BY.map(
                ({ key, title }) =>
                  html`<section class="chart" aria-labelledby="by-${key}">
                    <h2 id="by-${key}">${title}</h2>
                    ${barsOf(rows, key)}
                  </section>`,
              )}
            </div>`
    }`;
}

const HEIGHT = 60;

function daysChart(days: readonly string[], of: (day: string) => number): Markup {
  const values = days.map(of);
  const most = Math.max(...values, 0.000_001);
  return html`<svg
      class="days"
      viewBox="0 0 ${days.length * 10} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="Dollars a day, at most ${dollars(most)}"
    >
      ${days.map((day, index) => {
        const height = Math.max((values[index] ?? 0) > 0 ? 1 : 0, ((values[index] ?? 0) / most) * HEIGHT);
        return html`<rect x="${index * 10 + 1}" y="${HEIGHT - height}" width="8" height="${height}"
          ><title>${day}: ${dollars(values[index] ?? 0)}</title></rect
        >`;
      })}
    </svg>
    <p class="axis">
      <span>${days[0] ?? ""}</span><span>at most ${dollars(most)}</span><span>${days.at(-1) ?? ""}</span>
    </p>`;
}

function barsOf(rows: readonly DayCosts[], key: (typeof BY)[number]["key"]): Markup {
  const groups = [...Map.groupBy(rows, (row) => row[key])]
    .map(([name, of]) => ({
      name,
      usd: sum(of.map(({ usd }) => usd)),
      calls: sum(of.map(({ calls }) => calls)),
      p95: Math.max(...of.map(({ p95Ms }) => p95Ms)),
    }))
    .toSorted((a, b) => b.usd - a.usd || b.calls - a.calls)
    .slice(0, 12);
  const most = Math.max(...groups.map(({ usd }) => usd), 0.000_001);
  return html`<table class="bars">
    <tbody>
      ${groups.map(
        ({ name, usd, calls, p95 }) =>
          html`<tr>
            <th scope="row">${name === "" ? "none" : name.replaceAll("_", " ")}</th>
            <td>
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect width="${(usd / most) * 100}" height="8"></rect>
              </svg>
            </td>
            <td class="money">${dollars(usd)}</td>
            <td>${calls} calls, slowest days ${spanText(p95)} (p95)</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
