/** Characters counted at once: the tokenizer takes more than linear time on long runs without a space. */
const PIECE = 4_096;

type Count = (text: string, options: { disallowedSpecial: Set<string> }) => number;
let tokenizer: Promise<{ countTokens: Count }> | null = null;

/**
 * Tokens of a text, counted offline with OpenAI's newest vocabulary; other vendors' counts differ by some percent.
 * Text that looks like a control token (`<|endoftext|>`) counts as the text it is.
 */
export async function countTokens(text: string): Promise<number> {
  // 2 MB of vocabulary; a run without a model must not load it.
  const { countTokens: count } = await (tokenizer ??= import("gpt-tokenizer/encoding/o200k_base"));
  let tokens = 0;
  for (let at = 0; at < text.length; at += PIECE) {
    tokens += count(text.slice(at, at + PIECE), { disallowedSpecial: new Set() });
  }
  return tokens;
}

/** Whether a text has more tokens than `limit`; most need no counting, as a token is at least one byte. */
export async function exceedsTokens(text: string, limit: number): Promise<boolean> {
  return Buffer.byteLength(text) > limit && (await countTokens(text)) > limit;
}
