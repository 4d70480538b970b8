import { z } from "zod";
import { AGENT_NAMES } from "../adapters/agents/registry.ts";
import { MODEL_PATTERN, OFFLINE, PROVIDER_LIST } from "../adapters/models/providers/registry.ts";
import { SANDBOXES } from "../adapters/sandbox/sandbox.ts";
import { TRACKER_SETTINGS } from "../adapters/trackers/registry.ts";
import { MODES } from "../domain/issue.ts";

const key = (description: string) => ({ description });

/** A model, or `offline`, by the form of its name. */
export const modelName = z
  .string()
  .regex(MODEL_PATTERN, { error: `must be “${OFFLINE}”, or provider/name with ${PROVIDER_LIST} as the provider` });

/** US dollars, or no limit. */
const budget = z.union([z.number().min(0).max(1_000_000), z.literal("off")], {
  error: "must be a number of US dollars, or “off”",
});
const texts = (most: number) => z.array(z.string().min(1)).max(most).default([]);
const httpUrl = (example: string) => z.url({ protocol: /^https?$/, error: `must be an address like ${example}` });

/** `relay.yaml`. Each key says which environment variable overrides it. */
export const configSchema = z.strictObject({
  database_url: z
    .url({ protocol: /^postgres(ql)?$/, error: "must be an address like postgres://user@host/database" })
    .optional()
    .meta(key("PostgreSQL to use instead of the embedded one (DATABASE_URL).")),
  home: z.string().min(1).default(".relay").meta(key("Data directory: database, state files (RELAY_HOME).")),
  spec_root: z.string().min(1).default("relay_specs").meta(key("Folder of the local spec store (RELAY_SPEC_ROOT).")),
  model: modelName
    .default(OFFLINE)
    .meta(key("Who plans and writes, as provider/name; `offline` is rules only (RELAY_MODEL).")),
  models: z
    .strictObject({
      planner: modelName.optional().meta(key("Who plans, if not `model` (RELAY_MODEL_PLANNER).")),
      spec: modelName.optional().meta(key("Who writes specs (RELAY_MODEL_SPEC).")),
      explore: modelName.optional().meta(key("Who looks at the code (RELAY_MODEL_EXPLORE).")),
      triage: modelName.optional().meta(key("Who triages (RELAY_MODEL_TRIAGE).")),
      fix_plan: modelName.optional().meta(key("Who makes fix plans (RELAY_MODEL_FIX_PLAN).")),
      reply: modelName.optional().meta(key("Who reads unclear replies (RELAY_MODEL_REPLY).")),
      worker: modelName.optional().meta(key("Who works (RELAY_MODEL_WORKER).")),
      fallback: z
        .array(modelName)
        .max(5)
        .optional()
        .meta(key("Models to try after passing troubles; none by default (RELAY_MODEL_FALLBACK, with commas).")),
      base_url: httpUrl("http://localhost:11434/v1")
        .optional()
        .meta(
          key(
            "Address of the openai-compatible server; where no role has one, of the provider of `model` (RELAY_MODEL_BASE_URL).",
          ),
        ),
      prices: z
        .string()
        .min(1)
        .optional()
        .meta(key("File of prices that come before Relay's own (RELAY_MODEL_PRICES).")),
    })
    .prefault({}),
  budgets: z
    .strictObject({
      issue_usd: budget
        .default(50)
        .meta(key("US dollars that models may cost for one issue, or `off` (RELAY_BUDGET_ISSUE_USD).")),
      repository_day_usd: budget
        .default("off")
        .meta(key("The same for one repository on one day, in UTC (RELAY_BUDGET_REPOSITORY_DAY_USD).")),
      workspace_month_usd: budget
        .default("off")
        .meta(key("The same for everything in one month, in UTC (RELAY_BUDGET_WORKSPACE_MONTH_USD).")),
      unpriced_usd_per_million: z
        .number()
        .min(0)
        .max(10_000)
        .default(5)
        .meta(
          key(
            "What a million tokens of a model without a known price count in budgets; 0 for models that cost nothing (RELAY_BUDGET_UNPRICED_USD_PER_MILLION).",
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
            "Globs of files that no model may read, beside Relay's own list of files with secrets; `!glob` opens one of those (RELAY_EXPLORE_PROTECT).",
          ),
        ),
    })
    .prefault({}),
  mode: z.enum(MODES).default("plan").meta(key("How far Relay goes in a repository (RELAY_MODE).")),
  confirm: z
    .strictObject({
      people: z
        .array(z.string().min(1))
        .default([])
        .meta(
          key("Logins that may confirm a plan beside those with write access (RELAY_CONFIRM_PEOPLE, with commas)."),
        ),
      thumbs_up: z
        .boolean()
        .default(true)
        .meta(key("Whether a thumbs-up on the plan's comment is a yes (RELAY_CONFIRM_THUMBS_UP).")),
      quick: z
        .boolean()
        .default(false)
        .meta(
          key(
            "Whether small issues of low risk get spec and plan in one comment, to be agreed to once; a repository's .relay.yml comes before this (RELAY_CONFIRM_QUICK).",
          ),
        ),
    })
    .prefault({}),
  log_level: z
    .enum(["debug", "info", "warn", "error"])
    .optional()
    .meta(
      key("Least level of log lines on stderr; without it `error`, and `info` for `relay serve` (RELAY_LOG_LEVEL)."),
    ),
  concurrency: z
    .int()
    .min(1)
    .max(64)
    .default(4)
    .meta(key("Issues that one process works on at a time (RELAY_CONCURRENCY).")),
  repositories: z
    .array(z.string().min(1))
    .min(1)
    .default(["**"])
    .meta(
      key(
        "Globs of the repositories on hosted trackers that Relay works in, like `acme/*` (RELAY_REPOSITORIES, with commas).",
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
        .meta(key("Port that `relay serve` listens on; 0 for any that is free (RELAY_PORT).")),
      public_url: httpUrl("https://relay.example.org")
        .optional()
        .meta(key("Address at which trackers reach `relay serve`, for `relay doctor` and links (RELAY_PUBLIC_URL).")),
    })
    .prefault({}),
  ...TRACKER_SETTINGS,
  work: z
    .strictObject({
      agent: z
        .enum(AGENT_NAMES)
        .optional()
        .meta(key("Coding agent that carries plans out; without one nothing is ever changed (RELAY_AGENT).")),
      command: z
        .array(z.string().min(1).max(4_096))
        .min(1)
        .max(64)
        .optional()
        .meta(
          key(
            "Program and arguments of the agent `command`, with {prompt}, {prompt_file}, {directory}, {model}; or of one that speaks the Agent Client Protocol (`acp`).",
          ),
        ),
      patch: z.string().min(1).optional().meta(key("Patch that the agent `script` applies, for trying Relay out.")),
      sandbox: z
        .enum(["auto", ...SANDBOXES])
        .default("auto")
        .meta(
          key(
            "What keeps the agent and the repository's programs apart from the machine; `auto` is bubblewrap, and never none (RELAY_SANDBOX).",
          ),
        ),
      container: z
        .strictObject({
          command: z.string().min(1).default("docker").meta(key("Program that runs containers.")),
          image: z.string().min(1).meta(key("Image to run in; it holds the agent, git and Node.")),
        })
        .optional()
        .meta(key("For the sandbox `container`.")),
      network: z
        .array(z.string().min(1).max(253))
        .max(200)
        .default([])
        .meta(
          key(
            "Hosts that programs in the sandbox may reach beside the model's, like those of your package registry; `*.example.org` for all below (RELAY_WORK_NETWORK, with commas).",
          ),
        ),
      environment: z
        .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: "must be the name of a variable" }))
        .max(50)
        .default([])
        .meta(key("Names of variables that programs in the sandbox get as they are (RELAY_WORK_ENVIRONMENT).")),
      readable: texts(50).meta(
        key("Folders that programs in the sandbox may read beside the system's, like the agent's own."),
      ),
      blocked_paths: texts(200).meta(key("Globs of files that no commit of Relay's touches, beside Relay's own list.")),
      allowed_paths: texts(200).meta(key("Globs that open files of Relay's own list, like `.github/workflows/**`.")),
      concurrency: z
        .int()
        .min(1)
        .max(32)
        .default(2)
        .meta(key("Runs that one process makes at a time (RELAY_WORK_CONCURRENCY).")),
      iterations: z.int().min(1).max(50).default(8).meta(key("Fresh runs of the agent for one task at most.")),
      minutes: z
        .number()
        .min(0.05)
        .max(1_440)
        .default(60)
        .meta(key("Minutes for one task at most (RELAY_WORK_MINUTES).")),
      iteration_minutes: z.number().min(0.05).max(480).default(20).meta(key("Minutes for one run of the agent.")),
      check_minutes: z.number().min(0.05).max(240).default(15).meta(key("Minutes for one check or test command.")),
      usd: budget.default(10).meta(key("US dollars that the agent may cost for one task, or `off` (RELAY_WORK_USD).")),
      memory_mb: z.int().min(256).max(1_048_576).optional().meta(key("Mebibytes of memory in the sandbox.")),
      processes: z.int().min(16).max(100_000).default(1_024).meta(key("Processes in the sandbox at a time.")),
      disk_mb: z
        .int()
        .min(50)
        .max(100_000_000)
        .default(10_240)
        .meta(key("Mebibytes that the programs of a run may add to the disk.")),
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
            "Login by which people assign and mention Relay, besides the one that its token or App has; `relay` in the local tracker (BOT_USERNAME).",
          ),
        ),
      idle_minutes: z
        .number()
        .min(0)
        .max(10_080)
        .default(10)
        .meta(key("Quiet minutes before the planner runs (BOT_IDLE_MINUTES).")),
      heed_bots: z
        .boolean()
        .default(false)
        .meta(key("Whether comments of other bots make the planner run as those of people do (BOT_HEED_BOTS).")),
    })
    .prefault({}),
});

export type Config = z.infer<typeof configSchema>;
