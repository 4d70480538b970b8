import type { JudgedMessage } from "./batch-state.ts";
import { isFromPerson } from "./batch-state.ts";

/** Share of a learning's triples of letters that must stand in a bot's message before it counts as taken from it. */
const TAKEN = 0.6;
/** How much nearer to the bot's words than to any person's it must be. */
const NEARER = 0.1;

/** At least as much as planners see of a thread and of one message; what they do not see they cannot take. */
const RECENT = 200;
const READ = 30_000;

/**
 * Whether a learning is what a bot wrote rather than what any person did (R-PLAN-9). Letters are compared, not words,
 * so that it holds for every script; what a model puts in words of its own cannot be told by rules.
 */
export function isRatherFromBot(learning: string, messages: readonly JudgedMessage[]): boolean {
  const wanted = triplesOf(learning);
  if (wanted.size === 0) return false;
  let person = 0;
  let bot = 0;
  for (const message of messages.slice(-RECENT)) {
    const share = shareIn(message.content.slice(0, READ), wanted);
    if (isFromPerson(message)) person = Math.max(person, share);
    else bot = Math.max(bot, share);
  }
  return bot >= TAKEN && bot > person + NEARER;
}

function shareIn(text: string, wanted: ReadonlySet<string>): number {
  const there = triplesOf(text);
  let found = 0;
  for (const triple of wanted) if (there.has(triple)) found += 1;
  return found / wanted.size;
}

function triplesOf(text: string): Set<string> {
  const letters = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  const triples = new Set<string>();
  for (let at = 0; at + 3 <= letters.length; at += 1) triples.add(letters.slice(at, at + 3));
  return triples;
}
