import type { ThreadMessage } from "../domain/conversation.ts";

/** What turns one thread into another. */
export interface ThreadDifference {
  /** External ids of the messages that are gone. */
  removed: string[];
  /** Messages that are new, or not as they were: another place counts too. */
  changed: ThreadMessage[];
}

/** Small where little happened: one comment more at the end is one changed message, however long the thread is. */
export function threadDifference(from: readonly ThreadMessage[], to: readonly ThreadMessage[]): ThreadDifference {
  const before = new Map(from.map((message) => [message.externalId, message]));
  const after = new Set(to.map((message) => message.externalId));
  return {
    removed: from.filter((message) => !after.has(message.externalId)).map((message) => message.externalId),
    changed: to.filter((message) => !equal(before.get(message.externalId), message)),
  };
}

function equal(a: ThreadMessage | undefined, b: ThreadMessage): boolean {
  return (
    a !== undefined &&
    a.seq === b.seq &&
    a.author === b.author &&
    a.role === b.role &&
    a.isBot === b.isBot &&
    a.timestamp.getTime() === b.timestamp.getTime() &&
    a.editedAt?.getTime() === b.editedAt?.getTime() &&
    a.replyToSeq === b.replyToSeq &&
    a.content === b.content &&
    a.externalThreadId === b.externalThreadId &&
    a.externalReplyId === b.externalReplyId
  );
}
