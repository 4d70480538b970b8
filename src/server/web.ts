import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { HOSTED_PROVIDERS } from "../adapters/trackers/registry.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import { apiHandler } from "./api/api.ts";
import type { OwnApiDeps } from "./api/deps.ts";
import { within } from "./deadline.ts";
import { type DashboardDeps, dashboardRoutes } from "./dashboard/dashboard.ts";
import type { OwnMcpDeps } from "./mcp/routes.ts";
import { type WebhookDeps, webhookRoute } from "./webhooks.ts";

export interface WebDeps extends WebhookDeps {
  /** Throws while the database or the queue is unreachable, or the program is shutting down. */
  health: () => Promise<void>;
  /** The pages for people; null for none. */
  dashboard: DashboardDeps | null;
  /** What `/api/v1` needs beside that; null for none. */
  api: OwnApiDeps | null;
  /** What `/mcp`, for coding agents, needs beside that; null for none. */
  mcp: OwnMcpDeps | null;
}

/** Hono's own refusals: of calls that another site's page makes. */
const REFUSED = "this call came from a page of another site; open this one again";

export type Web = Hono<{ Bindings: HttpBindings }>;

/** All HTTP routes of Relay; errors are `{"error": "a sentence"}`. */
export function createWeb(deps: WebDeps): Web {
  const web: Web = new Hono();
  const webhook = webhookRoute(deps);
  const webhookPaths = HOSTED_PROVIDERS.map(({ name }) => `/webhooks/${name}`);
  for (const { name } of HOSTED_PROVIDERS) web.post(`/webhooks/${name}`, async (c) => await webhook(name, c));

  web.get("/healthz", (c) => c.json({ status: "alive" }));
  web.get("/readyz", async (c) => {
    try {
      await within(deps.limits.healthMs, "the database", deps.health());
      return c.json({ status: "ready" });
    } catch (error) {
      // The reason may name hosts and accounts: log it, but do not send it.
      deps.log.warn({ error: messageOf(error) }, "not ready");
      return c.json({ status: "not ready" }, 503, { "retry-after": "5" });
    }
  });
  web.get("/metrics", async (c) =>
    c.text(await deps.metrics.text(), 200, { "content-type": deps.metrics.contentType }),
  );

  for (const [paths, methods] of [
    [webhookPaths, "POST"],
    [["/healthz", "/readyz", "/metrics"], "GET, HEAD"],
  ] as const) {
    for (const path of paths) {
      web.all(path, (c) => c.json({ error: `${path} takes ${methods} only` }, 405, { allow: methods }));
    }
  }
  const { api, dashboard, mcp, log } = deps;
  if (api !== null && dashboard !== null) web.all("/api/v1/*", apiHandler({ ...dashboard, ...api, log }));
  if (mcp !== null && dashboard !== null) {
    // Loaded with the first call: webhooks must not wait for it.
    const load = async () => (await import("./mcp/routes.ts")).servedMcpRoutes(dashboard, mcp, log);
    let routes: ReturnType<typeof load> | null = null;
    web.all("/mcp", async (c) => await (await (routes ??= load())).fetch(c.req.raw, c.env));
  }
  // Last: whatever is not named above needs a login.
  if (dashboard !== null) web.route("/", dashboardRoutes(dashboard));
  web.notFound((c) => c.json({ error: "there is nothing at this address" }, 404));
  web.onError((error, c) => {
    if (error instanceof HTTPException) return c.json({ error: REFUSED }, error.status);
    if (error instanceof RelayError && error.code === "unavailable") {
      return c.json({ error: error.message }, 503, { "retry-after": "5" });
    }
    deps.log.error({ path: c.req.path, error: messageOf(error) }, "request failed");
    return c.json({ error: "something went wrong here; the log tells what" }, 500);
  });
  return web;
}
