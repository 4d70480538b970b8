import { createHmac, randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import type { Log } from "../../src/lib/log.ts";
import { githubWebhooks } from "../../src/adapters/trackers/github/webhook.ts";
import { type WebLimits, WEB_LIMITS } from "../../src/server/limits.ts";
import { listen } from "../../src/server/listen.ts";
import { type MetricSources, createMetrics } from "../../src/server/metrics.ts";
import { type WebDeps, createWeb } from "../../src/server/web.ts";
import type { IncomingDelivery } from "../../src/server/intake/webhooks.ts";
import { githubPayload } from "./github-payloads.ts";

export const SECRET = "a secret of some length";

export const METRICS_TOKEN = "metrics of some length";
/** A call of Prometheus. */
export const SCRAPE = { headers: { authorization: `Bearer ${METRICS_TOKEN}` } };

export interface Logged {
  level: keyof Log;
  fields: Record<string, unknown>;
  message: string;
}

export function listeningLog(): { log: Log; lines: Logged[] } {
  const lines: Logged[] = [];
  const keep = (level: keyof Log) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message });
  return { log: { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") }, lines };
}

const nothing = async () => await Promise.reject(new Error("there is no database here"));

/** Of a Relay without a database. */
export const NO_FIGURES: MetricSources = {
  backlog: nothing,
  work: nothing,
  figures: nothing,
  jobs: nothing,
  quotas: nothing,
  budgets: nothing,
  notices: nothing,
};

/** Relay's HTTP server on a port of its own, which keeps what it takes in only in memory, unless told otherwise. */
export async function startWeb(
  given: Partial<Omit<WebDeps, "limits">> & { limits?: Partial<WebLimits>; trustedProxies?: number } = {},
) {
  const taken: IncomingDelivery[] = [];
  const { log, lines } = listeningLog();
  const limits = { ...WEB_LIMITS, ...given.limits };
  const web = createWeb({
    readers: [githubWebhooks({ secrets: [SECRET], clock: { now: () => new Date() } })],
    receive: async (delivery) => {
      const known = taken.some((one) => one.deliveryId === delivery.deliveryId);
      if (!known) taken.push(delivery);
      return await Promise.resolve({ kind: known ? "repeated" : "stored" });
    },
    accessGiven: async () => await Promise.resolve(),
    pushed: async () => await Promise.resolve(),
    serves: async () => await Promise.resolve(true),
    dashboard: null,
    api: null,
    mcp: null,
    health: async () => await Promise.resolve(),
    metrics: createMetrics(NO_FIGURES),
    metricsToken: METRICS_TOKEN,
    log,
    ...given,
    limits,
  });
  const listening = await listen(web, {
    at: { host: "127.0.0.1", port: 0 },
    limits,
    trustedProxies: given.trustedProxies ?? 0,
  });
  onTestFinished(async () => await listening.stop(0));
  return { ...listening, web, taken, lines };
}

export const signatureOf = (body: string | Uint8Array, secret = SECRET) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

let issues = 0;

/** An assignment in an issue that nothing was told of before. */
function newAssignment(): string {
  const payload = githubPayload("issues", "assigned");
  issues += 1;
  return JSON.stringify({ ...payload, issue: { number: issues, updated_at: "2026-01-01T00:00:00Z" } });
}

/** A webhook call as GitHub makes it. */
export function githubCall(name = "issues", body = newAssignment(), headers: Record<string, string> = {}) {
  return {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "x-github-event": name,
      "x-github-delivery": randomUUID(),
      "x-hub-signature-256": signatureOf(body),
      ...headers,
    },
  };
}
