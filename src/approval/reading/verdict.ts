import type { Clause } from "./words.ts";
import { NO_MARK, YES_MARK, asks, clausesOf, isDoubtful, ownWords } from "./words.ts";

export interface ReplyVerdict {
  verdict: "affirmative" | "negative" | "unclear";
  /** Why, in a few words. */
  reason: string;
}

/**
 * Whether a reply is a person's go-ahead for what was just proposed (R-CONF-2). Affirmative only when every clause
 * is known and at least one says yes: a condition, a question, a new wish or a word out of place makes it unclear.
 */
export function replyVerdict(text: string): ReplyVerdict {
  const words = ownWords(text);
  if (words === null) return unclear("it is too long to be a mere yes or no");
  const clauses = clausesOf(words);
  if (clauses.length === 0) return unclear("there are no words of their own in it");
  const negative = clauses.find((clause) => clause.kind === "negative");
  const affirmative = clauses.find(saysYes);
  if (negative && affirmative) return unclear(`yes and no in one: “${negative.text}”`);
  if (asks(words)) return unclear("it asks something");
  if (negative) return { verdict: "negative", reason: `“${show(negative)}” says no` };
  const unknown = clauses.find((clause) => clause.kind === "unknown");
  if (unknown) return unclear(`“${show(unknown)}” is more than a yes`);
  if (!affirmative) return unclear("polite, but no yes");
  if (isDoubtful(clauses) && !clauses.some(({ kind }) => kind === "explicit")) return unclear("a yes in doubt");
  return { verdict: "affirmative", reason: `“${show(affirmative)}” and nothing that takes it back` };
}

export function saysYes({ kind }: Clause): boolean {
  return kind === "affirmative" || kind === "explicit";
}

function show({ text }: Clause): string {
  if (text === YES_MARK) return "a yes in an emoji";
  if (text === NO_MARK) return "a no in an emoji";
  return text.replaceAll("\u0000", "…").slice(0, 60);
}

function unclear(reason: string): ReplyVerdict {
  return { verdict: "unclear", reason };
}
