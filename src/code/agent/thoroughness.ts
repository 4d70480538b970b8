import type { RunLimits } from "../../adapters/models/limits.ts";
import type { Thoroughness } from "./explore-answer.ts";

/** What one exploration of a level may take. */
export interface Allowance {
  run: RunLimits;
  /** Files of source that the first look shows; of tests and docs half as many each. */
  files: number;
}

const EACH = {
  answerTokens: 12_288,
  answerCharacters: 40_000,
  /** A page of any tool fits, with its fence. */
  toolCharacters: 32_000,
} as const;

/** Each level takes about three times as much as the one before; a usual question stays far below (R-EXP-3). */
export const ALLOWANCES: Record<Thoroughness, Allowance> = {
  quick: {
    run: {
      ...EACH,
      steps: 6,
      inputTokens: 250_000,
      outputTokens: 24_000,
      promptTokens: 80_000,
      costUsd: 0.3,
      ms: 2 * 60_000,
    },
    files: 6,
  },
  medium: {
    run: {
      ...EACH,
      steps: 14,
      inputTokens: 700_000,
      outputTokens: 48_000,
      promptTokens: 120_000,
      costUsd: 1,
      ms: 5 * 60_000,
    },
    files: 10,
  },
  thorough: {
    run: {
      ...EACH,
      steps: 28,
      inputTokens: 2_000_000,
      outputTokens: 100_000,
      promptTokens: 170_000,
      costUsd: 3,
      ms: 12 * 60_000,
    },
    files: 16,
  },
};
