import { z } from "zod";

/** Tokens that a provider has told before the end of its answer; null for what it has not. */
export interface KnownCounts {
  input: number | null;
  output: number | null;
}

const count = z.number().int().min(0).optional().catch(undefined);
/** The counts of Anthropic's first and last events and of each of Google's, for answers that break off. */
const rawCounts = z.object({
  message: z
    .object({
      usage: z.object({ input_tokens: count, cache_read_input_tokens: count, cache_creation_input_tokens: count }),
    })
    .optional()
    .catch(undefined),
  usage: z.object({ output_tokens: count }).optional().catch(undefined),
  usageMetadata: z
    .object({ promptTokenCount: count, candidatesTokenCount: count, thoughtsTokenCount: count })
    .optional()
    .catch(undefined),
});

/** Adds what one event, as it came over the wire, tells of tokens; most tell nothing. */
export function noteCounts(raw: unknown, known: KnownCounts): void {
  const counts = rawCounts.safeParse(raw).data;
  const first = counts?.message?.usage;
  if (first?.input_tokens !== undefined) {
    known.input = first.input_tokens + (first.cache_read_input_tokens ?? 0) + (first.cache_creation_input_tokens ?? 0);
  }
  const google = counts?.usageMetadata;
  if (google?.promptTokenCount !== undefined) known.input = google.promptTokenCount;
  if (google?.candidatesTokenCount !== undefined) {
    known.output = google.candidatesTokenCount + (google.thoughtsTokenCount ?? 0);
  }
  if (counts?.usage?.output_tokens !== undefined) known.output = counts.usage.output_tokens;
}
