import { z } from "zod";
import { loadPrices } from "../adapters/models/prices.ts";
import { messageOf } from "../lib/errors.ts";
import { MODEL_PATTERN, OFFLINE, PROVIDER_LIST } from "../adapters/models/providers/registry.ts";
import { TRACKER_SETTINGS } from "../adapters/trackers/registry.ts";
import { MODES } from "../domain/issue.ts";
import { labelNames } from "./label-names.ts";
import { login, repositoryGlob, treeGlobs } from "./names.ts";
import { modelTimeouts } from "./model-timeouts.ts";
import { readDatabaseUrl } from "./database-url.ts";
import { notificationSettings } from "./notification-settings.ts";
import { retentionSettings } from "./retention-settings.ts";
import { specSettings } from "./spec-settings.ts";
import { budget, workSettings } from "./work-settings.ts";

/** Who may call Relay, in a word. */
export const ENGAGE = ["triage", "write", "anyone"] as const;

const key = (description: string) => ({ description });

/** A model, or `offline`, by the form of its name. */
export const modelName = z
  .string()
  .regex(MODEL_PATTERN, { error: `must be “${OFFLINE}”, or provider/name with ${PROVIDER_LIST} as the provider` });

const httpUrl = (example: string) => z.url({ protocol: /^https?$/, error: `must be an address like ${example}` });

/** A table that cannot be read would else be missed at the first call of a model only. */
function priceTable(file: string, context: z.RefinementCtx): void {
  try {
    loadPrices(file);
  } catch (error) {
    context.addIssue({ code: "custom", message: `${messageOf(error)}; correct the file, or name another one` });
  }
}

/** `relay.yaml`. Each key names the environment variable that overrides it. */
export const configSchema = z.strictObject({
  database_url: z
    .string()
    .refine((text) => readDatabaseUrl(text) !== null, {
      error:
        "must be an address like postgres://user@host/database, or postgres://user@/database?host=/folder/of/its/socket",
    })
    .optional()
    .meta(key("PostgreSQL to use instead of the embedded one (DATABASE_URL).")),
  home: z.string().min(1).default(".relay").meta(key("Data directory: database, state files (RELAY_HOME).")),
  ...specSettings,
  model: modelName
    .default(OFFLINE)
    .meta(key("Model that plans and writes, as provider/name; `offline` uses rules only (RELAY_MODEL).")),
  models: z
    .strictObject({
      planner: modelName.optional().meta(key("Model of the planner, if not `model` (RELAY_MODEL_PLANNER).")),
      spec: modelName.optional().meta(key("Model that writes specs (RELAY_MODEL_SPEC).")),
      explore: modelName.optional().meta(key("Model that explores the code (RELAY_MODEL_EXPLORE).")),
      rerank: modelName
        .optional()
        .meta(key("Model that puts the files found into order; `offline` keeps the search's (RELAY_MODEL_RERANK).")),
      triage: modelName.optional().meta(key("Model for triage (RELAY_MODEL_TRIAGE).")),
      fix_plan: modelName.optional().meta(key("Model that makes fix plans (RELAY_MODEL_FIX_PLAN).")),
      reply: modelName.optional().meta(key("Model that classifies unclear replies (RELAY_MODEL_REPLY).")),
      worker: modelName.optional().meta(key("Model of the coding agent (RELAY_MODEL_WORKER).")),
      fallback: z
        .array(modelName)
        .max(5)
        .optional()
        .meta(key("Models to try after transient errors; none by default (RELAY_MODEL_FALLBACK, comma-separated).")),
      base_url: httpUrl("http://localhost:11434/v1")
        .optional()
        .meta(
          key(
            "Address of the openai-compatible server; if no role uses one, of the provider of `model` (RELAY_MODEL_BASE_URL).",
          ),
        ),
      prices: z
        .string()
        .min(1)
        .superRefine(priceTable)
        .optional()
        .meta(key("File with prices that override Relay's own (RELAY_MODEL_PRICES).")),
      timeouts: modelTimeouts,
    })
    .prefault({}),
  budgets: z
    .strictObject({
      issue_usd: budget
        .default(50)
        .meta(key("Budget for models per issue in US dollars, or `off` (RELAY_BUDGET_ISSUE_USD).")),
      repository_day_usd: budget
        .default(100)
        .meta(key("The same per repository and day, in UTC (RELAY_BUDGET_REPOSITORY_DAY_USD).")),
      workspace_month_usd: budget
        .default("off")
        .meta(key("The same for everything in a month, in UTC (RELAY_BUDGET_WORKSPACE_MONTH_USD).")),
      unpriced_usd_per_million: z
        .number()
        .min(0)
        .max(10_000)
        .default(5)
        .meta(
          key(
            "US dollars that budgets count per million tokens of a model without a known price; 0 for free models (RELAY_BUDGET_UNPRICED_USD_PER_MILLION).",
          ),
        ),
    })
    .prefault({}),
  explore: z
    .strictObject({
      protect: treeGlobs(1_000, { takesBack: true }).meta(
        key(
          "Globs of files that no model may read, besides Relay's own list of files with secrets; `!glob` makes one of those readable (RELAY_EXPLORE_PROTECT, comma-separated).",
        ),
      ),
    })
    .prefault({}),
  link_hosts: z
    .array(
      z.string().regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?$/i, {
        error: "must be a host such as docs.example.com, without https:// and without a path",
      }),
    )
    .default([])
    .meta(
      key(
        "Hosts that links in what Relay writes may lead to, by https, beside the tracker's and those that people name in the thread (RELAY_LINK_HOSTS, comma-separated).",
      ),
    ),
  mode: z.enum(MODES).default("plan").meta(key("How far Relay goes in a repository (RELAY_MODE).")),
  approval: z
    .strictObject({
      people: z
        .array(login)
        .default([])
        .meta(key("Logins that may approve plans without write access (RELAY_APPROVAL_PEOPLE, comma-separated).")),
      thumbs_up: z
        .boolean()
        .default(true)
        .meta(key("Whether a thumbs-up on the plan's comment approves it (RELAY_APPROVAL_THUMBS_UP).")),
      fast_track: z
        .boolean()
        .default(false)
        .meta(
          key(
            "Whether small, low-risk issues get spec and plan in one comment and need one approval; `fast_track` in a repository's .relay.yml overrides this (RELAY_APPROVAL_FAST_TRACK).",
          ),
        ),
    })
    .prefault({}),
  log_level: z
    .enum(["debug", "info", "warn", "error"])
    .optional()
    .meta(key("Lowest level of log lines on stderr; default `error`, and `info` for `relay serve` (RELAY_LOG_LEVEL).")),
  concurrency: z
    .int()
    .min(1)
    .max(64)
    .default(4)
    .meta(key("Issues that one process handles at a time (RELAY_CONCURRENCY).")),
  repositories: z
    .array(repositoryGlob)
    .min(1)
    .default(["**"])
    .meta(
      key(
        "Globs of the repositories on hosted trackers that Relay works in, such as `acme/*` (RELAY_REPOSITORIES, comma-separated).",
      ),
    ),
  server: z
    .strictObject({
      host: z.string().min(1).default("127.0.0.1").meta(key("Address that `relay serve` listens on (RELAY_HOST).")),
      port: z
        .int()
        .min(0)
        .max(65_535)
        .default(8080)
        .meta(key("Port that `relay serve` listens on; 0 for any free one (RELAY_PORT).")),
      trusted_proxies: z
        .int()
        .min(0)
        .max(10)
        .default(0)
        .meta(
          key(
            "Proxies in front of `relay serve` that add to `X-Forwarded-For`; logins and connections are bounded by the address that they tell (RELAY_TRUSTED_PROXIES).",
          ),
        ),
      public_url: httpUrl("https://relay.example.org")
        .optional()
        .meta(key("Address at which trackers reach `relay serve`; also used in links (RELAY_PUBLIC_URL).")),
    })
    .prefault({}),
  ...TRACKER_SETTINGS,
  labels: labelNames,
  work: workSettings,
  notifications: notificationSettings,
  retention: retentionSettings,
  bot: z
    .strictObject({
      username: login
        .optional()
        .meta(
          key(
            "Login by which people assign and mention Relay, besides that of its token or App; `relay` in the local tracker (BOT_USERNAME).",
          ),
        ),
      idle_minutes: z
        .number()
        .min(0)
        .max(10_080)
        .default(10)
        .meta(key("Debounce: quiet minutes before the planner runs (BOT_IDLE_MINUTES).")),
      engage: z
        .union([z.enum(ENGAGE), z.array(login).min(1).max(1_000)], {
          error: `must be ${ENGAGE.map((one) => `“${one}”`).join(", ")}, or a list of logins`,
        })
        .default("triage")
        .meta(
          key(
            "Who may call Relay by a mention: people with at least this permission, `anyone`, or a list of logins besides people who may triage (BOT_ENGAGE, comma-separated).",
          ),
        ),
      respond_to_bots: z
        .boolean()
        .default(false)
        .meta(key("Whether comments by other bots trigger the planner, as people's do (BOT_RESPOND_TO_BOTS).")),
    })
    .prefault({}),
});

export type Config = z.infer<typeof configSchema>;
