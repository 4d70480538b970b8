import { proceedSignal, stopSignal } from "./signals.ts";
import { replyVerdict } from "./verdict.ts";
import { asks, clausesOf, ownWords } from "./words.ts";

/** Answers come with logs; in more than that nobody looks for a go-ahead. */
const LONGEST = 20_000;

/**
 * Whether a person's message can be meant as the go-ahead that a model takes it for. Rules read the languages that
 * they know; where Relay has just asked, a reply that they cannot read is left to the model, unless it asks back or
 * says no. Unasked, there must be words that tell to go on: any other words of theirs would do for somebody who
 * talked the model into giving itself the go-ahead (R-SAFE-1).
 */
export function canBeGoAhead(text: string, given: { asked: boolean }): boolean {
  if (proceedSignal(text, given).proceed) return true;
  const words = ownWords(text, LONGEST);
  if (words === null || asks(words) || stopSignal(text)) return false;
  if (given.asked) return replyVerdict(text).verdict !== "negative";
  return clausesOf(words).some((clause) => clause.kind === "explicit");
}
