import type { ConversationMessage } from "./conversation.ts";
import { sameLogin } from "./login.ts";

type Turn = Pick<ConversationMessage, "author" | "role" | "isBot" | "timestamp">;

/** An answer that comes within so many milliseconds was not typed by somebody who read what it answers. */
const AT_ONCE = 5_000;
/** So many of them, one after another, tell a machine that has the account of a person. */
const IN_A_ROW = 5;

/** Why Relay does not answer what somebody said, though it heeds it otherwise (R-IN-4). */
export type Silence = "another bot" | "bots answering each other" | "answers like a machine";

interface Facts {
  /** Whether a bot said it. */
  isBot: boolean;
  respondToBots: boolean;
  /** Whether every bot is marked as one for certain: where the operator made the accounts. */
  marked?: boolean;
}

/**
 * Whether Relay keeps silent about what `author` said last, so that no two machines talk to each other for ever; null
 * where it may answer. The thread is the stored one, with what was said last.
 *
 * Bots are heeded where the operator says so, and even then answered once: since a person spoke last, nothing of
 * Relay's may follow a bot's words yet. Of two Relays that heed each other, each answers once at most, and then waits
 * for people. An account that is not marked as a bot's counts as one while all that it says follows Relay's words at
 * once, again and again, and nobody else says anything.
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

/** Whether the thread ends in a row of words of Relay's, each followed at once by words of one and the same account. */
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
