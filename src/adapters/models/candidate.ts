import { RelayError } from "../../lib/errors.ts";
import { entryFor, type PriceTable } from "./prices.ts";
import type { Fetch, ModelProvider, OpenModel } from "./providers/provider.ts";
import { type ModelConnection, providerOf } from "./providers/registry.ts";

/** One model of a fallback chain. */
export interface Candidate {
  /** `provider/name`. */
  name: string;
  connection: ModelConnection;
  provider: ModelProvider;
  /** Tokens that prompt and answer may take together, if the price table has it. */
  context: number | null;
  /** Loads the provider's SDK with the first call, and remembers the parameters that the model's server rejected. */
  open: () => Promise<OpenModel>;
}

/** Throws `config` if a connection lacks a URL. Sends nothing. */
export function candidate(connection: ModelConnection, prices: PriceTable, fetch: Fetch): Candidate {
  const name = `${connection.provider}/${connection.name}`;
  const provider = providerOf(connection.provider);
  const baseUrl = connection.baseUrl ?? provider.address;
  if (baseUrl === null)
    throw new RelayError("config", `${name} needs the address of its server; set RELAY_MODEL_BASE_URL`);
  let opened: Promise<OpenModel> | undefined;
  return {
    name,
    connection,
    provider,
    context: entryFor(prices, name)?.context ?? null,
    open: async () => await (opened ??= provider.open({ ...connection, baseUrl, fetch })),
  };
}
