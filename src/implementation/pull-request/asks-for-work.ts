import { mentions } from "../../domain/event.ts";
import type { Reply } from "../../approval/read-reply.ts";
import { readReply } from "../../approval/read-reply.ts";

const ASKS_NOTHING = new Set<Reply["kind"]>(["approve", "thanks", "stop"]);

/**
 * Whether words of a review ask for something: not praise, thanks, an approval or a “hold on”, and not what is said to
 * somebody else by name. In doubt they do; questions do too, since they must be answered.
 */
export function asksForWork(text: string, calledAs: readonly string[]): boolean {
  if (text.trim() === "") return false;
  const isToOthers = /^\s*@[\w-]/.test(text) && !calledAs.some((login) => mentions(text, login));
  return !isToOthers && !ASKS_NOTHING.has(readReply(text).kind);
}
