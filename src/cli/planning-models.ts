import { randomInt } from "node:crypto";
import { loadConfig, modelsFor, withModel } from "../config.ts";
import { sleep, systemClock } from "../lib/clock.ts";
import { createAgentModel } from "../models/agent.ts";
import type { AgentModel } from "../models/model.ts";
import { loadPrices } from "../models/prices.ts";
import type { FixPlanDeps } from "../plan/fix-plan.ts";
import { stepsByModel } from "../plan/model/steps.ts";
import { triageByModel } from "../plan/model/triage.ts";
import type { TriageDeps } from "../plan/triage/triage.ts";
import type { CommonOptions } from "./terminal.ts";

export interface ModelOptions extends CommonOptions {
  model?: string;
}

/** Who refines a triage, as options and configuration say; nobody where the rules alone do. */
export function triageModel(options: ModelOptions): Pick<TriageDeps, "model" | "modelFailure"> {
  const chosen = modelOf("triage", options);
  return chosen === null ? {} : { model: triageByModel({ model: chosen.model, random }), modelFailure: chosen.failure };
}

/** The same for the steps of a plan. */
export function planModel(options: ModelOptions): Pick<FixPlanDeps, "model" | "modelFailure"> {
  const chosen = modelOf("fix_plan", options);
  return chosen === null ? {} : { model: stepsByModel({ model: chosen.model, random }), modelFailure: chosen.failure };
}

function modelOf(
  role: "triage" | "fix_plan",
  options: ModelOptions,
): { model: AgentModel; failure: "error" | "rules" } | null {
  const loaded = loadConfig(options.config);
  const config = options.model === undefined ? loaded : withModel(loaded, options.model);
  const choice = modelsFor(role, config);
  if (choice.kind === "offline") return null;
  const prices = loadPrices(config.models.prices);
  const { models } = choice;
  return {
    model: createAgentModel({ models, prices, clock: systemClock, random, sleep }),
    failure: choice.thenOffline ? "rules" : "error",
  };
}

function random(): number {
  return randomInt(2 ** 47) / 2 ** 47;
}
