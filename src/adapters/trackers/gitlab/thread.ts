import type { z } from "zod";
import type { TrackerComment } from "../tracker.ts";
import type * as answers from "./api-schemas.ts";
import { isBotName } from "./bots.ts";

type Discussion = z.infer<typeof answers.discussion>;
type Note = z.infer<typeof answers.note>;

/** Milliseconds: creating a reply also saves the note that it turns into a thread, at nearly the same time. */
const ONE_GO_MS = 1_000;

/** The comments of threads, oldest first. */
export function commentsOf(discussions: readonly Discussion[]): TrackerComment[] {
  return discussions
    .flatMap((thread) => thread.notes.filter(isComment).map((one) => toComment(one, thread)))
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime() || Number(one.id) - Number(other.id));
}

/**
 * Excludes system notes (`changed the title`) and internal notes: Relay replies in public, and must not repeat those
 * there.
 */
export function isComment(note: Pick<Note, "system" | "internal" | "confidential">): boolean {
  return !note.system && note.internal !== true && note.confidential !== true;
}

/** @param thread of the note; null if GitLab does not return it */
export function toComment(note: Note, thread: Discussion | null): TrackerComment {
  return {
    id: String(note.id),
    threadId: thread?.id ?? null,
    replyToId: null,
    author: note.author.login,
    isBot: isBotName(note.author.login),
    body: note.body,
    createdAt: note.created_at,
    editedAt: editedAt(note, thread),
  };
}

/**
 * GitLab's API has the time of a note's last save, not of its last edit. The first reply to a note saves that
 * note too, since it becomes the head of a thread; resolving a thread saves all its notes. Neither is an edit.
 */
function editedAt(note: Note, thread: Discussion | null): Date | null {
  if (note.updated_at <= note.created_at) return null;
  if (note.resolved_at && inOneGo(note.updated_at, note.resolved_at)) return null;
  const [head, reply] = thread?.notes ?? [];
  const becameHead = head?.id === note.id && reply !== undefined && inOneGo(note.updated_at, reply.created_at);
  return becameHead ? null : note.updated_at;
}

function inOneGo(one: Date, other: Date): boolean {
  return Math.abs(one.getTime() - other.getTime()) < ONE_GO_MS;
}
