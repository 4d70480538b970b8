import type { ConversationMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import { sameLogin } from "../domain/login.ts";
import { readReply } from "./read-reply.ts";

/** Milliseconds before Relay took an issue up from which a stop counts: Relay may have been down for as long. */
const RECENT_MS = 86_400_000;

/**
 * Whether the last of these words by somebody who decides is a stop, said at most a day before Relay took the issue up.
 */
export function isStoppedBy(
  words: readonly Pick<ConversationMessage, "author" | "isBot" | "role" | "content" | "timestamp" | "editedAt">[],
  participants: readonly { login: string; mayProceed: boolean }[],
  { assignedAt }: Pick<Issue, "assignedAt">,
): boolean {
  const last = words.findLast(
    ({ author, isBot, role }) =>
      role !== "self" && !isBot && participants.some((one) => one.mayProceed && sameLogin(one.login, author)),
  );
  if (last === undefined || readReply(last.content).kind !== "stop") return false;
  return (last.editedAt ?? last.timestamp).getTime() > assignedAt.getTime() - RECENT_MS;
}
