import { z } from "zod";
import { AGENT_NAMES } from "../adapters/agents/registry.ts";
import { MODEL_PATTERN, OFFLINE, PROVIDER_LIST, PROVIDERS } from "../adapters/models/providers/registry.ts";
import { SANDBOXES } from "../adapters/sandbox/sandbox.ts";
import { TRACKER_SETTINGS } from "../adapters/trackers/registry.ts";
import { MODES } from "../domain/issue.ts";
import { labelNames } from "./label-names.ts";
import { modelTimeouts } from "./model-timeouts.ts";
import { specSettings } from "./spec-settings.ts";

/** Who may call Relay, in a word. */
export const ENGAGE = ["triage", "write", "anyone"] as const;

const key = (description: string) => ({ description });

/** A model, or `offline`, by the form of its name. */
export const modelName = z
  .string()
  .regex(MODEL_PATTERN, { error: `must be “${OFFLINE}”, or provider/name with ${PROVIDER_LIST} as the provider` });

/** Models by their names, with one `*` at most. */
const modelPattern = z
  .string()
  .max(200)
  .regex(new RegExp(`^(?:${PROVIDERS.join("|")})\\/(?!.*\\*.*\\*)[\\w.:@/+*-]+$`), {
    error: "must be provider/name; one * stands for any rest",
  });

/** US dollars, or no limit. */
const budget = z.union([z.number().min(0).max(1_000_000), z.literal("off")], {
  error: "must be a number of US dollars, or “off”",
});
const texts = (most: number) => z.array(z.string().min(1)).max(most).default([]);
const httpUrl = (example: string) => z.url({ protocol: /^https?$/, error: `must be an address like ${example}` });

/** `relay.yaml`. Each key names the environment variable that overrides it. */
export const configSchema = z.strictObject({
  database_url: z
    .url({ protocol: /^postgres(ql)?$/, error: "must be an address like postgres://user@host/database" })
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
      protect: z
        .array(z.string().min(1))
        .default([])
        .meta(
          key(
            "Globs of files that no model may read, besides Relay's own list of files with secrets; `!glob` makes one of those readable (RELAY_EXPLORE_PROTECT, comma-separated).",
          ),
        ),
    })
    .prefault({}),
  mode: z.enum(MODES).default("plan").meta(key("How far Relay goes in a repository (RELAY_MODE).")),
  approval: z
    .strictObject({
      people: z
        .array(z.string().min(1))
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
    .array(z.string().min(1))
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
      public_url: httpUrl("https://relay.example.org")
        .optional()
        .meta(key("Address at which trackers reach `relay serve`; also used in links (RELAY_PUBLIC_URL).")),
    })
    .prefault({}),
  ...TRACKER_SETTINGS,
  labels: labelNames,
  work: z
    .strictObject({
      agent: z
        .enum(AGENT_NAMES)
        .optional()
        .meta(key("Coding agent that carries out plans; without one, Relay changes no code (RELAY_AGENT).")),
      command: z
        .array(z.string().min(1).max(4_096))
        .min(1)
        .max(64)
        .optional()
        .meta(
          key(
            "Program and arguments of the agent `command`, with {prompt}, {prompt_file}, {directory}, {model}; or of an agent that speaks the Agent Client Protocol (`acp`).",
          ),
        ),
      patch: z.string().min(1).optional().meta(key("Patch that the agent `script` applies, for trying Relay out.")),
      sandbox: z
        .enum(["auto", ...SANDBOXES])
        .default("auto")
        .meta(
          key(
            "What isolates the agent and the repository's programs from the machine; `auto` is bubblewrap, and never none (RELAY_SANDBOX).",
          ),
        ),
      container: z
        .strictObject({
          command: z.string().min(1).default("docker").meta(key("Program that runs containers.")),
          image: z.string().min(1).meta(key("Image to run in; it needs the agent, git and Node.")),
        })
        .optional()
        .meta(key("For the sandbox `container`.")),
      network: z
        .array(z.string().min(1).max(253))
        .max(200)
        .default([])
        .meta(
          key(
            "Allowlist of hosts for programs in the sandbox, besides the model's, such as your package registry; `*.example.org` allows all subdomains (RELAY_WORK_NETWORK, comma-separated).",
          ),
        ),
      private_network: texts(50).meta(
        key(
          "Private addresses that programs in the sandbox may reach all the same: your own registry as `host:port`, or a network such as `10.20.0.0/16` for the hosts of `network`; none by default.",
        ),
      ),
      models: z
        .array(modelPattern)
        .max(50)
        .default([])
        .meta(
          key(
            "Models that the agent may use besides `models.worker` and the small ones of its own, as `provider/name`; one `*` stands for any rest.",
          ),
        ),
      requests_per_minute: z
        .int()
        .min(1)
        .max(10_000)
        .default(120)
        .meta(key("Most requests of a run to its models in a minute.")),
      environment: z
        .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: "must be the name of a variable" }))
        .max(50)
        .default([])
        .meta(key("Variables passed on to programs in the sandbox (RELAY_WORK_ENVIRONMENT, comma-separated).")),
      scan_command: z
        .string()
        .min(1)
        .max(4_096)
        .optional()
        .meta(
          key(
            "Command that scans a finished change on a clean checkout, in the sandbox; its result is in the pull request, which is a draft if it fails.",
          ),
        ),
      readable: texts(50).meta(
        key("Folders that programs in the sandbox may read, besides the system's, such as the agent's own."),
      ),
      blocked_paths: texts(200).meta(key("Globs of files that Relay never changes, besides its own list.")),
      allowed_paths: texts(200).meta(
        key("Globs of files on Relay's own list that it may change after all, such as `.github/workflows/**`."),
      ),
      concurrency: z
        .int()
        .min(1)
        .max(32)
        .default(2)
        .meta(key("Runs of one process at a time (RELAY_WORK_CONCURRENCY).")),
      iterations: z.int().min(1).max(50).default(8).meta(key("Most fresh runs of the agent per task.")),
      minutes: z.number().min(0.05).max(1_440).default(60).meta(key("Most minutes per task (RELAY_WORK_MINUTES).")),
      iteration_minutes: z.number().min(0.05).max(480).default(20).meta(key("Most minutes per run of the agent.")),
      check_minutes: z.number().min(0.05).max(240).default(15).meta(key("Most minutes per check or test command.")),
      usd: budget.default(10).meta(key("Budget for the agent per task in US dollars, or `off` (RELAY_WORK_USD).")),
      memory_mb: z.int().min(256).max(1_048_576).optional().meta(key("Memory limit of the sandbox in mebibytes.")),
      processes: z.int().min(16).max(100_000).default(1_024).meta(key("Most processes in the sandbox at a time.")),
      disk_mb: z
        .int()
        .min(50)
        .max(100_000_000)
        .default(10_240)
        .meta(key("Mebibytes that the programs of a run may write to disk.")),
      files: z
        .int()
        .min(1_000)
        .max(100_000_000)
        .default(500_000)
        .meta(key("Files and folders that the programs of a run may create.")),
    })
    .prefault({}),
  bot: z
    .strictObject({
      username: z
        .string()
        .min(1)
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
        .union([z.enum(ENGAGE), z.array(z.string().min(1)).min(1).max(1_000)], {
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
