import { z } from "zod";
import { type Thoroughness, type VerifiedPlace, THOROUGHNESS } from "../../domain/exploration.ts";
import { placesText } from "../../dossier/render.ts";
import { fenceCode } from "../../adapters/models/fence.ts";
import { type AgentTool, agentTool } from "../../adapters/models/tool.ts";
import type { Usage } from "../../adapters/models/usage.ts";
import type { Evidence } from "./evidence.ts";
import type { Spending } from "./spending.ts";

export interface ExploreQuestion {
  issueId: string;
  question: string;
  thoroughness: Thoroughness;
  /** Cancels the exploration when the cycle ends. */
  signal: AbortSignal;
}

/** The result of an exploration, reduced to what planning needs. */
export type Explored = {
  /** Places verified at the commit, with their code. */
  sources: VerifiedPlace[];
  /** Places that the explorer named but that could not be verified. */
  dropped: { location: string; why: string }[];
  cost: { calls: number; usage: Usage; costUsd: number | null };
} & (
  | { kind: "answered"; synthesis: string; verified: boolean }
  /** `synthesis` is what was known by then. */
  | { kind: "gave up"; why: string; synthesis: string | null }
);

/** Asks a question about the code, in a context of its own (R-PLAN-4, R-EXP-3). Does not throw for model failures. */
export type Explore = (question: ExploreQuestion) => Promise<Explored>;

const QUESTION_LIMIT = 2_000;
const SYNTHESIS_SHOWN = 4_000;
/** Characters of an answer's places and their code. */
const PLACES_SHOWN = 12_000;

/**
 * The tool `explore`: at most `limit` questions per cycle, and none after `costUsd` dollars; the calls of one answer
 * run in parallel. Its results are kept as evidence: findings may cite nothing else.
 */
export function exploreTool(
  explore: Explore,
  {
    issueId,
    limit,
    costUsd,
    evidence,
    spending,
    boundary,
  }: { issueId: string; limit: number; costUsd: number; evidence: Evidence; spending: Spending; boundary: string },
): AgentTool {
  const limitReached = `Explore limit reached (max ${limit} calls). Please call submit_actions with what you know.`;
  return agentTool({
    name: "explore",
    description:
      "Asks a colleague who reads the repository one question, and returns a short synthesis with places " +
      "(`path:start-end`) that were checked. Ask for facts that the code can tell: what happens, where, what calls " +
      "it, what tests hold. Name what the issue names: messages, paths, symbols. Independent questions belong in one " +
      `answer: up to 4 run side by side. At most ${limit} in a cycle.`,
    input: z.object({
      question: z.string().trim().min(1).max(QUESTION_LIMIT).describe("One question, understandable without the issue"),
      thoroughness: z
        .enum(THOROUGHNESS)
        .default("medium")
        .describe("quick: one place; medium: how one thing works; thorough: all places that a change touches"),
    }),
    execute: async ({ question, thoroughness }, { signal }) => {
      if (spending.explorations() >= limit) return { output: limitReached, isError: true };
      if (spending.exploreUsd() >= costUsd) {
        return { output: "The budget for explorations is spent. Please call submit_actions.", isError: true };
      }
      spending.begin();
      const explored = await explore({ issueId, question, thoroughness, signal });
      spending.add(explored.cost);
      evidence.add(explored.sources);
      const left = limit - spending.explorations();
      return {
        output: `${rendered(explored, boundary)}\n\n${left === 0 ? limitReached : `${left} explorations left.`}`,
        isError: explored.kind === "gave up",
      };
    },
  });
}

function rendered(explored: Explored, boundary: string): string {
  const synthesis = (explored.synthesis ?? "").slice(0, SYNTHESIS_SHOWN);
  const { sources } = explored;
  const body = [synthesis, placesText(sources, PLACES_SHOWN)].filter((part) => part !== "");
  return [
    explored.kind === "gave up" ? `The exploration brought no answer: ${explored.why}` : "",
    body.length === 0 ? "" : fenceCode("what the code says", body.join("\n\n"), boundary),
    sources.length === 0 ? "No place was verified: nothing of this can become a finding." : "",
    explored.dropped.length === 0
      ? ""
      : `${explored.dropped.length} named places do not hold and were dropped; do not rely on what only they support.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
