import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { HOSTED_PROVIDERS } from "../../adapters/trackers/registry.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { withTimeout } from "../timeout.ts";
import { type WebhookDeps, webhookRoute } from "./webhooks.ts";

/** What receives deliveries, and tells whether it can. */
export interface IntakeDeps extends WebhookDeps {
  /** Throws while the database or the queue is unreachable, or the program is shutting down. */
  health: () => Promise<void>;
}

/** Hono's own refusals: of calls that another site's page makes. */
const REFUSED = "this call came from a page of another site; open this one again";

export type Web = Hono<{ Bindings: HttpBindings }>;

/** Webhooks, and whether Relay is there. */
export function createIntake(deps: IntakeDeps): Web {
  const web = newWeb(deps.log);
  const webhook = webhookRoute(deps);
  for (const { name } of HOSTED_PROVIDERS) {
    web.post(`/webhooks/${name}`, async (c) => await webhook(name, c));
    takesOnly(web, `/webhooks/${name}`, "POST");
  }
  web.get("/healthz", (c) => c.json({ status: "alive" }));
  web.get("/readyz", async (c) => {
    try {
      await withTimeout(deps.limits.healthMs, "the database", deps.health());
      return c.json({ status: "ready" });
    } catch (error) {
      // The reason may name hosts and accounts: log it, but do not send it.
      deps.log.warn({ error: messageOf(error) }, "not ready");
      return c.json({ status: "not ready" }, 503, { "retry-after": "5" });
    }
  });
  for (const path of ["/healthz", "/readyz"]) takesOnly(web, path, "GET, HEAD");
  return web;
}

export function takesOnly(web: Web, path: string, methods: string): void {
  web.all(path, (c) => c.json({ error: `${path} takes ${methods} only` }, 405, { allow: methods }));
}

/** Routes whose errors are answered in one sentence. */
export function newWeb(log: Log): Web {
  const web: Web = new Hono();
  web.notFound((c) => c.json({ error: "there is nothing at this address" }, 404));
  web.onError((error, c) => {
    if (error instanceof HTTPException) return c.json({ error: REFUSED }, error.status);
    if (error instanceof RelayError && error.code === "unavailable") {
      return c.json({ error: error.message }, 503, { "retry-after": "5" });
    }
    log.error({ path: c.req.path, error: messageOf(error) }, "request failed");
    return c.json({ error: "something went wrong here; the log tells what" }, 500);
  });
  return web;
}
