import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { Provider } from "../domain/issue.ts";
import type { Backlog } from "../storage/backlog.ts";
import type { NoticeFigures } from "../storage/notices.ts";
import type { WorkFigures } from "../storage/runs.ts";

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

/** The metrics for Prometheus, in a registry of their own (R-OBS-3). */
export interface Metrics {
  /** Counts a call and its duration in seconds. */
  delivery(provider: Provider, result: DeliveryResult, seconds: number): void;
  contentType: string;
  text(): Promise<string>;
}

/** Queried on each scrape; if it throws, its metrics are reported as unknown. */
export interface Figures {
  backlog: () => Promise<Backlog>;
  work: () => Promise<WorkFigures>;
  /** Absent where nothing is known of notices. */
  notices?: () => Promise<NoticeFigures[]>;
}

export function createMetrics({ backlog, work, notices }: Figures): Metrics {
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
  const deadLettered = gauge(
    "relay_given_up",
    "Deliveries and wake-ups that failed often enough; relay retry sends them again.",
  );
  const showWork = workMetrics(registry);
  const showNotices = noticeMetrics(registry);
  const unknown: Backlog = { waiting: NaN, oldestSeconds: NaN, deadLettered: NaN };
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
      deadLettered.set(now.deadLettered);
      showWork(await work().catch(() => null));
      showNotices((await notices?.().catch(() => [])) ?? []);
      return await registry.metrics();
    },
  };
}

/** Of each target that waits for something, or was given up within a week. */
function noticeMetrics(registry: Registry): (figures: readonly NoticeFigures[]) => void {
  const about = { labelNames: ["target"] as const, registers: [registry] };
  const waiting = new Gauge({ name: "relay_notices_waiting", help: "Notifications that are not sent yet.", ...about });
  const help = "Notifications given up within a week: after a day of tries, or with 410.";
  const givenUp = new Gauge({ name: "relay_notices_given_up", help, ...about });
  return (figures) => {
    for (const gauge of [waiting, givenUp]) gauge.reset();
    for (const { target, ...count } of figures) {
      waiting.set({ target }, count.waiting);
      givenUp.set({ target }, count.givenUp);
    }
  };
}

/** Of all workers, from the database: workers do not listen on any port. */
function workMetrics(registry: Registry): (figures: WorkFigures | null) => void {
  const registers = [registry];
  const queued = new Gauge({ name: "relay_tasks_queued", help: "Tasks that wait for a worker.", registers });
  const running = new Gauge({ name: "relay_runs_running", help: "Runs of tasks that have not ended.", registers });
  const labelNames = ["outcome"] as const;
  const ended = new Counter({ name: "relay_runs_total", help: "Runs that ended, by outcome.", labelNames, registers });
  const seconds = new Counter({
    name: "relay_run_seconds_total",
    help: "What they took together, by outcome.",
    labelNames,
    registers,
  });
  return (figures) => {
    queued.set(figures?.queued ?? NaN);
    running.set(figures?.running ?? NaN);
    // Keep the last value: a counter that goes back would look like a burst of runs.
    if (figures === null) return;
    for (const counter of [ended, seconds]) counter.reset();
    for (const { outcome, runs, seconds: took } of figures.ended) {
      ended.inc({ outcome }, runs);
      seconds.inc({ outcome }, took);
    }
  };
}
