import { MODEL_PROVIDERS, providerOf } from "../models/providers/registry.ts";
import type { Start } from "./preset.ts";

/** The variables through which agents that work with many providers get keys and addresses. */
export const MODEL_VARIABLES: readonly string[] = [
  ...new Set(MODEL_PROVIDERS.flatMap(({ agents }) => [agents.keys[0].variable, agents.address])),
];

export const MODEL_HOSTS: readonly string[] = [
  ...new Set(MODEL_PROVIDERS.map(({ agents }) => new URL(agents.url).hostname)),
];

/** The address of the model's provider, with a version as the SDKs of most agents want it; null for its own address. */
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

/** Whether its servers have no fixed address, so that an agent needs its definition. */
export function isSelfHosted(provider: string): boolean {
  return providerOf(provider).address === null;
}

/** The provider's name in the settings of agents: `relay` for one that Relay defines there. */
export function nameForAgents(provider: string): string {
  return isSelfHosted(provider) ? "relay" : provider;
}
