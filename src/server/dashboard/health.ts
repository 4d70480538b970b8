import { html } from "hono/html";
import { Hono } from "hono";
import type { Doctor, Looked } from "../../app/doctor.ts";
import { isOperator } from "../../app/people/viewer.ts";
import type { Setting } from "../../config/settings-in-force.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Backlog, countBacklog } from "../../storage/backlog.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Db } from "../../storage/db.ts";
import { listDeadLetters } from "../../storage/dead-letters.ts";
import { postgresVersion } from "../../storage/migrate.ts";
import { type WorkFigures, countWork } from "../../storage/figures.ts";
import { type TableSize, listTableSizes } from "../../storage/sizes.ts";
import type { PageEnv } from "../login.ts";
import { missing, shown } from "./answer.ts";
import { type Markup, ago, spanText } from "./document.ts";

interface HealthDeps {
  db: () => Db;
  clock: Clock;
  /** The settings in force, without secrets. */
  settings: () => readonly Setting[];
  doctor: Doctor;
}

interface Health {
  at: Date;
  database: string;
  tables: TableSize[];
  backlog: Backlog;
  work: WorkFigures;
  letters: number;
}

/** Milliseconds for which a measurement is shown. */
const FRESH_MS = 60_000;
const TABLES_SHOWN = 5;

/**
 * `/health`: database, queue and work as they are, what `relay doctor` finds, and the settings in force; measured at
 * most once a minute. `POST /health` has the doctor look again.
 */
export function healthRoutes({ db, clock, settings, doctor }: HealthDeps): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  let known: Health | null = null;
  routes.get("/health", async (c) => {
    if (!isOperator(c.get("viewer"))) return await missing(c, "This page is for who runs Relay.");
    const now = clock.now();
    if (known === null || now.getTime() - known.at.getTime() > FRESH_MS) known = await measured(db(), clock);
    return await shown(c, { title: "Health", at: "/health" }, healthPage(known, doctor.known(), settings(), now));
  });
  routes.post("/health", (c) => {
    if (!isOperator(c.get("viewer"))) throw new RelayError("forbidden", "only who runs Relay may have it looked at");
    doctor.look();
    return c.redirect("/health", 303);
  });
  return routes;
}

async function measured(db: Db, clock: Clock): Promise<Health> {
  return {
    at: clock.now(),
    database: await postgresVersion(db),
    tables: await listTableSizes(db),
    backlog: await countBacklog(db, clock),
    work: await countWork(db),
    letters: (await listDeadLetters(db)).length,
  };
}

function healthPage(
  { at, database, tables, backlog, work, letters }: Health,
  looked: Looked,
  settings: readonly Setting[],
  now: Date,
): Markup {
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  return html`<h1>Health</h1>
    <p class="facts">
      <span>measured ${ago(at, now)}</span>
    </p>
    <dl>
      <dt>Database</dt>
      <dd>
        ✓ ${database}, ${sizeOf(bytes)}; largest:
        ${tables.slice(0, TABLES_SHOWN).map((one) => html`<code>${one.table}</code> ${sizeOf(one.bytes)} `)}
      </dd>
      <dt>Queue</dt>
      <dd>
        ${
          backlog.waiting === 0
            ? "✓ nothing waits"
            : `${backlog.waiting} deliveries wait, the oldest for ${spanText(backlog.oldestSeconds * 1_000)}`
        }
      </dd>
      <dt>Dead letters</dt>
      <dd>${letters === 0 ? "✓ none" : html`▲ <a href="/queue">${letters}</a>`}</dd>
      <dt>Work</dt>
      <dd>${work.running} running, ${work.queued} waiting for a worker</dd>
      <dt>Runs that ended</dt>
      <dd>
        ${work.ended.length === 0 ? "none yet" : work.ended.map(({ outcome, runs }) => `${runs} ${outcome}`).join(", ")}
      </dd>
      <dt>This process</dt>
      <dd>
        Node ${process.versions.node}, up for ${spanText(process.uptime() * 1_000)},
        ${sizeOf(process.memoryUsage.rss())}
      </dd>
    </dl>
    ${doctorSection(looked, now)}
    <h2>Settings in force <span class="count">${settings.length}</span></h2>
    <p class="hint">
      A repository’s <code>.relay.yml</code> may change some of them for its issues. Secrets are not shown.
    </p>
    <table class="list">
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">Value</th>
          <th scope="col">From</th>
        </tr>
      </thead>
      <tbody>
        ${settings.map(
          ({ key, value, from }) =>
            html`<tr>
              <td><code>${key}</code></td>
              <td data-label="Value">${value === "" ? "empty" : value}</td>
              <td data-label="From" class="repository">${from}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}

/** The rows of `relay doctor`, what is wrong first. */
function doctorSection({ at, looking, checks }: Looked, now: Date): Markup {
  const wrong = checks.filter(({ ok }) => !ok);
  const warnings = checks.filter(({ ok, mend }) => ok && mend !== undefined);
  const problems = wrong.length === 1 ? "1 problem" : `${wrong.length} problems`;
  const found = wrong.length === 0 ? "all is well" : problems;
  return html`<section aria-labelledby="doctor" ${looking ? html`data-soon` : ""}>
    <h2 id="doctor">What relay doctor finds</h2>
    <form class="facts" method="post" action="/health">
      <span role="status">${looking ? "looking…" : found}</span>
      ${at === null ? "" : html`<span>looked at ${ago(at, now)}, by this process</span>`}
      ${looking ? "" : html`<button class="quiet">Look again</button>`}
    </form>
    <ul class="checks doctor">
      ${[...wrong, ...warnings, ...checks.filter(({ ok, mend }) => ok && mend === undefined)].map(
        ({ name, ok, detail, mend }) =>
          html`<li>
            <span class="mark" aria-hidden="true">${ok && mend === undefined ? "✓" : "▲"}</span>
            <div>
              <strong>${name}</strong>${ok ? "" : html` <span class="chip warn">fails</span>`} ${detail}
              ${mend === undefined ? "" : html`<p class="hint">${mend}</p>`}
            </div>
          </li>`,
      )}
    </ul>
  </section>`;
}

function sizeOf(bytes: number): string {
  const mib = bytes / 1024 / 1024;
  return mib >= 1024 ? `${(mib / 1024).toFixed(1)} GiB` : `${mib.toFixed(1)} MiB`;
}
