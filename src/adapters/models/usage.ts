/** Tokens of one or more calls. */
export interface Usage {
  /** All tokens of the prompt: fresh, read from the provider's cache, and written to it. */
  input: number;
  /** Those of `input` that the provider's cache had. */
  cachedInput: number;
  /** Those of `input` that were written to the provider's cache. */
  cacheWrite: number;
  /** All tokens of the answer, those of reasoning included. */
  output: number;
  /** Those of `output` that were spent on reasoning, where the provider tells. */
  reasoning: number;
  /** True where the provider told no numbers for some call, and ours were counted offline instead. */
  estimated: boolean;
}

export const NO_USAGE: Usage = {
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: 0,
  estimated: false,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cachedInput: a.cachedInput + b.cachedInput,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    estimated: a.estimated || b.estimated,
  };
}
