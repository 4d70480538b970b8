import type { Award, Note, Noteable, Project } from "../state.ts";
import { type Json, userShape } from "./user.ts";

interface Place {
  project: Project;
  noteable: Noteable;
  origin: string;
}

export function noteShape(note: Note, { project, noteable, origin }: Place): Json {
  const resolvable = noteable.kind === "MergeRequest" && note.type !== null;
  return {
    id: note.id,
    type: note.type,
    body: note.body,
    author: userShape(note.author, origin),
    created_at: note.createdAt.toISOString(),
    updated_at: note.updatedAt.toISOString(),
    system: note.system,
    noteable_id: noteable.id,
    noteable_type: noteable.kind,
    project_id: project.id,
    resolvable,
    ...(resolvable
      ? {
          resolved: note.resolved !== null,
          resolved_by: note.resolved ? userShape(note.resolved.by, origin) : null,
          resolved_at: note.resolved?.at.toISOString() ?? null,
        }
      : {}),
    ...(note.position ? { commit_id: null, position: positionShape(note.position) } : {}),
    confidential: note.internal,
    internal: note.internal,
    imported: false,
    imported_from: "none",
    noteable_iid: noteable.iid,
    commands_changes: {},
  };
}

function positionShape({ path, line }: NonNullable<Note["position"]>): Json {
  const sha = "0".repeat(40);
  return {
    base_sha: sha,
    start_sha: sha,
    head_sha: sha,
    old_path: path,
    new_path: path,
    position_type: "text",
    old_line: null,
    new_line: line,
    line_range: null,
  };
}

/** The threads of an issue or merge request, by their first notes; a note on its own is one too. */
export function discussionsOf(noteable: Noteable): Note[][] {
  const threads = new Map<string, Note[]>();
  for (const note of noteable.notes) {
    const thread = threads.get(note.discussionId);
    if (thread) thread.push(note);
    else threads.set(note.discussionId, [note]);
  }
  return [...threads.values()];
}

export function discussionShape(notes: readonly Note[], place: Place): Json {
  return {
    id: notes[0]?.discussionId ?? "",
    individual_note: notes.every((note) => note.type === null),
    notes: notes.map((note) => noteShape(note, place)),
  };
}

export function awardShape(
  award: Award,
  on: { id: number; type: "Issue" | "MergeRequest" | "Note" },
  origin: string,
): Json {
  return {
    id: award.id,
    name: award.name,
    user: userShape(award.user, origin),
    created_at: award.createdAt.toISOString(),
    updated_at: award.createdAt.toISOString(),
    awardable_id: on.id,
    awardable_type: on.type,
    url: null,
  };
}
