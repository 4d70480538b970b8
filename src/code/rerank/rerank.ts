import { measurePrompt } from "../../adapters/models/agent.ts";
import type { AgentModel } from "../../adapters/models/model.ts";
import { loadPrompt } from "../../adapters/models/prompt.ts";
import type { OpenIndex } from "../index/explorer.ts";
import { symbolsAround } from "../search/best-places.ts";
import type { SearchTerms } from "../search/query.ts";
import type { Located } from "../search/rank-files.ts";
import { type Group, groupOf } from "../search/search-code.ts";
import { createFileAccess } from "../tools/file-access.ts";
import { type Answer, MOST_PLACED, type Placed, orderTool, placedBy, whyNone } from "./answer.ts";
import { type Candidate, poolOf } from "./pool.ts";
import { type Question, questionFor } from "./question.ts";

/** Tokens of the whole prompt as Relay counts them; also the limit of the call itself. */
const PROMPT_TOKENS = 4_000;
const ANSWER_TOKENS = 2_000;
const MS = 60_000;
const COST_USD = 0.2;

export interface Asked {
  promptHash: string;
  /** `provider/name`. */
  model: string;
}

/** Caches answers by model and by the hash of the prompt, which contains issue, code and instructions. */
export interface KeptOrders {
  /** Null if this model has not been asked this before. */
  find: (asked: Asked) => Promise<Answer | null>;
  keep: (asked: Asked, answer: Answer) => Promise<void>;
}

/** A model that orders files. */
export interface Orderer {
  /** Makes a single call, in a run of one step. */
  model: AgentModel;
  kept: KeptOrders;
  /** Globs of files that no model may read. */
  protect: readonly string[];
  /** US dollars that may be spent now; null without a budget. */
  restUsd?: () => Promise<number | null>;
}

/** The cost of an order; zero if it was cached. */
export interface OrderCost {
  /** `provider/name`. */
  id: string;
  tokens: { input: number; output: number };
  /** US dollars; null without a known price. */
  cost: number | null;
  cached: boolean;
}

export interface Reranked extends Located {
  /** Its place in its group (code, tests, docs, others) without a model, from 1; null if only an import led to it. */
  offlineRank: number | null;
  /** Where the model placed it and why, in English; null if the model did not place it. */
  placement: string | null;
}

export interface Reranking {
  files: Reranked[];
  /** The model that was asked, even if it gave no order; null if none was asked. */
  model: OrderCost | null;
  /** Why the order is that of the search, in one sentence; null if it is the model's. */
  notice: string | null;
}

/**
 * Orders the files that a search found by how likely a model expects them to change, with one call and a prompt of at
 * most 4,000 tokens (R-EXP-2). The model may also place a file that only an import leads to; files that it leaves out
 * follow in the order of the search. If anything fails, the search's order stays: never throws because of a model or a
 * budget.
 *
 * @param located all that `locate` found for the terms, at least 20 files if there are as many
 */
export async function rerank(
  index: OpenIndex,
  terms: SearchTerms,
  located: readonly Located[],
  orderer: Orderer,
  signal?: AbortSignal,
): Promise<Reranking> {
  const offline = withRanks(located);
  const without = (why: string): Reranking => ({ files: offline, model: null, notice: noticeOf(why) });
  const pool = await poolOf(index, terms, located, createFileAccess(index, { protect: orderer.protect }));
  if (pool.length < 2) return { files: offline, model: null, notice: null };
  const asked = await requestFor(index, terms, pool);
  const { hash: promptHash } = await measurePrompt(asked.request);
  const key = { promptHash, model: orderer.model.name };
  const known = await orderer.kept.find(key);
  const again = known === null ? [] : await placedBy(known, asked.question);
  if (again.length > 0) {
    const cost: OrderCost = { id: key.model, tokens: { input: 0, output: 0 }, cost: 0, cached: true };
    return { files: merged(offline, again, pool), model: cost, notice: null };
  }
  const rest = (await orderer.restUsd?.()) ?? null;
  if (rest !== null && rest <= 0) return without("the budget is spent");
  const outcome = await orderer.model.run({
    ...asked.request,
    role: "rerank",
    toolChoice: { tool: asked.tool },
    limits: {
      steps: 1,
      promptTokens: PROMPT_TOKENS,
      answerTokens: ANSWER_TOKENS,
      ms: MS,
      costUsd: Math.min(COST_USD, rest ?? COST_USD),
    },
    ...(signal === undefined ? {} : { signal }),
  });
  const [answer] = outcome.kind === "finished" ? outcome.steps : [];
  const placed = answer === undefined ? [] : await placedBy(answer, asked.question);
  const { usage, costUsd, model: id } = outcome;
  const model = { id, tokens: { input: usage.input, output: usage.output }, cost: costUsd, cached: false };
  if (answer === undefined || placed.length === 0) return { ...without(whyNone(outcome)), model };
  await orderer.kept.keep(key, {
    text: answer.text,
    calls: answer.calls.map(({ tool, input }) => ({ tool, input })),
  });
  return { files: merged(offline, placed, pool), model, notice: null };
}

/** Says that the order is that of the search, and why. */
export function noticeOf(why: string): string {
  return `the files are in the order of the search, not of a model: ${why.replace(/[.\s]+$/, "")}`;
}

/** The call's prompt; the question is shortened until the whole prompt has at most 4,000 tokens. */
async function requestFor(index: OpenIndex, terms: SearchTerms, pool: readonly Candidate[]) {
  const system = loadPrompt("rerank").fill({ most: String(MOST_PLACED) });
  const tool = orderTool();
  const requestOf = ({ text }: Question) => ({
    system,
    turns: [{ role: "user" as const, content: text }],
    tools: [tool],
  });
  const { tokens: fixed } = await measurePrompt(requestOf({ text: "", files: [] }));
  for (let room = PROMPT_TOKENS - fixed - 150; ; room -= 100) {
    const question = await questionFor(index, terms, pool, room);
    const request = requestOf(question);
    if (question.files.length === 0 || (await measurePrompt(request)).tokens <= PROMPT_TOKENS)
      return { question, request, tool: tool.name };
  }
}

function withRanks(located: readonly Located[]): Reranked[] {
  const ranks = new Map<Group, number>();
  return located.map((file) => {
    const group = groupOf(file.role);
    const rank = (ranks.get(group) ?? 0) + 1;
    ranks.set(group, rank);
    return { ...file, offlineRank: rank, placement: null };
  });
}

/** The files that the model placed, each with its sentence, then all others in their order. */
function merged(offline: readonly Reranked[], placed: readonly Placed[], pool: readonly Candidate[]): Reranked[] {
  const files = new Map(pool.map(({ file }) => [file.path, file]));
  const first = placed.flatMap(({ path, offlineRank, why, line }, at): Reranked[] => {
    const file = files.get(path);
    if (file === undefined) return [];
    return [{ ...beginningAt(line, file), offlineRank, placement: placementText(at + 1, offlineRank, why) }];
  });
  const paths = new Set(first.map(({ path }) => path));
  return [...first, ...offline.filter(({ path }) => !paths.has(path))];
}

/**
 * Moves the place that the model pointed at (by its line, or by its symbol's first line) to the front of a file's
 * places.
 */
export function beginningAt(line: number | null, file: Located): Located {
  const place = file.lines.find((one) => one.line === line) ?? file.lines.find(({ symbol }) => symbol?.start === line);
  if (place === undefined) return file;
  const lines = [place, ...file.lines.filter((one) => one !== place)];
  return { ...file, lines, symbols: symbolsAround(lines) };
}

function placementText(place: number, offlineRank: number | null, why: string): string {
  const before = offlineRank === null ? "an import led to it" : `${ordinal(offlineRank)} without it`;
  const said = why.replace(/[.\s]+$/, "");
  return `the model placed it ${ordinal(place)}${said === "" ? "" : `: ${said}`} (${before})`;
}

function ordinal(place: number): string {
  const ending = /1\d$/.test(String(place)) ? "th" : (["th", "st", "nd", "rd"][place % 10] ?? "th");
  return place === 1 ? "first" : `${place}${ending}`;
}
