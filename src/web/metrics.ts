import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { Provider } from "../domain/issue.ts";
import type { Backlog } from "../store/backlog.ts";

/** How a webhook call was answered. */
export const DELIVERY_RESULTS = [
  "accepted",
  "repeated",
  "ignored",
  "refused",
  "malformed",
  "too_large",
  "failed",
] as const;
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number];

/** What Prometheus is told, in a registry of its own (R-OBS-3). */
export interface Metrics {
  /** A call that was answered after so many seconds. */
  delivery(provider: Provider, result: DeliveryResult, seconds: number): void;
  contentType: string;
  text(): Promise<string>;
}

/** `backlog` is asked each time that somebody reads; where it throws, its numbers are told as unknown. */
export function createMetrics(backlog: () => Promise<Backlog>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const deliveries = new Counter({
    name: "relay_deliveries_total",
    help: "Webhook calls by tracker and by how they were answered.",
    labelNames: ["provider", "result"],
    registers: [registry],
  });
  const acks = new Histogram({
    name: "relay_delivery_ack_seconds",
    help: "Time from the call to its answer, for deliveries that were stored or known.",
    labelNames: ["provider"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const waiting = gauge("relay_deliveries_waiting", "Deliveries that are stored and not yet worked off.");
  const oldest = gauge("relay_deliveries_waiting_seconds", "How long the oldest of them waits.");
  const givenUp = gauge(
    "relay_given_up",
    "Deliveries and wake-ups that failed often enough; relay retry sends them again.",
  );
  const unknown: Backlog = { waiting: NaN, oldestSeconds: NaN, givenUp: NaN };
  return {
    delivery: (provider, result, seconds) => {
      deliveries.inc({ provider, result });
      if (result === "accepted" || result === "repeated") acks.observe({ provider }, seconds);
    },
    contentType: registry.contentType,
    text: async () => {
      const now = await backlog().catch(() => unknown);
      waiting.set(now.waiting);
      oldest.set(now.oldestSeconds);
      givenUp.set(now.givenUp);
      return await registry.metrics();
    },
  };
}
