import type { ModelRole } from "../adapters/models/model.ts";
import { openOrderer } from "../app/models/orderer.ts";
import { ordersIn } from "../code/rerank/kept-orders.ts";
import { type OrderCost, type Orderer, noticeOf } from "../code/rerank/rerank.ts";
import type { Ranking } from "../code/agent/first-look.ts";
import { locateByModel, searchCodeByModel } from "../code/rerank/search-by-model.ts";
import type { SearchTerms } from "../code/search/query.ts";
import { locate } from "../code/search/rank-files.ts";
import { type CodeSearch, searchCode } from "../code/search/search-code.ts";
import type { Config } from "../config/config.ts";
import { RelayError } from "../lib/errors.ts";
import { visible } from "../lib/text.ts";
import { dollars } from "./costs.ts";
import type { OpenedCode } from "./open-code.ts";

/** An answer of `relay explore --model`; as `--json` prints it. */
interface OrderedAnswer extends CodeSearch {
  /** The model that was asked, and what for. */
  model?: OrderCost;
  /** Why the order is the search's, in one sentence. */
  notice?: string;
}

/**
 * The files in the order of the configured model, its answers kept in the data directory (R-EXP-2). Where no model can
 * be asked, or gives no order, the order of the search, and why.
 */
export async function orderByModel(
  code: OpenedCode,
  { terms, limit }: { terms: SearchTerms; limit: number },
  warn: (why: string) => void,
): Promise<OrderedAnswer> {
  const orderer = await explorersOrderer(code, warn);
  if (typeof orderer === "string") {
    return { ...(await searchCode(code.index, terms, limit)), notice: noticeOf(orderer) };
  }
  const { model, notice, ...found } = await searchCodeByModel(code.index, terms, limit, orderer);
  return { ...found, ...(model === null ? {} : { model }), ...(notice === null ? {} : { notice }) };
}

/** A ranking for commands that go on to use the files; `warn` gets one sentence if the order is only the search's. */
export function rankingByModel(config: Config, role: ModelRole, warn: (why: string) => void): Ranking {
  return async (index, terms, { limit }) => {
    const orderer = await ordererFor(role, { config, repository: index.repository }, warn);
    if (typeof orderer === "string") warn(noticeOf(orderer));
    if (orderer === null || typeof orderer === "string") return await locate(index, terms, { limit });
    const { files, notice } = await locateByModel(index, terms, limit, orderer);
    if (notice !== null) warn(notice);
    return files;
  };
}

/** The model that orders files, or one sentence that says why there is none. */
export async function explorersOrderer(
  code: Pick<OpenedCode, "config" | "repository">,
  warn: (why: string) => void,
): Promise<Orderer | string> {
  return (await ordererFor("explore", code, warn)) ?? NONE;
}

const NONE = "no model is configured; set `model` or `models.rerank`, or name one with --model";

/**
 * The model that orders files for commands without a database; null if none is configured, a sentence if it is
 * unusable.
 */
async function ordererFor(
  role: ModelRole,
  { config, repository }: Pick<OpenedCode, "config" | "repository">,
  warn: (why: string) => void,
): Promise<Orderer | string | null> {
  try {
    return await openOrderer(config, repository, { role, kept: ordersIn(config.home, warn) });
  } catch (error) {
    if (error instanceof RelayError && error.code === "config") return error.message;
    throw error;
  }
}

/** The model that gave the order and its cost, for people. */
export function orderText({ id, tokens, cost, cached }: OrderCost): string {
  const price = cost === null ? "cost unknown: no price for the model" : dollars(cost);
  const spent = cached ? "kept from before, at no cost" : `${tokens.input} tokens in, ${tokens.output} out, ${price}`;
  return `asked ${visible(id)} for the order (${spent})`;
}
