import type { Concession } from "./compat.ts";
import { concessionFor } from "./compat.ts";
import type { ModelFailure } from "./model.ts";
import { entryFor } from "./prices.ts";
import type { PriceTable } from "./prices.ts";
import type { Fetch, LanguageModel, ModelConnection } from "./providers.ts";
import { languageModel } from "./providers.ts";

/** One model of a fallback chain, ready to be called. */
export interface Candidate {
  /** `provider/name`. */
  name: string;
  connection: ModelConnection;
  model: LanguageModel;
  /** Tokens that prompt and answer may take together, where the price table tells. */
  context: number | null;
  /** What its server turned out not to take; empty for the providers themselves. */
  conceded: Set<Concession>;
}

/** Throws `config` where a connection lacks an address. Nothing is sent. */
export function candidate(connection: ModelConnection, prices: PriceTable, fetch: Fetch): Candidate {
  const name = `${connection.provider}/${connection.name}`;
  const conceded = new Set<Concession>();
  return {
    name,
    connection,
    conceded,
    model: languageModel(connection, fetch, conceded),
    context: entryFor(prices, name)?.context ?? null,
  };
}

/** Whether the same request is worth another try at once, as it will now go without what the server refused by name. */
export function gaveIn({ connection, conceded }: Candidate, failure: ModelFailure): boolean {
  if (connection.provider !== "openai-compatible") return false;
  if (failure.kind !== "bad_request" && failure.kind !== "too_long") return false;
  const concession = concessionFor(failure.message, conceded);
  if (concession === null) return false;
  conceded.add(concession);
  return true;
}
