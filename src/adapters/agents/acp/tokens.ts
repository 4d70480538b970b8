import { z } from "zod";
import { type ReportedTokens, withCache } from "../tokens.ts";

const count = z.number().nonnegative().nullish().catch(null);

/** `usage` is still experimental in the protocol; `quota` is Gemini CLI's own name for it. */
const answerSchema = z.object({
  usage: z
    .object({
      totalTokens: count,
      inputTokens: count,
      cachedReadTokens: count,
      cachedWriteTokens: count,
      outputTokens: count,
      thoughtTokens: count,
    })
    .nullish()
    .catch(null),
  _meta: z
    .object({ quota: z.object({ token_count: z.object({ input_tokens: count, output_tokens: count }) }) })
    .nullish()
    .catch(null),
});
type ReportedUsage = NonNullable<z.infer<typeof answerSchema>["usage"]>;

/** The tokens of a session, if the answer to its prompt has them; null otherwise. */
export function tokensIn(answer: unknown): ReportedTokens | null {
  const reported = answerSchema.safeParse(answer).data;
  if (reported?.usage) return tokensOf(reported.usage);
  const quota = reported?.["_meta"]?.quota.token_count;
  if (quota === undefined) return null;
  return { input: quota.input_tokens ?? undefined, output: quota.output_tokens ?? undefined };
}

/**
 * The total is the sum of all kinds. Some agents nevertheless include cached and reasoning tokens in those of prompt
 * and answer: their total shows it.
 */
function tokensOf(usage: ReportedUsage): ReportedTokens {
  const [input, cachedInput, cacheWrite] = [usage.inputTokens, usage.cachedReadTokens, usage.cachedWriteTokens].map(
    known,
  );
  const [output, thoughts] = [usage.outputTokens, usage.thoughtTokens].map(known);
  const cached = (cachedInput ?? 0) + (cacheWrite ?? 0);
  let beside = (usage.totalTokens ?? 0) - (input ?? 0) - (output ?? 0);
  const cacheIsBeside = beside >= cached;
  if (cacheIsBeside) beside -= cached;
  const thoughtsAreBeside = beside >= (thoughts ?? 0);
  const prompt = { input, cachedInput, cacheWrite };
  return {
    ...(cacheIsBeside ? withCache(prompt) : prompt),
    output: output === undefined ? undefined : output + (thoughtsAreBeside ? (thoughts ?? 0) : 0),
    reasoning: thoughts,
  };
}

function known(reported: number | null | undefined): number | undefined {
  return reported ?? undefined;
}
