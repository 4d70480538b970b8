import type { Log } from "../lib/log.ts";
import { apiHandler } from "./api/api.ts";
import type { OwnApiDeps } from "./api/deps.ts";
import { type DashboardDeps, dashboardRoutes } from "./dashboard/dashboard.ts";
import type { OwnMcpDeps } from "./mcp/routes.ts";
import { isToken } from "./login.ts";
import type { Metrics } from "./metrics.ts";
import { type IntakeDeps, type Web, createIntake, newWeb, takesOnly } from "./intake/routes.ts";

const NO_METRICS =
  "metrics need a bearer: set RELAY_METRICS_TOKEN where Relay runs, and send it (docs/observability.md)";

/** What the pages, metrics, API and MCP need. */
export interface PagesDeps {
  metrics: Pick<Metrics, "contentType" | "text">;
  /** The bearer that may read the metrics; null: nobody may. */
  metricsToken: string | null;
  /** The pages for people; null for none. */
  dashboard: DashboardDeps | null;
  /** What `/api/v1` needs besides the pages' needs; null for none. */
  api: OwnApiDeps | null;
  /** What `/mcp`, for coding agents, needs besides the pages' needs; null for none. */
  mcp: OwnMcpDeps | null;
  log: Log;
}

export type WebDeps = IntakeDeps & PagesDeps;

/** All HTTP routes of Relay; errors are `{"error": "a sentence"}`. */
export function createWeb(deps: WebDeps): Web {
  return createIntake(deps).route("/", createPages(deps));
}

/** Everything else: metrics, API, MCP, and the pages. */
export function createPages({ metrics, metricsToken, api, dashboard, mcp, log }: PagesDeps): Web {
  const web = newWeb(log);
  web.get("/metrics", async (c) => {
    const [, token = ""] = /^Bearer +(.+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
    if (!isToken(token, metricsToken)) return c.json({ error: NO_METRICS }, 401, { "www-authenticate": "Bearer" });
    return c.text(await metrics.text(), 200, { "content-type": metrics.contentType });
  });
  takesOnly(web, "/metrics", "GET, HEAD");
  if (api !== null && dashboard !== null) web.all("/api/v1/*", apiHandler({ ...dashboard, ...api, log }));
  if (mcp !== null && dashboard !== null) {
    // Loaded with the first call: webhooks must not wait for it.
    const load = async () => (await import("./mcp/routes.ts")).servedMcpRoutes(dashboard, mcp, log);
    let routes: ReturnType<typeof load> | null = null;
    web.all("/mcp", async (c) => await (await (routes ??= load())).fetch(c.req.raw, c.env));
  }
  // Last: whatever is not named above needs a login.
  if (dashboard !== null) web.route("/", dashboardRoutes(dashboard));
  return web;
}
