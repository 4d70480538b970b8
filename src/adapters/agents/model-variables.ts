import { MODEL_PROVIDERS, providerOf } from "../models/providers/registry.ts";
import type { Start } from "./preset.ts";

/** The variables with keys and base URLs for agents that support many providers. */
export const MODEL_VARIABLES: readonly string[] = [
  ...new Set(MODEL_PROVIDERS.flatMap(({ agents }) => [agents.keys[0].variable, agents.address])),
];

export const MODEL_HOSTS: readonly string[] = [
  ...new Set(MODEL_PROVIDERS.map(({ agents }) => new URL(agents.url).hostname)),
];

/** The base URL of the model's provider, with the version that most agents' SDKs expect; null for the default. */
export function versionedAddress({ environment, model }: Pick<Start, "environment" | "model">): string | null {
  if (model === null) return null;
  const { address, version } = providerOf(model.provider).agents;
  const configured = environment[address];
  if (configured === undefined || version === null) return configured ?? null;
  if (configured === "") return null;
  const bare = configured.replace(/\/+$/, "");
  return /\/v\d\w*$/.test(bare) ? bare : `${bare}/${version}`;
}

/** The variable that holds the key of a provider. */
export function keyVariable(provider: string): string {
  return providerOf(provider).agents.keys[0].variable;
}

/** Whether its servers have no fixed URL, so that an agent needs a provider definition. */
export function isSelfHosted(provider: string): boolean {
  return providerOf(provider).address === null;
}

/** The provider's name in agents' settings: `relay` for one that Relay defines there. */
export function nameForAgents(provider: string): string {
  return isSelfHosted(provider) ? "relay" : provider;
}
