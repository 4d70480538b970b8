import type { ModelCall, ModelRole } from "../../adapters/models/model.ts";
import { loadPrices } from "../../adapters/models/prices.ts";
import { patienceWith } from "../../adapters/models/timeouts.ts";
import type { Repository } from "../../code/git/repository.ts";
import type { KeptOrders, Orderer } from "../../code/rerank/rerank.ts";
import { type Config, modelsFor } from "../../config/config.ts";
import { type Clock, sleep, systemClock } from "../../lib/clock.ts";
import { random } from "../../lib/random.ts";
import type { Db } from "../../storage/db.ts";
import { findAnswer } from "../../storage/answers.ts";
import { protectedIn } from "../code/repository-settings.ts";

/**
 * The model that orders files: that of `rerank`; if `models.rerank` is not set and the default is offline, that of
 * `role`. Null if neither has a model, or `models.rerank` is `offline`. One call: no retry, no fallback. Throws
 * `config` for a missing key or address.
 */
export async function openOrderer(
  config: Config,
  code: Repository,
  {
    role,
    onCall = () => {},
    clock = systemClock,
    ...given
  }: {
    role: ModelRole;
    onCall?: (call: ModelCall) => Promise<void> | void;
    clock?: Clock;
  } & Pick<Orderer, "kept" | "restUsd">,
): Promise<Orderer | null> {
  const own = modelsFor("rerank", config);
  const choice = own.kind === "offline" && config.models.rerank === undefined ? modelsFor(role, config) : own;
  if (choice.kind === "offline") return null;
  const { createAgentModel } = await import("../../adapters/models/agent.ts");
  const [first] = choice.models;
  const { retry, ...patience } = patienceWith([first], config.models.timeouts);
  return {
    ...given,
    model: createAgentModel({
      models: [first],
      prices: loadPrices(config.models.prices),
      clock,
      random,
      sleep,
      onCall,
      ...patience,
      retry: { ...retry, attempts: 1 },
    }),
    protect: await protectedIn(code, config.explore.protect),
  };
}

/** Orders of an issue come from its recorded model calls, until their texts are erased. */
export function ordersOf(db: Db, issueId: string): KeptOrders {
  return { find: async (asked) => await findAnswer(db, { issueId, ...asked }), keep: async () => {} };
}
