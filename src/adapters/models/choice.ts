import { RelayError } from "../../lib/errors.ts";
import type { ModelRole } from "./model.ts";
import { MODEL_ROLES } from "./model.ts";
import type { ModelName, Provider } from "./names.ts";
import { parseModelName } from "./names.ts";
import type { ModelConnection } from "./providers.ts";

/** What the configuration says of models; `offline` stands for the rules. */
export interface ModelSettings {
  /** For each role without one of its own. */
  model: string;
  roles: Partial<Record<ModelRole, string | undefined>>;
  /** Tried in this order after passing troubles; `offline` may be the last, and serves planning only. */
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
      thenOffline: boolean;
    };

/** Where each provider's key stands; the first that is set counts. */
const KEYS: Record<Provider, readonly string[]> = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GOOGLE_GENERATIVE_AI_API_KEY"],
  "openai-compatible": ["RELAY_MODEL_API_KEY", "OPENAI_API_KEY"],
};
const ADDRESSES: Partial<Record<Provider, string>> = { anthropic: "ANTHROPIC_BASE_URL", openai: "OPENAI_BASE_URL" };
/** What stands after the host where an address names only that. */
const PATHS: Record<Provider, string> = {
  anthropic: "/v1",
  openai: "/v1",
  google: "/v1beta",
  "openai-compatible": "/v1",
};

/**
 * The models of a role, with addresses and keys. Throws `config`, naming the variable to set, where a key or an
 * address is missing, and for a name that is none.
 */
export function chooseModels(role: ModelRole, settings: ModelSettings, env: Environment): ModelChoice {
  const wanted = settings.roles[role] ?? settings.model;
  if (wanted === "offline") return { kind: "offline" };
  const last = settings.fallback.indexOf("offline");
  if (last !== -1 && last < settings.fallback.length - 1) {
    throw new RelayError(
      "config",
      "models.fallback: `offline` never fails, so nothing can come after it; make it the last",
    );
  }
  const others = settings.fallback.filter((name) => name !== "offline" && name !== wanted);
  return {
    kind: "models",
    models: [connect(wanted, settings, env), ...others.map((name) => connect(name, settings, env))],
    thenOffline: last !== -1 && role === "planner",
  };
}

function connect(text: string, settings: ModelSettings, env: Environment): ModelConnection {
  const { provider, name } = named(text);
  const baseUrl = addressOf(provider, settings, env);
  const keys = KEYS[provider];
  const apiKey = keys.map((variable) => env[variable]?.trim() ?? "").find((key) => key !== "") ?? null;
  if (provider === "openai-compatible") {
    if (baseUrl !== null) return { provider, name, apiKey, baseUrl };
    throw new RelayError("config", `${text} needs the address of its server; set RELAY_MODEL_BASE_URL`);
  }
  if (apiKey === null) throw new RelayError("config", `${text} needs a key; set ${keys.join(" or ")}`);
  return { provider, name, apiKey, baseUrl };
}

function named(text: string): ModelName {
  const name = parseModelName(text);
  if (name === null)
    throw new RelayError("config", `“${text}” is no model; write provider/name, as anthropic/claude-sonnet-5`);
  return name;
}

/** `base_url` is for openai-compatible servers; where no role has one, for the provider of `model`. */
function addressOf(provider: Provider, settings: ModelSettings, env: Environment): string | null {
  const used = [settings.model, ...MODEL_ROLES.map((role) => settings.roles[role] ?? ""), ...settings.fallback].map(
    (text) => parseModelName(text)?.provider,
  );
  const owner = used.includes("openai-compatible") ? "openai-compatible" : used[0];
  const variable = ADDRESSES[provider];
  const own = variable === undefined ? undefined : env[variable]?.trim();
  const address = (provider === owner ? settings.baseUrl : undefined) ?? (own === "" ? undefined : own);
  if (address === undefined) return null;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new RelayError(
      "config",
      `the address of ${provider} must be like https://host/v1; correct ${variable ?? "RELAY_MODEL_BASE_URL"}`,
    );
  }
  const url = new URL(address);
  return url.pathname === "/" ? `${url.origin}${PATHS[provider]}` : address.replace(/\/+$/, "");
}
