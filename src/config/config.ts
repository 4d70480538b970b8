import type { HostedName } from "../domain/issue.ts";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { z } from "zod";
import { agentKeys } from "./agent-keys.ts";
import { webhookSecretsIn } from "./secrets.ts";
import type { Config } from "./schema.ts";
import { configSchema, modelName } from "./schema.ts";
import { RENAMED_KEYS, RENAMED_VARIABLES } from "./renamed.ts";
import { VARIABLES, valueOf } from "./variables.ts";
import { mappingIn, unknownKey } from "./yaml-text.ts";
import { RelayError } from "../lib/errors.ts";
import type { Environment } from "../lib/secret-variable.ts";
import type { ModelChoice } from "../adapters/models/choice.ts";
import { chooseModels } from "../adapters/models/choice.ts";
import type { ModelRole } from "../adapters/models/model.ts";
import type { ModelName } from "../adapters/models/providers/registry.ts";
import {
  MODEL_PROVIDERS,
  OFFLINE,
  parseModelName,
  PROVIDER_LIST,
  providerOf,
} from "../adapters/models/providers/registry.ts";
import { MODEL_ROLES } from "../adapters/models/model.ts";
import { isRecord } from "../lib/text.ts";

export type { Config } from "./schema.ts";
export { nearest } from "./yaml-text.ts";

const DEFAULT_FILE = "relay.yaml";
const SIZE_LIMIT = 256 * 1024;

/**
 * Loads the configuration: the given file, or the one named by `RELAY_CONFIG`, or `./relay.yaml` if it exists; then the
 * environment. Throws `config` with file, line, key and remedy; misspelt keys get a suggestion.
 */
export function loadConfig(file: string | undefined, env: Record<string, string | undefined> = process.env): Config {
  const named = file ?? env["RELAY_CONFIG"];
  const path = configFile(file, env);
  return configOf(named !== undefined || existsSync(path) ? readConfigFile(path) : {}, named ?? DEFAULT_FILE, env);
}

/** The configuration without a file: environment and defaults. Throws `config`. */
export function configWithoutFile(env: Record<string, string | undefined> = process.env): Config {
  return configOf({}, "the environment", env);
}

function configOf(values: Record<string, unknown>, name: string, env: Record<string, string | undefined>): Config {
  const renamed = Object.entries(RENAMED_VARIABLES).find(([old]) => env[old]);
  if (renamed) throw new RelayError("config", `${renamed[0]} is now called ${renamed[1]}; set that instead`);
  for (const [variable, { path: keys, kind }] of Object.entries(VARIABLES)) {
    const text = env[variable];
    if (text === undefined || text === "") continue;
    set(values, keys, valueOf(kind, variable, text));
  }
  const parsed = configSchema.safeParse(values);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new RelayError("config", issue ? explain(issue, name, env) : `${name} cannot be understood`);
}

/** Absolute path of the configuration file, whether it exists or not. */
export function configFile(file: string | undefined, env: Record<string, string | undefined> = process.env): string {
  return resolve(file ?? env["RELAY_CONFIG"] ?? DEFAULT_FILE);
}

/** The same configuration with one model for all roles. Throws `usage` for an invalid name. */
export function withModel(config: Config, model: string): Config {
  if (modelName.safeParse(model).success) return { ...config, model, models: { ...config.models, ...NO_ROLES } };
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
  env: Record<string, string | undefined> = process.env,
): ModelChoice {
  return chooseModels(role, { model, roles: models, fallback: models.fallback ?? [], baseUrl: models.base_url }, env);
}

/** Where credentials are read from: they are never a part of the configuration, which is shown to people (R-SAFE-3). */
export function environment(given?: Environment): Environment {
  return given ?? process.env;
}

/**
 * The secrets that webhook calls of a tracker may be signed with. One per line, so that an old and a new one are valid
 * during rotation. Throws `config` for secrets that are too short.
 */
export function webhookSecrets(provider: HostedName, env: Record<string, string | undefined> = process.env): string[] {
  return webhookSecretsIn(provider, env);
}

/**
 * The environment of a worker's programs, and the routes to model servers whose keys stay outside of the sandbox.
 * `model` is the worker's own, if the configuration names one.
 */
export function agentVariables(
  names: readonly string[],
  { models, work }: Pick<Config, "models" | "work">,
  env: Record<string, string | undefined> = process.env,
): ReturnType<typeof agentKeys> & { model: ModelName | null } {
  const keys = agentKeys(names, asAgentsReadIt(env, models));
  const passed = work.environment.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    models: keys.models,
    environment: { ...keys.environment, ...Object.fromEntries(passed) },
    model: models.worker === undefined ? null : parseModelName(models.worker),
  };
}

/**
 * Agents look for keys and addresses under names of their own: a key of Relay's stands in where theirs is not set. A
 * server that people run themselves comes before the provider whose variables its agents use.
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
