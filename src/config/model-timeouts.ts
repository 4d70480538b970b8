import { z } from "zod";

const key = (description: string) => ({ description });
const seconds = z.number().min(1).max(86_400).optional();

/** How long models may take, and how often they are asked (R-PLAN-17). */
export const modelTimeouts = z
  .strictObject({
    answer_seconds: seconds.meta(
      key("Longest answer; default 300, or 3600 of openai-compatible (RELAY_MODEL_ANSWER_SECONDS)."),
    ),
    silence_seconds: seconds.meta(
      key("Longest silence; default 90, or 1800 of openai-compatible (RELAY_MODEL_SILENCE_SECONDS)."),
    ),
    run_factor: z
      .number()
      .min(0.1)
      .max(100)
      .optional()
      .meta(key("Multiplies the time of a whole run; default 1, or 10 of openai-compatible (RELAY_MODEL_RUN_FACTOR).")),
    tries: z.int().min(1).max(10).default(4).meta(key("Tries of one answer (RELAY_MODEL_TRIES).")),
    steps: z
      .int()
      .min(4)
      .max(100)
      .default(16)
      .meta(key("Answers of the planner's model in one cycle (RELAY_MODEL_STEPS).")),
    explore_steps: z
      .int()
      .min(4)
      .max(100)
      .default(14)
      .meta(
        key(
          "Answers of the explorer's model to a question of medium thoroughness; a quick one has fewer than half as many, a thorough one twice as many (RELAY_MODEL_EXPLORE_STEPS).",
        ),
      ),
  })
  .prefault({});
