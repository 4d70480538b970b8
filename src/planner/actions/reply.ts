import type { JudgedMessage } from "./batch-state.ts";

type ReplyThread =
  /** `threadId` is null if the tracker has no threads: the reply is then an ordinary comment. */
  { kind: "found"; threadId: string | null } | { kind: "unknown" };

/**
 * The thread that a `reply_to_id` refers to: the tracker's id of a thread or message, or the message's number in the
 * thread, as in `#3`.
 */
export function replyThread(
  replyToId: string,
  messages: readonly Pick<JudgedMessage, "seq" | "externalId" | "externalThreadId">[],
): ReplyThread {
  const id = replyToId.trim();
  const target =
    messages.find((message) => message.externalThreadId === id) ??
    messages.find((message) => message.externalId === id) ??
    messages.find((message) => `#${message.seq}` === id);
  return target ? { kind: "found", threadId: target.externalThreadId } : { kind: "unknown" };
}
