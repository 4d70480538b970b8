import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { Provider } from "../domain/issue.ts";
import { ISSUE_STATES } from "../domain/lifecycle.ts";
import type { Backlog } from "../storage/backlog.ts";
import type { NoticeFigures } from "../storage/notices.ts";
import type { Figure, JobCount, KnownQuota, SpentBudgets, WorkFigures } from "../storage/figures.ts";

/** How a webhook call was answered. */
const DELIVERY_RESULTS = ["accepted", "repeated", "ignored", "refused", "malformed", "too_large", "failed"] as const;
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number];

/** The metrics for Prometheus, in a registry of their own (R-OBS-3). */
export interface Metrics {
  /** Counts a call and its duration in seconds. */
  delivery(provider: Provider, result: DeliveryResult, seconds: number): void;
  contentType: string;
  text(): Promise<string>;
}

/** Queried on each scrape; if one throws, its gauges are unknown, and its counters keep their values. */
export interface MetricSources {
  backlog: () => Promise<Backlog>;
  work: () => Promise<WorkFigures>;
  figures: () => Promise<Figure[]>;
  jobs: () => Promise<JobCount[]>;
  quotas: () => Promise<KnownQuota[]>;
  budgets: () => Promise<SpentBudgets>;
  notices: () => Promise<NoticeFigures[]>;
}

export interface BudgetLimits {
  /** US dollars; `off` without. */
  workspaceMonth: number | "off";
}

export function createMetrics(
  sources: MetricSources,
  { workspaceMonth }: BudgetLimits = { workspaceMonth: "off" },
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const deliveries = counter(
    registry,
    "relay_deliveries_total",
    "Webhook calls by tracker and by how they were answered.",
    ["provider", "result"],
  );
  const acks = new Histogram({
    name: "relay_delivery_ack_seconds",
    help: "Time from the call to its answer, for deliveries that were stored or known.",
    labelNames: ["provider"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const showBacklog = backlogMetrics(registry);
  const showWork = workMetrics(registry);
  const showFigures = figureMetrics(registry);
  const showJobs = jobMetrics(registry);
  const showQuotas = quotaMetrics(registry);
  const showBudgets = budgetMetrics(registry, workspaceMonth);
  const showNotices = noticeMetrics(registry);
  let cycles = cycleHistogram([]);
  return {
    delivery: (provider, result, seconds) => {
      deliveries.inc({ provider, result });
      if (result === "accepted" || result === "repeated") acks.observe({ provider }, seconds);
    },
    contentType: registry.contentType,
    text: async () => {
      const [backlog, work, figures, jobs, quotas, budgets, notices] = await Promise.all([
        orUnknown(sources.backlog),
        orUnknown(sources.work),
        orUnknown(sources.figures),
        orUnknown(sources.jobs),
        orUnknown(sources.quotas),
        orUnknown(sources.budgets),
        orUnknown(sources.notices),
      ]);
      showBacklog(backlog);
      showWork(work);
      showJobs(jobs);
      showQuotas(quotas);
      showBudgets(budgets);
      showNotices(notices ?? []);
      // A counter keeps its last value: one that goes back would look like a burst.
      if (figures !== null) {
        showFigures(figures);
        cycles = cycleHistogram(figures);
      }
      return `${await registry.metrics()}\n${cycles}`;
    },
  };
}

async function orUnknown<T>(read: () => Promise<T>): Promise<T | null> {
  return await read().catch(() => null);
}

function counter(registry: Registry, name: string, help: string, labelNames: string[] = []): Counter {
  return new Counter({ name, help, labelNames, registers: [registry] });
}

function gauge(registry: Registry, name: string, help: string, labelNames: string[] = []): Gauge {
  return new Gauge({ name, help, labelNames, registers: [registry] });
}

function backlogMetrics(registry: Registry): (backlog: Backlog | null) => void {
  const waiting = gauge(registry, "relay_deliveries_waiting", "Deliveries that are stored and not yet worked off.");
  const oldest = gauge(registry, "relay_deliveries_waiting_seconds", "How long the oldest of them waits.");
  const help = "Deliveries and wake-ups that failed often enough; relay retry sends them again.";
  const deadLetters = gauge(registry, "relay_dead_letters", help);
  return (backlog) => {
    waiting.set(backlog?.waiting ?? NaN);
    oldest.set(backlog?.oldestSeconds ?? NaN);
    deadLetters.set(backlog?.deadLettered ?? NaN);
  };
}

/** Of all workers, from the database: workers do not listen on any port. */
function workMetrics(registry: Registry): (figures: WorkFigures | null) => void {
  const queued = gauge(registry, "relay_tasks_queued", "Tasks that wait for a worker.");
  const oldest = gauge(registry, "relay_tasks_queued_seconds", "How long the oldest of them waits.");
  const running = gauge(registry, "relay_runs_running", "Runs of tasks that have not ended.");
  const ended = counter(registry, "relay_runs_total", "Runs that ended, by outcome.", ["outcome"]);
  const seconds = counter(registry, "relay_run_seconds_total", "What they took together, by outcome.", ["outcome"]);
  return (figures) => {
    queued.set(figures?.queued ?? NaN);
    oldest.set(figures?.queuedSeconds ?? NaN);
    running.set(figures?.running ?? NaN);
    if (figures === null) return;
    for (const each of [ended, seconds]) each.reset();
    for (const { outcome, runs, seconds: took } of figures.ended) {
      ended.inc({ outcome }, runs);
      seconds.inc({ outcome }, took);
    }
  };
}

/** Counters by the names that the database keeps their amounts by. */
const COUNTERS: Record<string, { name: string; help: string; labels: string[] }> = {
  deliveries: {
    name: "relay_deliveries_processed_total",
    help: "Deliveries that were worked off, by tracker and by what was decided of them.",
    labels: ["provider", "outcome"],
  },
  model_calls: {
    name: "relay_model_calls_total",
    help: "Calls of models, and runs of coding agents (stage worker), by how they ended.",
    labels: ["stage", "model", "status"],
  },
  model_tokens: {
    name: "relay_model_tokens_total",
    help: "Tokens of models; cached_input is a part of input.",
    labels: ["stage", "model", "type"],
  },
  model_cost: {
    name: "relay_model_cost_usd_total",
    help: "What calls of models with a known price cost, in US dollars.",
    labels: ["stage", "model"],
  },
  model_unpriced: {
    name: "relay_model_unpriced_calls_total",
    help: "Calls of models without a known price.",
    labels: ["stage", "model"],
  },
  model_seconds: {
    name: "relay_model_call_seconds_total",
    help: "What calls of models took together.",
    labels: ["stage", "model"],
  },
};

function figureMetrics(registry: Registry): (figures: readonly Figure[]) => void {
  const issues = gauge(registry, "relay_issues", "Issues that Relay is engaged in, by state.", ["state"]);
  const counters = Object.entries(COUNTERS).map(([of, { name, help, labels }]) => {
    return { of, labels, shown: counter(registry, name, help, labels) };
  });
  return (figures) => {
    for (const state of ISSUE_STATES) issues.set({ state }, 0);
    for (const { name, labels, amount } of figures) {
      if (name === "issues") issues.set({ state: labels[0] ?? "" }, amount);
    }
    for (const { of, labels: names, shown } of counters) {
      shown.reset();
      for (const { labels, amount } of figures.filter(({ name }) => name === of)) {
        shown.inc(Object.fromEntries(names.map((name, at) => [name, labels[at] ?? ""])), amount);
      }
    }
  };
}

const CYCLES = "relay_cycle_duration_seconds";
const CYCLE_BOUNDS = ["1", "2.5", "5", "10", "30", "60", "120", "300", "600", "1800", "+Inf"];

/** As text: the library fills histograms by single observations only. */
function cycleHistogram(figures: readonly Figure[]): string {
  const lines = [`# HELP ${CYCLES} Cycles of the planner that ended, by outcome.`, `# TYPE ${CYCLES} histogram`];
  for (const outcome of ["done", "failed"]) {
    let count = 0;
    for (const le of CYCLE_BOUNDS) {
      const here = figures.find(({ name, labels }) => name === "cycles" && labels[0] === outcome && labels[1] === le);
      count += here?.amount ?? 0;
      lines.push(`${CYCLES}_bucket{outcome="${outcome}",le="${le}"} ${count}`);
    }
    const seconds = figures.find(({ name, labels }) => name === "cycle_seconds" && labels[0] === outcome);
    lines.push(
      `${CYCLES}_sum{outcome="${outcome}"} ${seconds?.amount ?? 0}`,
      `${CYCLES}_count{outcome="${outcome}"} ${count}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

function jobMetrics(registry: Registry): (jobs: readonly JobCount[] | null) => void {
  const jobs = gauge(registry, "relay_jobs", "Jobs that are due, or run, by queue.", ["queue", "state"]);
  return (counted) => {
    jobs.reset();
    for (const { queue, due, running } of counted ?? []) {
      jobs.set({ queue, state: "due" }, due);
      jobs.set({ queue, state: "running" }, running);
    }
  };
}

function quotaMetrics(registry: Registry): (quotas: readonly KnownQuota[] | null) => void {
  const labels = ["quota"];
  const requests = counter(registry, "relay_tracker_requests_total", "Requests to trackers, by credentials.", labels);
  const remaining = gauge(registry, "relay_tracker_quota_remaining", "Requests left in the tracker's window.", labels);
  const allowed = gauge(registry, "relay_tracker_quota_limit", "Requests that the tracker allows in a window.", labels);
  const help = "How long the tracker takes no requests from now on; 0 where it takes them.";
  const blocked = gauge(registry, "relay_tracker_blocked_seconds", help, labels);
  return (quotas) => {
    for (const each of [remaining, allowed, blocked]) each.reset();
    if (quotas !== null) requests.reset();
    for (const { quota, ...known } of quotas ?? []) {
      requests.inc({ quota }, known.requests);
      blocked.set({ quota }, known.blockedSeconds);
      if (known.remaining !== null) remaining.set({ quota }, known.remaining);
      if (known.allowed !== null) allowed.set({ quota }, known.allowed);
    }
  };
}

/** Metrics of each target with notices that wait, or were given up within a week. */
function noticeMetrics(registry: Registry): (figures: readonly NoticeFigures[]) => void {
  const waiting = gauge(registry, "relay_notices_waiting", "Notifications that are not sent yet.", ["target"]);
  const help = "Notifications given up within a week: after a day of tries, or with 410.";
  const givenUp = gauge(registry, "relay_notices_given_up", help, ["target"]);
  return (figures) => {
    for (const each of [waiting, givenUp]) each.reset();
    for (const { target, ...count } of figures) {
      waiting.set({ target }, count.waiting);
      givenUp.set({ target }, count.givenUp);
    }
  };
}

const BUDGETS = ["issue", "repository_day", "workspace_month"];

function budgetMetrics(
  registry: Registry,
  workspaceMonth: BudgetLimits["workspaceMonth"],
): (budgets: SpentBudgets | null) => void {
  const spent = gauge(registry, "relay_month_spent_usd", "US dollars that models cost in this month (UTC).");
  const limit = gauge(
    registry,
    "relay_month_budget_usd",
    "US dollars that they may cost (budgets.workspace_month_usd).",
  );
  const stopped = gauge(registry, "relay_budget_stopped_issues", "Issues that a budget stops now.", ["budget"]);
  return (budgets) => {
    spent.set(budgets?.spentUsd ?? NaN);
    limit.set(workspaceMonth === "off" ? Infinity : workspaceMonth);
    for (const budget of BUDGETS) {
      const found = budgets?.stopped.find((one) => one.budget === budget);
      stopped.set({ budget }, budgets === null ? NaN : (found?.issues ?? 0));
    }
  };
}
