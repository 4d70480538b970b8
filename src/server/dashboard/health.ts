import { html } from "hono/html";
import { Hono } from "hono";
import { isOperator } from "../../app/viewer.ts";
import type { Setting } from "../../config/settings-in-force.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Backlog, countBacklog } from "../../storage/backlog.ts";
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
}

interface Health {
  at: Date;
  database: string;
  tables: TableSize[];
  backlog: Backlog;
  work: WorkFigures;
  letters: number;
}

/** How long what was measured is shown, in milliseconds. */
const FRESH_MS = 60_000;
const TABLES_SHOWN = 5;

/** `/health`: database, queue and work as they are, and the settings in force; measured at most once a minute. */
export function healthRoutes({ db, clock, settings }: HealthDeps): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  let known: Health | null = null;
  routes.get("/health", async (c) => {
    if (!isOperator(c.get("viewer"))) return await missing(c, "This page is for who runs Relay.");
    const now = clock.now();
    if (known === null || now.getTime() - known.at.getTime() > FRESH_MS) known = await measured(db(), clock);
    return await shown(c, { title: "Health", at: "/health" }, healthPage(known, settings(), now));
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
  settings: readonly Setting[],
  now: Date,
): Markup {
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  return html`<h1>Health</h1>
    <p class="facts">
      <span>measured ${ago(at, now)}</span
      ><span><code>relay doctor</code> also tries programs, models and trackers</span>
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

function sizeOf(bytes: number): string {
  const mib = bytes / 1024 / 1024;
  return mib >= 1024 ? `${(mib / 1024).toFixed(1)} GiB` : `${mib.toFixed(1)} MiB`;
}
