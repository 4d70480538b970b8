import { z } from "zod";
import { commentAddress } from "../../../adapters/trackers/addresses.ts";
import type { ThreadMessage } from "../../../domain/conversation.ts";
import type { AuditEntry } from "../../../domain/cycle.ts";
import type { Issue } from "../../../domain/issue.ts";
import { isRecord } from "../../../lib/text.ts";
import { id, noTime, time, timeOf } from "./basics.ts";

const madeSchema = z.object({
  outcome: z.enum(["taken_up", "left_aside"]),
  did: z.string().nullable().meta({ description: "What Relay did on it, such as `answered` or `approved`." }),
  why: z.string().nullable(),
  at: time,
});

export const messageSchema = z
  .object({
    seq: z.int().meta({ description: "Its place in the thread, from 1." }),
    comment_id: z.string(),
    author: z.string(),
    role: z.enum(["reporter", "assignee", "self", "other"]).meta({ description: "`self` is Relay." }),
    bot: z.boolean(),
    posted_at: time,
    edited_at: noTime,
    reply_to: z.int().nullable(),
    url: z.string().nullable(),
    text: z.string(),
    made: z.array(madeSchema).meta({ description: "What Relay made of it, oldest first." }),
  })
  .meta({ id: "Message", description: "A message of the thread, and what Relay made of it." });

type Made = z.infer<typeof madeSchema>;

/** Messages with what the audit log says that Relay made of each. */
export function shownMessages(
  issue: Pick<Issue, "provider" | "url">,
  messages: readonly ThreadMessage[],
  audit: readonly AuditEntry[],
): z.infer<typeof messageSchema>[] {
  const made = Map.groupBy(audit.flatMap(madeIn), ({ commentId }) => commentId);
  return messages.map((message) => ({
    seq: message.seq,
    comment_id: message.externalId,
    author: message.author,
    role: message.role,
    bot: message.isBot,
    posted_at: timeOf(message.timestamp),
    edited_at: timeOf(message.editedAt),
    reply_to: message.replyToSeq,
    url: commentAddress(issue, message.externalId),
    text: message.content,
    made: (made.get(message.externalId) ?? []).map(({ one }) => one),
  }));
}

function madeIn({ what, why, after, at }: AuditEntry): { commentId: string; one: Made }[] {
  if (what !== "words.taken_up" && what !== "words.left_aside") return [];
  const facts = isRecord(after) ? after : {};
  const commentId = facts["comment_id"];
  const did = facts["did"];
  if (typeof commentId !== "string") return [];
  const outcome = what === "words.taken_up" ? "taken_up" : "left_aside";
  return [{ commentId, one: { outcome, did: typeof did === "string" ? did : null, why, at: timeOf(at) } }];
}

export const auditSchema = z
  .object({
    id,
    at: time,
    actor: z.string().meta({ description: "A login, or `relay`." }),
    what: z.string().meta({ description: "Such as `state.changed`, `comment.posted`, `gap.closed`." }),
    why: z.string().nullable(),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({ id: "TimelineEntry", description: "What happened, and why; of the append-only record." });

export function shownAudit({ at, before, after, ...entry }: AuditEntry): z.infer<typeof auditSchema> {
  return {
    id: entry.id,
    at: timeOf(at),
    actor: entry.actor,
    what: entry.what,
    why: entry.why,
    before: before ?? null,
    after: after ?? null,
  };
}
