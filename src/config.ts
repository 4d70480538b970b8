import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { distance } from "fastest-levenshtein";
import { LineCounter, parseDocument } from "yaml";
import type { Document } from "yaml";
import { z } from "zod";
import { MODES } from "./domain/issue.ts";
import { RelayError } from "./lib/errors.ts";
import type { ModelChoice } from "./models/choice.ts";
import { chooseModels } from "./models/choice.ts";
import type { ModelRole } from "./models/model.ts";
import { MODEL_ROLES } from "./models/model.ts";

const key = (description: string) => ({ description });

/** A model, or `offline`, by the form of its name. */
const modelName = z.string().regex(/^(?:offline|(?:anthropic|openai|google|openai-compatible)\/[\w.:@/+-]{1,200})$/, {
  error: "must be “offline”, or provider/name with anthropic, openai, google or openai-compatible as the provider",
});

/** US dollars, or no bound. */
const budget = z.union([z.number().min(0).max(1_000_000), z.literal("off")], {
  error: "must be a number of US dollars, or “off”",
});
const NO_BUDGETS_SET = {
  issue_usd: 50,
  repository_day_usd: "off" as const,
  workspace_month_usd: "off" as const,
  unpriced_usd_per_million: 5,
};

/** `relay.yaml`. Each key says which environment variable overrides it. */
export const configSchema = z.strictObject({
  database_url: z
    .url({ protocol: /^postgres(ql)?$/, error: "must be an address like postgres://user@host/database" })
    .optional()
    .meta(key("PostgreSQL to use instead of the embedded one (DATABASE_URL).")),
  home: z.string().min(1).default(".relay").meta(key("Data directory: database, state files (RELAY_HOME).")),
  spec_root: z.string().min(1).default("relay_specs").meta(key("Folder of the local spec store (RELAY_SPEC_ROOT).")),
  model: modelName
    .default("offline")
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
      base_url: z
        .url({ protocol: /^https?$/, error: "must be an address like http://localhost:11434/v1" })
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
    .default({}),
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
    .default(NO_BUDGETS_SET),
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
    .default({ protect: [] }),
  mode: z.enum(MODES).default("plan").meta(key("How far Relay goes in a repository (RELAY_MODE).")),
  log_level: z
    .enum(["debug", "info", "warn", "error"])
    .default("error")
    .meta(key("Least level of log lines on stderr (RELAY_LOG_LEVEL).")),
  bot: z
    .strictObject({
      username: z.string().min(1).default("relay").meta(key("Login that Relay acts as (BOT_USERNAME).")),
      idle_minutes: z
        .number()
        .min(0)
        .max(10_080)
        .default(10)
        .meta(key("Quiet minutes before the planner runs (BOT_IDLE_MINUTES).")),
    })
    .default({ username: "relay", idle_minutes: 10 }),
});

export type Config = z.infer<typeof configSchema>;

type VariableKind = "text" | "number" | "list" | "budget";

/** Environment variables and the keys they set; a variable wins over the file. */
const VARIABLES: Record<string, { path: string[]; kind: VariableKind }> = {
  DATABASE_URL: { path: ["database_url"], kind: "text" },
  RELAY_HOME: { path: ["home"], kind: "text" },
  RELAY_SPEC_ROOT: { path: ["spec_root"], kind: "text" },
  RELAY_MODEL: { path: ["model"], kind: "text" },
  ...Object.fromEntries(
    MODEL_ROLES.map((role) => [`RELAY_MODEL_${role.toUpperCase()}`, { path: ["models", role], kind: "text" }]),
  ),
  RELAY_MODEL_FALLBACK: { path: ["models", "fallback"], kind: "list" },
  RELAY_MODEL_BASE_URL: { path: ["models", "base_url"], kind: "text" },
  RELAY_MODEL_PRICES: { path: ["models", "prices"], kind: "text" },
  RELAY_BUDGET_ISSUE_USD: { path: ["budgets", "issue_usd"], kind: "budget" },
  RELAY_BUDGET_REPOSITORY_DAY_USD: { path: ["budgets", "repository_day_usd"], kind: "budget" },
  RELAY_BUDGET_WORKSPACE_MONTH_USD: { path: ["budgets", "workspace_month_usd"], kind: "budget" },
  RELAY_BUDGET_UNPRICED_USD_PER_MILLION: { path: ["budgets", "unpriced_usd_per_million"], kind: "number" },
  RELAY_EXPLORE_PROTECT: { path: ["explore", "protect"], kind: "list" },
  RELAY_MODE: { path: ["mode"], kind: "text" },
  RELAY_LOG_LEVEL: { path: ["log_level"], kind: "text" },
  BOT_USERNAME: { path: ["bot", "username"], kind: "text" },
  BOT_IDLE_MINUTES: { path: ["bot", "idle_minutes"], kind: "number" },
};

const DEFAULT_FILE = "relay.yaml";
const SIZE_LIMIT = 256 * 1024;

/**
 * Reads the configuration: the file given, or the one `RELAY_CONFIG` names, or `relay.yaml` here if there is one;
 * then the environment. Throws `config`, naming file, line, key and mend; a misspelt key gets a suggestion.
 */
export function loadConfig(file: string | undefined, env: Record<string, string | undefined> = process.env): Config {
  const named = file ?? env["RELAY_CONFIG"];
  const path = resolve(named ?? DEFAULT_FILE);
  const values = named !== undefined || existsSync(path) ? readConfigFile(path) : {};
  for (const [variable, { path: keys, kind }] of Object.entries(VARIABLES)) {
    const text = env[variable];
    if (text === undefined || text === "") continue;
    set(values, keys, valueOf(kind, variable, text));
  }
  const parsed = configSchema.safeParse(values);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new RelayError("config", issue ? explain(issue, named ?? DEFAULT_FILE, env) : `${path} cannot be understood`);
}

/** The same configuration with one model for all roles. Throws `usage` for a name that is none. */
export function withModel(config: Config, model: string): Config {
  if (modelName.safeParse(model).success) return { ...config, model, models: { ...config.models, ...NO_ROLES } };
  throw new RelayError(
    "usage",
    `there is no model “${model}”; give offline, or provider/name with anthropic, openai, google or openai-compatible`,
  );
}

const NO_ROLES = Object.fromEntries(MODEL_ROLES.map((role) => [role, undefined]));

/**
 * Who serves a role, with address and key. Keys are read here, from the environment only, and are no part of the
 * configuration, which is shown to people (R-SAFE-3). Throws `config`, naming the variable that is missing.
 */
export function modelsFor(
  role: ModelRole,
  { model, models }: Pick<Config, "model" | "models">,
  env: Record<string, string | undefined> = process.env,
): ModelChoice {
  return chooseModels(role, { model, roles: models, fallback: models.fallback ?? [], baseUrl: models.base_url }, env);
}

function readConfigFile(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new RelayError("config", `cannot read the configuration ${path}; check that it exists and is readable`, {
      cause,
    });
  }
  if (text.length > SIZE_LIMIT) throw new RelayError("config", `the configuration ${path} is larger than 256 KiB`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const error = document.errors[0];
  if (error) {
    throw new RelayError("config", `${path}:${lines.linePos(error.pos[0]).line}: not valid YAML: ${error.message}`);
  }
  const value = unfold(document, path);
  if (value === null || value === undefined) return {};
  if (!isRecord(value)) throw new RelayError("config", `${path}: must be a mapping of keys to values`);
  return value;
}

function unfold(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 20 });
  } catch (cause) {
    throw new RelayError("config", `${path}: its aliases unfold to too much; write the values out`, { cause });
  }
}

function explain(issue: z.core.$ZodIssue, file: string, env: Record<string, string | undefined>): string {
  const at = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const wrong = issue.keys[0] ?? "";
    const near = nearest(wrong, keysAt(issue.path));
    const name = at === "" ? wrong : `${at}.${wrong}`;
    return `${file}: unknown key “${name}”${near === null ? "" : `; did you mean “${near}”?`}`;
  }
  const variable = Object.entries(VARIABLES).find(([, { path }]) => `${at}.`.startsWith(`${path.join(".")}.`))?.[0];
  const place = variable !== undefined && env[variable] ? variable : `${file}: ${at}`;
  return `${place}: ${issue.message}`;
}

function keysAt(path: PropertyKey[]): string[] {
  if (path[0] === "bot") return ["username", "idle_minutes"];
  if (path[0] === "models") return [...MODEL_ROLES, "fallback", "base_url", "prices"];
  if (path[0] === "explore") return ["protect"];
  if (path[0] === "budgets") return Object.keys(NO_BUDGETS_SET);
  return Object.keys(configSchema.shape);
}

/** The closest of the known words, unless it is too far off to be meant. */
export function nearest(word: string, known: string[]): string | null {
  const [best] = known
    .map((candidate) => ({ candidate, steps: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.steps - b.steps);
  return best && best.steps <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : null;
}

function valueOf(kind: VariableKind, variable: string, text: string): unknown {
  if (kind === "budget" && text === "off") return text;
  if (kind === "number" || kind === "budget") return toNumber(variable, text);
  return kind === "text" ? text : text.split(",").map((item) => item.trim());
}

function toNumber(variable: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new RelayError("config", `${variable} must be a number, not “${text}”`);
  return value;
}

function set(values: Record<string, unknown>, path: string[], value: unknown): void {
  const [first, ...rest] = path;
  if (first === undefined) return;
  if (rest.length === 0) {
    values[first] = value;
    return;
  }
  const inner = values[first];
  const next = isRecord(inner) ? inner : {};
  values[first] = next;
  set(next, rest, value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
