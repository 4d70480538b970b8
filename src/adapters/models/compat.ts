/*
 * Servers that speak the chat protocol differ in what they take. What one refuses by name is left out or said in its
 * other form from then on, rather than asking people to know which server wants what.
 */

const CONCESSIONS = [
  "rename_max_tokens",
  "no_max_tokens",
  "no_temperature",
  "auto_tool_choice",
  "no_stream_options",
] as const;
export type Concession = (typeof CONCESSIONS)[number];

/** What to do without, by what a server said of a request that it refused; null where that gives no hint. */
export function concessionFor(said: string, made: ReadonlySet<Concession>): Concession | null {
  const hinted = CONCESSIONS.filter((concession) => HINTS[concession].test(said));
  return hinted.find((concession) => !made.has(concession)) ?? null;
}

const HINTS: Record<Concession, RegExp> = {
  rename_max_tokens: /max_completion_tokens/i,
  no_max_tokens: /max_tokens|max_completion_tokens|completion tokens|in the completion|output tokens/i,
  no_temperature: /temperature/i,
  auto_tool_choice: /tool_choice|tool choice/i,
  no_stream_options: /stream_options/i,
};

/** The request without what the server does not take. */
export function concede(body: Record<string, unknown>, made: ReadonlySet<Concession>): Record<string, unknown> {
  const { max_tokens: maxTokens, temperature, stream_options: streamOptions, tool_choice: toolChoice, ...rest } = body;
  const limit = made.has("rename_max_tokens") ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
  return {
    ...rest,
    ...(maxTokens === undefined || made.has("no_max_tokens") ? {} : limit),
    ...(temperature === undefined || made.has("no_temperature") ? {} : { temperature }),
    ...(streamOptions === undefined || made.has("no_stream_options") ? {} : { stream_options: streamOptions }),
    ...(toolChoice === undefined || made.has("auto_tool_choice") ? {} : { tool_choice: toolChoice }),
  };
}
