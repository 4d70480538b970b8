import { environment } from "./environment.ts";
import type { Environment } from "../lib/secret-variable.ts";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { z } from "zod";
import { agentKeys } from "./agent-keys.ts";
import { type Config, configSchema, modelName } from "./schema.ts";
import { RENAMED_KEYS, RENAMED_VARIABLES } from "./renamed.ts";
import { VARIABLES, valueOf } from "./variables.ts";
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

export type { Config } from "./schema.ts";

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
