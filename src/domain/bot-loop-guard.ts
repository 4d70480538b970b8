import type { ConversationMessage } from "./conversation.ts";
import { sameLogin } from "./login.ts";

type Turn = Pick<ConversationMessage, "author" | "role" | "isBot" | "timestamp">;

/** An answer within this time, in milliseconds, was not typed by a person who read the message it answers. */
const AT_ONCE = 5_000;
/** This many of them in a row show that a machine uses a person's account. */
const IN_A_ROW = 5;

/** Why Relay does not answer a message, though it reads it (R-IN-4). */
export type Silence = "another bot" | "bots answering each other" | "answers like a machine";

interface Facts {
  /** Whether a bot wrote it. */
  isBot: boolean;
  respondToBots: boolean;
  /** Whether all bots are reliably marked as such: true if the operator created the accounts. */
  marked?: boolean;
}

/**
 * Whether Relay leaves the last message of `author` unanswered, so that two machines never talk to each other forever;
 * null if it may answer. The thread is the stored one, with the last message included.
 *
 * Relay responds to bots only if the operator allows it, and even then once: no comment of Relay's may follow a bot's
 * since a person last wrote. Of two Relays that respond to each other, each answers once at most, and then waits for
 * people. An account that is not marked as a bot's counts as one while it answers Relay at once, again and again, and
 * no one else writes.
 */
export function silence(
  thread: readonly Turn[],
  author: string,
  { isBot, respondToBots, marked = false }: Facts,
): Silence | null {
  const machine = !marked && answersLikeMachine(thread) ? lastSpeaker(thread) : null;
  const isMachine = ({ author: other, isBot: bot }: Pick<Turn, "author" | "isBot">) =>
    bot || (machine !== null && sameLogin(other, machine));
  if (!isMachine({ author, isBot })) return null;
  if (!respondToBots) return isBot ? "another bot" : "answers like a machine";
  const personsLast = thread.findLastIndex((turn) => turn.role !== "self" && !isMachine(turn));
  const since = thread.slice(personsLast + 1);
  const botsFirst = since.findIndex((turn) => turn.role !== "self");
  const answered = botsFirst !== -1 && since.slice(botsFirst).some((turn) => turn.role === "self");
  return answered ? "bots answering each other" : null;
}

/** Whether the thread ends in a series of Relay's comments, each answered at once by one and the same account. */
function answersLikeMachine(thread: readonly Turn[]): boolean {
  const speaker = lastSpeaker(thread);
  let answers = 0;
  let next: Turn | undefined;
  for (const turn of thread.toReversed()) {
    if (turn.role !== "self" && (speaker === null || !sameLogin(turn.author, speaker))) break;
    if (next && next.role !== "self") {
      if (next.timestamp.getTime() - turn.timestamp.getTime() > AT_ONCE) break;
      if (turn.role === "self") answers += 1;
    }
    next = turn;
  }
  return answers > IN_A_ROW;
}

function lastSpeaker(thread: readonly Turn[]): string | null {
  return thread.findLast((turn) => turn.role !== "self")?.author ?? null;
}
