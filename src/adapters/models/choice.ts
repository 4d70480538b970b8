import { RelayError } from "../../lib/errors.ts";
import { type ModelRole, MODEL_ROLES } from "./model.ts";
import type { ModelProvider } from "./providers/provider.ts";
import {
  type ModelConnection,
  type ModelName,
  MODEL_PROVIDERS,
  OFFLINE,
  parseModelName,
  providerOf,
} from "./providers/registry.ts";

/** The configured models; `offline` means the rules. */
export interface ModelSettings {
  /** For each role without one of its own. */
  model: string;
  roles: Partial<Record<ModelRole, string | undefined>>;
  /** Tried in this order after transient failures; `offline` may be the last, and serves planning only. */
  fallback: readonly string[];
  baseUrl: string | undefined;
}

type Environment = Record<string, string | undefined>;

export type ModelChoice =
  | { kind: "offline" }
  | {
      kind: "models";
      models: readonly [ModelConnection, ...ModelConnection[]];
      /** The rules take over when all of these failed. */
      withRulesFallback: boolean;
    };

/**
 * The models of a role, with addresses and keys. Throws `config`, naming the variable to set, for a missing key or
 * address, and for an unknown model.
 */
export function chooseModels(role: ModelRole, settings: ModelSettings, env: Environment): ModelChoice {
  const wanted = settings.roles[role] ?? settings.model;
  if (wanted === OFFLINE) return { kind: "offline" };
  const last = settings.fallback.indexOf(OFFLINE);
  if (last !== -1 && last < settings.fallback.length - 1) {
    throw new RelayError(
      "config",
      "models.fallback: `offline` never fails, so nothing can come after it; make it the last",
    );
  }
  const others = settings.fallback.filter((name) => name !== OFFLINE && name !== wanted);
  return {
    kind: "models",
    models: [connect(wanted, settings, env), ...others.map((name) => connect(name, settings, env))],
    withRulesFallback: last !== -1 && role === "planner",
  };
}

function connect(text: string, settings: ModelSettings, env: Environment): ModelConnection {
  const model = named(text);
  const provider = providerOf(model.provider);
  const baseUrl = addressOf(provider, settings, env);
  const apiKey = provider.keys.map((variable) => env[variable]?.trim() ?? "").find((key) => key !== "") ?? null;
  if (provider.address === null && baseUrl === null) {
    throw new RelayError("config", `${text} needs the address of its server; set RELAY_MODEL_BASE_URL`);
  }
  if (provider.address !== null && apiKey === null) {
    throw new RelayError("config", `${text} needs a key; set ${provider.keys.join(" or ")}`);
  }
  return { ...model, apiKey, baseUrl };
}

function named(text: string): ModelName {
  const name = parseModelName(text);
  if (name === null)
    throw new RelayError("config", `“${text}” is no model; write provider/name, as anthropic/claude-sonnet-5`);
  return name;
}

/** `base_url` is for servers without an address of their own; if no role uses one, for the provider of `model`. */
function addressOf(provider: ModelProvider, settings: ModelSettings, env: Environment): string | null {
  const used = [settings.model, ...MODEL_ROLES.map((role) => settings.roles[role] ?? ""), ...settings.fallback].map(
    (text) => parseModelName(text)?.provider,
  );
  const owner = MODEL_PROVIDERS.find(({ name, address }) => address === null && used.includes(name))?.name ?? used[0];
  const variable = provider.addressVariable;
  const own = variable === null ? "" : (env[variable]?.trim() ?? "");
  const address = (provider.name === owner ? settings.baseUrl : undefined) ?? (own === "" ? undefined : own);
  if (address === undefined) return null;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new RelayError(
      "config",
      `the address of ${provider.name} must be like https://host/v1; correct ${variable ?? "RELAY_MODEL_BASE_URL"}`,
    );
  }
  const url = new URL(address);
  return url.pathname === "/" ? `${url.origin}${provider.path}` : address.replace(/\/+$/, "");
}
