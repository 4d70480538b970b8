import { mentions } from "../../domain/event.ts";
import { type Reply, readReply } from "../../approval/read-reply.ts";

const ASKS_NOTHING = new Set<Reply["kind"]>(["approve", "thanks", "stop"]);

/**
 * Whether a review comment requests something: not praise, thanks, an approval, a “hold on”, or a comment addressed to
 * someone else by name. When in doubt it does; so do questions, as they need an answer.
 */
export function asksForWork(text: string, calledAs: readonly string[]): boolean {
  if (text.trim() === "") return false;
  const isToOthers = /^\s*@[\w-]/.test(text) && !calledAs.some((login) => mentions(text, login));
  return !isToOthers && !ASKS_NOTHING.has(readReply(text).kind);
}
