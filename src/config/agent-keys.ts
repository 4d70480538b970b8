import { MODEL_PROVIDERS } from "../adapters/models/providers/registry.ts";
import type { ModelServer } from "../adapters/sandbox/sandbox.ts";

/** Takes the place of a key in an agent's environment. */
const KEPT_OUTSIDE = "kept-outside-by-relay";

/**
 * Lets an agent reach its model without the key, which the sandbox adds to each request (R-WORK-5). `variables` are
 * those that the agent reads. Keys that only the agent itself can use are passed on if the operator names them.
 */
export function agentKeys(
  variables: readonly string[],
  env: Record<string, string | undefined>,
): { models: ModelServer[]; environment: Record<string, string> } {
  const models: ModelServer[] = [];
  const environment: Record<string, string> = {};
  for (const { name, agents } of MODEL_PROVIDERS) {
    if (models.some((route) => route.variable === agents.address)) continue;
    const used = agents.keys.find(({ variable }) => variables.includes(variable) && env[variable]?.trim());
    const key = used && env[used.variable]?.trim();
    if (used === undefined || key === undefined) continue;
    const url = env[agents.address]?.trim();
    models.push({ variable: agents.address, url: url || agents.url, headers: used.headers(key), provider: name });
    environment[used.variable] = KEPT_OUTSIDE;
  }
  return { models, environment };
}
