import { environment } from "./environment.ts";
import type { Environment } from "../lib/secret-variable.ts";
import { STATE_LABELS } from "../domain/state-labels.ts";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { z } from "zod";
import { agentKeys } from "./agent-keys.ts";
import { type Config, ENGAGE, configSchema, modelName } from "./schema.ts";
import { RETENTION_KEYS } from "./retention-settings.ts";
import { RENAMED_KEYS, RENAMED_VARIABLES } from "./renamed.ts";
import { mappingIn, unknownKey } from "./yaml-text.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import { type ModelChoice, chooseModels } from "../adapters/models/choice.ts";
import { type ModelRole, MODEL_ROLES } from "../adapters/models/model.ts";
import {
  type ModelName,
  MODEL_PROVIDERS,
  OFFLINE,
  PROVIDER_LIST,
  parseModelName,
  providerOf,
} from "../adapters/models/providers/registry.ts";
import { isRecord } from "../lib/text.ts";
import { HOSTED_PROVIDERS } from "../adapters/trackers/registry.ts";

export type { Config } from "./schema.ts";
export { nearest } from "./yaml-text.ts";

/** The file of settings in the folder in which a command is started. */
export const DEFAULT_FILE = "relay.yaml";
const SIZE_LIMIT = 256 * 1024;

/**
 * Loads the configuration: the given file, or the one named by `RELAY_CONFIG`, or `./relay.yaml` if it exists; then the
 * environment. Throws `config` with file, line, key and remedy of each wrong value; misspelt keys get a suggestion.
 */
export function loadConfig(file: string | undefined, env: Environment = environment()): Config {
  const named = file ?? env["RELAY_CONFIG"];
  const path = configFile(file, env);
  return configOf(named !== undefined || existsSync(path) ? readConfigFile(path) : {}, named ?? DEFAULT_FILE, env);
}

/** The configuration without a file: environment and defaults. Throws `config`. */
export function configWithoutFile(env: Environment = environment()): Config {
  return configOf({}, "the environment", env);
}

function configOf(values: Record<string, unknown>, name: string, env: Record<string, string | undefined>): Config {
  const renamed = Object.entries(RENAMED_VARIABLES).filter(([old]) => env[old]);
  const wrong = renamed.map(([old, now]) => `${old} is now called ${now}; set that instead`);
  for (const [variable, { path: keys, kind }] of Object.entries(VARIABLES)) {
    const text = env[variable];
    try {
      if (text !== undefined && text !== "") set(values, keys, valueOf(kind, variable, text));
    } catch (error) {
      wrong.push(messageOf(error));
    }
  }
  const parsed = configSchema.safeParse(values);
  if (parsed.success && wrong.length === 0) return parsed.data;
  wrong.push(...(parsed.error?.issues ?? []).map((issue) => explain(issue, name, env)));
  const listed = wrong.map((one, at) => `(${at + 1}) ${one}`).join(", ");
  throw new RelayError("config", wrong.length === 1 ? wrong.join() : `${wrong.length} settings are wrong: ${listed}`);
}

/** Absolute path of the configuration file, whether it exists or not. */
export function configFile(file: string | undefined, env: Environment = environment()): string {
  return resolve(file ?? env["RELAY_CONFIG"] ?? DEFAULT_FILE);
}

/** Whether a text names a model, or `offline`. */
export function isModel(text: string): boolean {
  return modelName.safeParse(text).success;
}

/** The same configuration with one model for all roles. Throws `usage` for an invalid name. */
export function withModel(config: Config, model: string): Config {
  if (isModel(model)) return { ...config, model, models: { ...config.models, ...NO_ROLES } };
  throw new RelayError(
    "usage",
    `there is no model “${model}”; give ${OFFLINE}, or provider/name with ${PROVIDER_LIST}`,
  );
}

const NO_ROLES = Object.fromEntries(MODEL_ROLES.map((role) => [role, undefined]));

/**
 * The models for a role, with address and key. Keys come from the environment only and are not part of the
 * configuration, which is shown to people (R-SAFE-3). Throws `config` with the name of a missing variable.
 */
export function modelsFor(
  role: ModelRole,
  { model, models }: Pick<Config, "model" | "models">,
  env: Environment = environment(),
): ModelChoice {
  return chooseModels(role, { model, roles: models, fallback: models.fallback ?? [], baseUrl: models.base_url }, env);
}

/**
 * The environment of a worker's programs, and the routes to model servers whose keys stay outside of the sandbox.
 * `model` is the worker's own, if the configuration names one.
 */
export function agentVariables(
  names: readonly string[],
  { models, work }: Pick<Config, "models" | "work">,
  env: Environment = environment(),
): ReturnType<typeof agentKeys> & { model: ModelName | null } {
  const keys = agentKeys(names, asAgentsReadIt(env, models));
  const passed = work.environment.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const model = models.worker === undefined ? null : parseModelName(models.worker);
  return {
    // Of the providers with the same variables, the worker's own.
    models: keys.models.map((server) =>
      model !== null && providerOf(model.provider).agents.address === server.variable
        ? { ...server, provider: model.provider }
        : server,
    ),
    environment: { ...keys.environment, ...Object.fromEntries(passed) },
    model,
  };
}

/**
 * Agents read keys and addresses under their own names: one of Relay's keys is used for a name that is not set. A
 * self-hosted server comes before the provider whose variables its agents use.
 */
function asAgentsReadIt(env: Record<string, string | undefined>, { worker, base_url: address }: Config["models"]) {
  const named = { ...env };
  for (const { keys, agents, address: own } of MODEL_PROVIDERS) {
    if (own !== null) named[agents.keys[0].variable] ??= firstOf(keys, env);
  }
  const model = worker === undefined ? null : parseModelName(worker);
  const provider = model === null ? null : providerOf(model.provider);
  if (provider === null || provider.address !== null) return named;
  const { keys, agents } = provider;
  const key = { [agents.keys[0].variable]: firstOf(keys, env) ?? "none" };
  return { ...named, ...key, [agents.address]: address ?? env[agents.address] };
}

function firstOf(variables: readonly string[], env: Record<string, string | undefined>): string | undefined {
  return variables.map((name) => env[name]).find((value) => value !== undefined);
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
  return mappingIn(text, path);
}

function explain(issue: z.core.$ZodIssue, file: string, env: Record<string, string | undefined>): string {
  const unknown = unknownKey(issue, configSchema, RENAMED_KEYS);
  if (unknown !== null) return `${file}: ${unknown}`;
  const at = issue.path.join(".");
  const variable = Object.entries(VARIABLES).find(([, { path }]) => `${at}.`.startsWith(`${path.join(".")}.`))?.[0];
  const place = variable !== undefined && env[variable] ? variable : `${file}: ${at}`;
  return `${place}: ${issue.message}`;
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

type VariableKind = "text" | "label" | "number" | "list" | "budget" | "retention" | "flag" | "engage" | "json";

/** Environment variables and the keys they set; variables override the file. */
export const VARIABLES: Record<string, { path: string[]; kind: VariableKind }> = {
  DATABASE_URL: { path: ["database_url"], kind: "text" },
  RELAY_HOME: { path: ["home"], kind: "text" },
  RELAY_SPEC_ROOT: { path: ["spec_root"], kind: "text" },
  RELAY_SPEC_STORE: { path: ["spec_store"], kind: "text" },
  RELAY_SPEC_BRANCH: { path: ["spec_branch"], kind: "text" },
  RELAY_MODEL: { path: ["model"], kind: "text" },
  ...Object.fromEntries(
    MODEL_ROLES.map((role) => [`RELAY_MODEL_${role.toUpperCase()}`, { path: ["models", role], kind: "text" }]),
  ),
  RELAY_MODEL_FALLBACK: { path: ["models", "fallback"], kind: "list" },
  RELAY_MODEL_BASE_URL: { path: ["models", "base_url"], kind: "text" },
  RELAY_MODEL_PRICES: { path: ["models", "prices"], kind: "text" },
  RELAY_MODEL_ANSWER_SECONDS: { path: ["models", "timeouts", "answer_seconds"], kind: "number" },
  RELAY_MODEL_SILENCE_SECONDS: { path: ["models", "timeouts", "silence_seconds"], kind: "number" },
  RELAY_MODEL_RUN_FACTOR: { path: ["models", "timeouts", "run_factor"], kind: "number" },
  RELAY_MODEL_TRIES: { path: ["models", "timeouts", "tries"], kind: "number" },
  RELAY_MODEL_STEPS: { path: ["models", "timeouts", "steps"], kind: "number" },
  RELAY_MODEL_EXPLORE_STEPS: { path: ["models", "timeouts", "explore_steps"], kind: "number" },
  RELAY_BUDGET_ISSUE_USD: { path: ["budgets", "issue_usd"], kind: "budget" },
  RELAY_BUDGET_REPOSITORY_DAY_USD: { path: ["budgets", "repository_day_usd"], kind: "budget" },
  RELAY_BUDGET_WORKSPACE_MONTH_USD: { path: ["budgets", "workspace_month_usd"], kind: "budget" },
  RELAY_BUDGET_UNPRICED_USD_PER_MILLION: { path: ["budgets", "unpriced_usd_per_million"], kind: "number" },
  RELAY_EXPLORE_PROTECT: { path: ["explore", "protect"], kind: "list" },
  RELAY_LINK_HOSTS: { path: ["link_hosts"], kind: "list" },
  RELAY_MODE: { path: ["mode"], kind: "text" },
  ...Object.fromEntries(
    Object.keys(STATE_LABELS).map((key) => [
      `RELAY_LABEL_${key.toUpperCase()}`,
      { path: ["labels", key], kind: "label" },
    ]),
  ),
  RELAY_LOG_LEVEL: { path: ["log_level"], kind: "text" },
  RELAY_CONCURRENCY: { path: ["concurrency"], kind: "number" },
  RELAY_HOST: { path: ["server", "host"], kind: "text" },
  RELAY_PORT: { path: ["server", "port"], kind: "number" },
  RELAY_AGENT: { path: ["work", "agent"], kind: "text" },
  RELAY_SANDBOX: { path: ["work", "sandbox"], kind: "text" },
  RELAY_WORK_NETWORK: { path: ["work", "network"], kind: "list" },
  RELAY_WORK_ENVIRONMENT: { path: ["work", "environment"], kind: "list" },
  RELAY_WORK_CONCURRENCY: { path: ["work", "concurrency"], kind: "number" },
  RELAY_WORK_MINUTES: { path: ["work", "minutes"], kind: "number" },
  RELAY_WORK_USD: { path: ["work", "usd"], kind: "budget" },
  ...Object.fromEntries(
    RETENTION_KEYS.map((key) => [
      `RELAY_RETENTION_${key.toUpperCase()}`,
      { path: ["retention", key], kind: "retention" },
    ]),
  ),
  RELAY_APPROVAL_PEOPLE: { path: ["approval", "people"], kind: "list" },
  RELAY_APPROVAL_THUMBS_UP: { path: ["approval", "thumbs_up"], kind: "flag" },
  RELAY_APPROVAL_FAST_TRACK: { path: ["approval", "fast_track"], kind: "flag" },
  RELAY_TRUSTED_PROXIES: { path: ["server", "trusted_proxies"], kind: "number" },
  RELAY_PUBLIC_URL: { path: ["server", "public_url"], kind: "text" },
  RELAY_NOTIFICATIONS: { path: ["notifications"], kind: "json" },
  RELAY_REPOSITORIES: { path: ["repositories"], kind: "list" },
  ...Object.fromEntries(HOSTED_PROVIDERS.flatMap(({ variables }) => Object.entries(variables))),
  BOT_USERNAME: { path: ["bot", "username"], kind: "text" },
  BOT_IDLE_MINUTES: { path: ["bot", "idle_minutes"], kind: "number" },
  BOT_ENGAGE: { path: ["bot", "engage"], kind: "engage" },
  BOT_RESPOND_TO_BOTS: { path: ["bot", "respond_to_bots"], kind: "flag" },
};

/** Parses a variable. Throws `config` for an invalid value. */
function valueOf(kind: VariableKind, variable: string, text: string): unknown {
  switch (kind) {
    case "text":
      return text;
    case "label":
      return text === "off" ? "" : text;
    case "list":
      return listIn(variable, text);
    case "budget":
      return text === "off" ? text : toNumber(variable, text);
    case "retention":
      return text === "never" ? text : toNumber(variable, text);
    case "number":
      return toNumber(variable, text);
    case "flag":
      return toFlag(variable, text);
    case "json":
      return jsonIn(variable, text);
    case "engage":
      return ENGAGE.some((one) => one === text) ? text : valueOf("list", variable, text);
    default:
      return kind satisfies never;
  }
}

function toNumber(variable: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new RelayError("config", `${variable} must be a number, not “${text}”`);
  return value;
}

function listIn(variable: string, text: string): string[] {
  if (/^\s*\[.*\]\s*$/s.test(text)) {
    throw new RelayError("config", `${variable} must have commas between its parts, and no brackets, not “${text}”`);
  }
  return text.split(",").map((item) => item.trim());
}

function toFlag(variable: string, text: string): boolean {
  if (/^(true|yes|on|1)$/i.test(text)) return true;
  if (/^(false|no|off|0)$/i.test(text)) return false;
  throw new RelayError("config", `${variable} must be true or false, not “${text}”`);
}

function jsonIn(variable: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw new RelayError("config", `${variable} must be JSON, as docs/notifications.md shows`);
  }
}
