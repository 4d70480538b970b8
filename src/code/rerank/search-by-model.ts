import type { OpenIndex } from "../index/explorer.ts";
import type { SearchTerms } from "../search/query.ts";
import { locate } from "../search/rank-files.ts";
import { type CodeSearch, foundFile, groupOf, shareOut, skippedOf } from "../search/search-code.ts";
import { type Orderer, type Reranked, type Reranking, rerank } from "./rerank.ts";

/** How many files `rerank` needs. */
const LEAST = 20;

/** A search in the order of a model, or with the reason why it is not. */
export type OrderedSearch = CodeSearch & Pick<Reranking, "model" | "notice">;

/** Like `searchCode`, but in the order of a model if it gives one. */
export async function searchCodeByModel(
  index: OpenIndex,
  terms: SearchTerms,
  limit: number,
  orderer: Orderer,
  signal?: AbortSignal,
): Promise<OrderedSearch> {
  const located = await locate(index, terms, { limit: Math.max(limit, LEAST) });
  const { files, model, notice } = await rerank(index, terms, located, orderer, signal);
  const { chosen, apart } = shareOut(files, limit);
  return { files: chosen.map(found), apart: apart.map(found), skipped: skippedOf(index.files), model, notice };
}

/** Like `locate`, but in the order of a model; tests, docs and others have at most half of `limit` each. */
export async function locateByModel(
  index: OpenIndex,
  terms: SearchTerms,
  limit: number,
  orderer: Orderer,
): Promise<Reranking> {
  const located = await locate(index, terms, { limit: Math.max(limit, LEAST) });
  const ranked = await rerank(index, terms, located, orderer);
  const groups = Map.groupBy(ranked.files, ({ role }) => groupOf(role));
  const files = [...groups].flatMap(([group, of]) => of.slice(0, group === "code" ? limit : Math.ceil(limit / 2)));
  return { ...ranked, files };
}

function found(file: Reranked) {
  const { reasons, ...rest } = foundFile(file);
  const placed = file.placement === null ? reasons : [file.placement, ...reasons];
  return { ...rest, reasons: placed, offline_rank: file.offlineRank };
}
