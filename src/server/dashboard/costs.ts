import { Hono } from "hono";
import { isOperator } from "../../app/people/viewer.ts";
import type { Budgets } from "../../budget/budget.ts";
import type { Clock } from "../../lib/clock.ts";
import {
  type DayCosts,
  type Latency,
  type ListedCall,
  type SpecCalls,
  callsPerSpec,
  costsByDay,
  latencies,
  listDearest,
} from "../../storage/costs.ts";
import type { Db } from "../../storage/db.ts";
import { findIssueById } from "../../storage/issues.ts";
import { readBudgets } from "../../storage/figures.ts";
import { type WholeCall, findCall } from "../../storage/model-calls.ts";
import type { PageEnv } from "../login.ts";
import { missing, shown } from "./answer.ts";
import { type Limit, bar, dollarsChart, limitList, limitsOf, timesChart, tookText } from "./charts.ts";
import { counted, sum } from "./words.ts";
import { html } from "hono/html";
import type { Issue } from "../../domain/issue.ts";
import { type Markup, ago, dollars, spanText } from "./document.ts";
import { pathOf } from "./paths.ts";

const DAYS_SHOWN = 30;
const DAY_MS = 86_400_000;
const CALLS_SHOWN = 200;
const SPECS_SHOWN = 12;

/** `/costs`; `/calls`, those behind a bar, and `/calls/ID` for one. */
export function costRoutes({ db, clock, budgets }: { db: () => Db; clock: Clock; budgets: Budgets }): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  routes.get("/costs", async (c) => {
    const today = Math.floor(clock.now().getTime() / DAY_MS);
    const days = Array.from({ length: DAYS_SHOWN }, (_, index) =>
      new Date((today - DAYS_SHOWN + 1 + index) * DAY_MS).toISOString().slice(0, 10),
    );
    const viewer = c.get("viewer");
    const since = new Date((today - DAYS_SHOWN + 1) * DAY_MS);
    const main = costsPage(
      {
        rows: await costsByDay(db(), since, viewer.repositories),
        times: await latencies(db(), since, viewer.repositories),
        specs: await callsPerSpec(db(), since, viewer, SPECS_SHOWN),
        limits: limitsOf(
          budgets,
          isOperator(viewer) ? await readBudgets(db(), budgets.unpricedPerMillion) : null,
          clock.now(),
        ),
      },
      days,
    );
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

interface Shown {
  rows: readonly DayCosts[];
  times: readonly Latency[];
  specs: readonly SpecCalls[];
  limits: readonly Limit[];
}

/** Small charts of what models cost and how long they took; the numbers stand beside each bar. */
function costsPage({ rows, times, specs, limits }: Shown, days: readonly string[]): Markup {
  const total = sum(rows.map(({ usd }) => usd));
  const unpriced = sum(rows.map((row) => row.unpriced));
  if (rows.length === 0)
    return html`<h1>Costs</h1>
      <p class="empty start">No model was called in the last ${days.length} days: rules cost nothing.</p>
      ${limits.length === 0 ? "" : limitList(limits)}`;
  return html`<h1>Costs</h1>
    <p class="facts">
      <span class="money">${dollars(total)}</span> <span>in ${days.length} days</span>
      ${unpriced === 0 ? "" : html`<span>${unpriced} calls without a known price</span>`}
    </p>
    <section class="chart" aria-labelledby="by-day">
      <h2 id="by-day">By day</h2>
      ${dollarsChart(days, (day) => sum(rows.filter((row) => row.day === day).map(({ usd }) => usd)), limits)}
    </section>
    <div class="multiples">
      ${BY.map(
        ({ key, title }) =>
          html`<section class="chart" aria-labelledby="by-${key}">
            <h2 id="by-${key}">${title}</h2>
            ${barsOf(rows, key)}
          </section>`,
      )}
      ${specs.length === 0 ? "" : specsSection(specs)}
    </div>
    <h2>How long calls take</h2>
    <p class="hint">
      Half of the calls took at most p50, the lower part of a bar; 95 of 100 at most p95, all of it. Each chart has its
      own scale.
    </p>
    <div class="multiples">
      ${[...Map.groupBy(times, ({ stage }) => stage)].map(([stage, of]) => timesSection(stage, of, days))}
    </div>`;
}

function timesSection(stage: string | null, times: readonly Latency[], days: readonly string[]): Markup {
  const whole = times.find(({ day }) => day === null);
  const name = stage === null ? "All stages" : stage.replaceAll("_", " ");
  return html`<section class="chart" aria-labelledby="times-${stage ?? "all"}">
    <h3 id="times-${stage ?? "all"}">${name}</h3>
    ${
      whole === undefined
        ? ""
        : html`<p class="facts">
            <span>p50 ${tookText(whole.p50Ms)}</span><span>p95 ${tookText(whole.p95Ms)}</span
            ><span>${counted(whole.calls, "call")}</span>
          </p>`
    }
    ${timesChart(name, stage, times, days)}
  </section>`;
}

function specsSection(specs: readonly SpecCalls[]): Markup {
  const most = Math.max(...specs.map(({ calls }) => calls), 1);
  const all = specs[0];
  return html`<section class="chart" aria-labelledby="by-spec">
    <h2 id="by-spec">Calls per spec</h2>
    ${
      all === undefined
        ? ""
        : html`<p class="facts">
            <span>p50 ${rounded(all.p50)}</span><span>p95 ${rounded(all.p95)}</span
            ><span>${counted(all.specs, "spec")}${all.specs > specs.length ? `; those with the most calls:` : ""}</span>
          </p>`
    }
    <table class="bars">
      <tbody>
        ${specs.map(
          (spec) =>
            html`<tr>
              <th scope="row">
                <a href="${pathOf(spec)}?part=cost">${spec.externalProjectId}#${spec.externalIssueId}</a>, version
                ${spec.version}
              </th>
              <td>${bar(spec.calls / most)}</td>
              <td class="money">${counted(spec.calls, "call")}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
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

function barsOf(rows: readonly DayCosts[], key: (typeof BY)[number]["key"]): Markup {
  const groups = [...Map.groupBy(rows, (row) => row[key])]
    .map(([name, of]) => ({
      name,
      usd: sum(of.map(({ usd }) => usd)),
      calls: sum(of.map(({ calls }) => calls)),
    }))
    .toSorted((a, b) => b.usd - a.usd || b.calls - a.calls)
    .slice(0, 12);
  const most = Math.max(...groups.map(({ usd }) => usd), 0.000_001);
  return html`<table class="bars">
    <tbody>
      ${groups.map(
        ({ name, usd, calls }) =>
          html`<tr>
            <th scope="row">
              <a href="/calls?${new URLSearchParams({ [key]: name }).toString()}"
                >${name === "" ? "none" : name.replaceAll("_", " ")}</a
              >
            </th>
            <td>${bar(usd / most)}</td>
            <td class="money">${dollars(usd)}</td>
            <td>${counted(calls, "call")}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** One model call: what it was asked, and what it said. */
function callPage(call: WholeCall, issue: Issue | null, now: Date): Markup {
  const { usage } = call;
  return html`<h1>${call.model}</h1>
    <p class="facts">
      <span>${call.stage.replaceAll("_", " ")}</span>
      <span>${call.status ?? "unknown"}</span>
      <span>${spanText(call.ms)}</span>
      <span>${usage.input} tokens in, ${usage.cachedInput} of them cached, ${usage.output} out</span>
      <span>${call.costUsd === null ? "no known price" : dollars(call.costUsd)}</span>
      <span>${ago(call.at, now)}</span>
      ${issue === null ? "" : html`<span><a href="${pathOf(issue)}">#${issue.externalIssueId} ${issue.title}</a></span>`}
    </p>
    <h2>Prompt</h2>
    ${contentOf(call.input)}
    <h2>Answer</h2>
    ${contentOf(call.output)}`;
}

function contentOf(value: unknown): Markup {
  if (value === null || value === undefined) return html`<p class="empty">Its text is not kept any more.</p>`;
  return html`<pre class="content" tabindex="0">
${typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre>`;
}
