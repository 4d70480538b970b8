import type { IssueUsage } from "../storage/model-calls.ts";

/** The cost of an issue on one line, or null without model calls. Calls without a known price are listed separately. */
export function costText(
  usage: Pick<IssueUsage, "calls" | "unpricedCalls" | "costUsd" | "inputTokens" | "outputTokens">,
): string | null {
  if (usage.calls === 0) return null;
  const tokens = `${usage.calls} call(s), ${usage.inputTokens} tokens in, ${usage.outputTokens} out`;
  if (usage.unpricedCalls === usage.calls) return `cost unknown: no price for the model (${tokens})`;
  const more = usage.unpricedCalls > 0 ? `, and ${usage.unpricedCalls} call(s) of unknown price` : "";
  return `cost ${dollars(usage.costUsd)}${more} (${tokens})`;
}

/** US dollars as text: cents, and more digits for smaller amounts. */
export function dollars(amount: number): string {
  return `$${amount === 0 || amount >= 0.01 ? amount.toFixed(2) : amount.toPrecision(2)}`;
}
