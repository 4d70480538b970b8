import { type Config, loadConfig, modelsFor, withModel } from "../config/config.ts";
import { sleep, systemClock } from "../lib/clock.ts";
import { random } from "../lib/random.ts";
import type { AgentModel } from "../adapters/models/model.ts";
import { patienceWith } from "../adapters/models/timeouts.ts";
import { loadPrices } from "../adapters/models/prices.ts";
import type { FixPlanDeps } from "../plan/fix-plan.ts";
import type { TriageDeps } from "../plan/triage/triage.ts";
import type { CommonOptions } from "./terminal.ts";

export interface ModelOptions extends CommonOptions {
  model?: string;
}

/**
 * The configured model that refines a triage; none if only rules do. It sees the code in the order of a model, or
 * `warn` gets why not.
 */
export async function triageModel(
  options: ModelOptions,
  warn: (why: string) => void,
): Promise<Pick<TriageDeps, "model" | "modelFailure">> {
  const chosen = await modelOf("triage", options);
  if (chosen === null) return {};
  const { triageByModel } = await import("../plan/model/triage.ts");
  const { rankingByModel } = await import("./order-by-model.ts");
  const rank = rankingByModel(chosen.config, "triage", warn);
  return { model: triageByModel({ model: chosen.model, random, rank }), modelFailure: chosen.failure };
}

/** The same, for the steps of a plan. */
export async function planModel(options: ModelOptions): Promise<Pick<FixPlanDeps, "model" | "modelFailure">> {
  const chosen = await modelOf("fix_plan", options);
  if (chosen === null) return {};
  const { stepsByModel } = await import("../plan/model/steps.ts");
  return { model: stepsByModel({ model: chosen.model, random }), modelFailure: chosen.failure };
}

async function modelOf(
  role: "triage" | "fix_plan",
  options: ModelOptions,
): Promise<{ config: Config; model: AgentModel; failure: "error" | "rules" } | null> {
  const loaded = loadConfig(options.config);
  const config = options.model === undefined ? loaded : withModel(loaded, options.model);
  const choice = modelsFor(role, config);
  if (choice.kind === "offline") return null;
  // Loaded only for a model: the rules answer at once.
  const { createAgentModel } = await import("../adapters/models/agent.ts");
  const prices = loadPrices(config.models.prices);
  const { models } = choice;
  return {
    config,
    model: createAgentModel({
      models,
      prices,
      clock: systemClock,
      random,
      sleep,
      onCall: async () => {},
      ...patienceWith(models, config.models.timeouts),
    }),
    failure: choice.withRulesFallback ? "rules" : "error",
  };
}
