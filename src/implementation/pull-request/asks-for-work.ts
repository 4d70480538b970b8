import { mentions } from "../../domain/event.ts";
import { stopSignal, thanksOnly } from "../../approval/reading/signals.ts";
import { replyVerdict } from "../../approval/reading/verdict.ts";

/**
 * Whether words of a review ask for something: not praise, thanks, an approval or a “hold on”, and not what is said to
 * somebody else by name. In doubt they do; questions do too, since they must be answered.
 */
export function asksForWork(text: string, calledAs: readonly string[]): boolean {
  if (text.trim() === "") return false;
  const isToOthers = /^\s*@[\w-]/.test(text) && !calledAs.some((login) => mentions(text, login));
  return !isToOthers && !thanksOnly(text) && !stopSignal(text) && replyVerdict(text).verdict !== "affirmative";
}
