import { z } from "zod";
import type { AgentOutcome, ModelCall } from "../../adapters/models/model.ts";
import { type AgentTool, agentTool } from "../../adapters/models/tool.ts";
import { writtenCalls } from "../../adapters/models/written-calls.ts";
import { shownText } from "../tools/sanitize.ts";
import type { Question } from "./question.ts";

const ORDER_FILES = "order_files";
/** How many files a model is asked for. */
export const MOST_PLACED = 10;
const WHY_CHARACTERS = 200;
const ONLY_CALL = { callId: "", step: 1, index: 0, calledInStep: [], signal: new AbortController().signal };

const orderSchema = z.object({
  files: z
    .array(
      z.object({
        number: z.coerce.number().int().describe("The number of a file"),
        why: z.string().nullish().describe("One short sentence; for the first three"),
        line: z
          .union([z.number(), z.string()])
          .nullish()
          .describe("Of its lines shown here, the one nearest to the change; for the first three"),
      }),
    )
    .describe("The likeliest first"),
});

/** The tool with which a model submits an order; `given` returns what it submitted. */
export function orderTool(given: (order: z.output<typeof orderSchema>) => void = () => {}): AgentTool {
  return agentTool({
    name: ORDER_FILES,
    description: "Hands in the order and ends the work.",
    input: orderSchema,
    execute: async (order) => {
      given(order);
      return await Promise.resolve({ output: "Taken.", ends: true });
    },
  });
}

/** A model's answer, as recorded for its call. */
export type Answer = ModelCall["output"];

/** A file as a model placed it. */
export interface Placed {
  path: string;
  offlineRank: number | null;
  /** The model's sentence about untrusted text, cleaned; may be empty. */
  why: string;
  /** The line that it points at, which may not exist; null for none. */
  line: number | null;
}

/**
 * The files that an answer names, each once, in its order; numbers without a file are ignored. Empty if the answer has
 * another form, or names no file: it is of no use then.
 */
export async function placedBy({ text, calls }: Answer, { files }: Pick<Question, "files">): Promise<Placed[]> {
  const handedIn: z.output<typeof orderSchema>["files"] = [];
  const tool = orderTool((order) => void handedIn.push(...order.files));
  const [call] = calls.length > 0 ? calls : writtenCalls(text, [tool], 1);
  if (call?.tool === tool.name) await tool.run(parsedJson(call.input), ONLY_CALL);
  const placed = new Map<string, Placed>();
  for (const { number, why, line } of handedIn) {
    const candidate = files[number - 1];
    if (candidate === undefined || placed.has(candidate.file.path)) continue;
    const { file, offlineRank } = candidate;
    const said = shownText((why ?? "").trim(), WHY_CHARACTERS);
    placed.set(file.path, { path: file.path, offlineRank, why: said, line: numberIn(line) });
  }
  return [...placed.values()];
}

function numberIn(given: number | string | null | undefined): number | null {
  const [digits] = /(?<![-.\d])\d{1,9}/.exec(String(given ?? "")) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** Why there is no order, as the rest of a sentence that starts with the model's name. */
export function whyNone(outcome: AgentOutcome): string {
  switch (outcome.kind) {
    case "failed":
      return outcome.failure.message;
    case "limit":
      return outcome.limit === "time"
        ? `${outcome.model} took too long`
        : outcome.limit === "cost"
          ? "the budget is spent"
          : `${outcome.model} gave no usable order`;
    case "refused":
      return `${outcome.model} declined`;
    case "aborted":
      return "it was cancelled";
    case "finished":
      return `${outcome.model} gave no usable order`;
    default:
      return outcome satisfies never;
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
