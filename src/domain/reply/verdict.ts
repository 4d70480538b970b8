export function replyVerdict(text: string): { verdict: "affirmative" | "negative" | "unclear"; reason: string } {
  return { verdict: "unclear", reason: text };
}
