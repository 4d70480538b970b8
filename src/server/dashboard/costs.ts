import { html } from "hono/html";
import { Hono } from "hono";
import type { Clock } from "../../lib/clock.ts";
import { type DayCosts, type ListedCall, costsByDay, listDearest } from "../../storage/costs.ts";
import type { Db } from "../../storage/db.ts";
import { findIssueById } from "../../storage/issues.ts";
import { findCall } from "../../storage/model-calls.ts";
import type { PageEnv } from "../login.ts";
import { missing, shown } from "./answer.ts";
import { callPage } from "./call.ts";
import { type Markup, ago, dollars, spanText } from "./document.ts";

const DAYS_SHOWN = 30;
const DAY_MS = 86_400_000;
const CALLS_SHOWN = 200;

/** `/costs`; `/calls`, those behind a bar, and `/calls/ID` for one. */
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
  routes.get("/calls", async (c) => {
    const day = /^\d{4}-\d{2}-\d{2}$/.test(c.req.query("day") ?? "")
      ? new Date(`${c.req.query("day")}T00:00:00Z`)
      : null;
    const start = day === null || Number.isNaN(day.getTime()) ? null : day;
    const of = {
      since: start ?? new Date(clock.now().getTime() - DAYS_SHOWN * DAY_MS),
      until: start && new Date(start.getTime() + DAY_MS),
      stage: c.req.query("stage") ?? null,
      model: c.req.query("model") ?? null,
      repository: c.req.query("repository") ?? null,
    };
    const calls = await listDearest(db(), of, c.get("viewer").repositories, CALLS_SHOWN);
    return await shown(c, { title: "Calls", at: "/costs" }, callsPage(calls, clock.now()));
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

/** The dearest calls behind a bar. */
function callsPage(calls: readonly ListedCall[], now: Date): Markup {
  if (calls.length === 0)
    return html`<h1>Calls</h1>
      <p class="empty start">No such call in this time. <a href="/costs">Costs</a></p>`;
  return html`<h1>Calls</h1>
    <p class="facts">
      <a href="/costs">Costs</a>
      <span>the dearest first${calls.length === CALLS_SHOWN ? `, ${CALLS_SHOWN} at most` : ""}</span>
    </p>
    <ul class="calls">
      ${calls.map(
        ({ id, stage, model, repository, status, usd, ms, at }) =>
          html`<li data-item>
            <a href="/calls/${id}">${model}</a> ${stage.replaceAll("_", " ")} ·
            ${usd === null ? "no known price" : dollars(usd)} · ${spanText(ms)} · ${repository} ${ago(at, now)}
            ${status === null || status === "ok" ? "" : html`<span class="chip">${status}</span>`}
          </li>`,
      )}
    </ul>`;
}

const HEIGHT = 60;

function daysChart(days: readonly string[], of: (day: string) => number): Markup {
  const values = days.map(of);
  const most = Math.max(...values, 0.000_001);
  return html`<svg
      class="days"
      viewBox="0 0 ${days.length * 10} ${HEIGHT}"
      preserveAspectRatio="none"
      role="group"
      aria-label="Dollars a day, at most ${dollars(most)}"
    >
      ${days.map((day, index) => {
        const height = Math.max((values[index] ?? 0) > 0 ? 1 : 0, ((values[index] ?? 0) / most) * HEIGHT);
        const value = values[index] ?? 0;
        return value === 0
          ? ""
          : html`<a href="/calls?day=${day}" aria-label="${day}: ${dollars(value)}"
              ><rect x="${index * 10 + 1}" y="${HEIGHT - height}" width="8" height="${height}"
                ><title>${day}: ${dollars(value)}</title></rect
              ></a
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
      p50: Math.max(...of.map(({ p50Ms }) => p50Ms)),
      p95: Math.max(...of.map(({ p95Ms }) => p95Ms)),
    }))
    .toSorted((a, b) => b.usd - a.usd || b.calls - a.calls)
    .slice(0, 12);
  const most = Math.max(...groups.map(({ usd }) => usd), 0.000_001);
  return html`<table class="bars">
    <tbody>
      ${groups.map(
        ({ name, usd, calls, p50, p95 }) =>
          html`<tr>
            <th scope="row">
              <a href="/calls?${new URLSearchParams({ [key]: name }).toString()}"
                >${name === "" ? "none" : name.replaceAll("_", " ")}</a
              >
            </th>
            <td>
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect width="${(usd / most) * 100}" height="8"></rect>
              </svg>
            </td>
            <td class="money">${dollars(usd)}</td>
            <td>${calls} calls; on its slowest day ${spanText(p50)} (p50), ${spanText(p95)} (p95)</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
