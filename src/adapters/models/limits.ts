/** Limits of one run; each ends it with the outcome `limit`. The defaults are in `DEFAULT_LIMITS`. */
export interface RunLimits {
  /** Answers of the model, including invalid ones. */
  steps: number;
  /** Tokens of all prompts of the run together, cached ones included, failed attempts included. */
  inputTokens: number;
  /** Tokens of all answers of the run together. */
  outputTokens: number;
  /** US dollars. Not enforced where the model has no known price: then `costUsd` of the outcome is null. */
  costUsd: number;
  /** Milliseconds, tools and waits for a retry included. */
  ms: number;
  /** Tokens of one prompt; a longer one is not sent. The model's own context limit holds as well. */
  promptTokens: number;
  /** Tokens of one answer, asked from the provider. */
  answerTokens: number;
  /** Characters of one answer, text and tool arguments together; the rest is not read. */
  answerCharacters: number;
  /** Characters of one tool result that the model gets to see. */
  toolCharacters: number;
}

export const DEFAULT_LIMITS: RunLimits = {
  steps: 24,
  inputTokens: 2_000_000,
  outputTokens: 100_000,
  costUsd: 5,
  ms: 15 * 60_000,
  promptTokens: 180_000,
  answerTokens: 16_384,
  answerCharacters: 260_000,
  toolCharacters: 40_000,
};

/** The limit that ended a run. */
export type LimitKind =
  | "steps"
  | "input_tokens"
  | "output_tokens"
  | "cost"
  | "time"
  /** One answer was longer than `answerTokens` or `answerCharacters`. */
  | "answer_length"
  /** The same calls with the same arguments, three times in a row. */
  | "repeats";
