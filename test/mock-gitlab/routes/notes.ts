import { z } from "zod";
import { type Answer, notFound } from "../answer.ts";
import { type Posted, addNote, award, editNote, removeNote } from "../changes.ts";
import { page } from "../paging.ts";
import { PAGES, get, mayAdminister, noteOf, noteableOf, part, remove, write, type Call, type Route } from "../route.ts";
import { awardShape, discussionShape, discussionsOf, noteShape } from "../shapes/note.ts";
import { type Note, type Noteable, asRead } from "../state.ts";

const body = { body: z.string() };
const more = { ...body, created_at: z.string().optional(), internal: z.boolean().optional() };

/** What is said where a note held nothing but commands: there is no note then. */
function posted(call: Call, { note, commands }: Posted, status: number, shape: (note: Note) => unknown): Answer {
  if (note) return { status, json: shape(note) };
  const changed = Object.fromEntries(commands.map(({ name, argument }) => [name, argument]));
  return { status: 202, json: { commands_changes: changed, summary: commands.map(({ name }) => `Applied ${name}.`) } };
}

function threadOf(call: Call, noteable: Noteable): Note[] {
  const notes = noteable.notes.filter((note) => note.discussionId === part(call, "discussion_id"));
  if (notes.length === 0) throw notFound("Discussion");
  return notes;
}

function notesUnder(parent: string): Route[] {
  return [
    get(`${parent}/notes`, ["order_by", "sort", "activity_filter", ...PAGES], (call) => {
      const { project, noteable } = noteableOf(call);
      const by = call.query.get("order_by") === "updated_at" ? "updatedAt" : "createdAt";
      const sorted = asRead(call.world.state, noteable, "lists").notes.toSorted(
        (one, other) => one[by].getTime() - other[by].getTime() || one.id - other.id,
      );
      const filter = call.query.get("activity_filter");
      const isLeftOut = { only_comments: true, only_activity: false }[filter ?? ""];
      const wanted = sorted.filter((one) => one.system !== isLeftOut);
      const ordered = call.query.get("sort") === "asc" ? wanted : wanted.toReversed();
      return page(call, ordered, (note) => noteShape(note, { project, noteable, origin: call.world.origin }));
    }),
    get(`${parent}/notes/{note_id}`, [], (call) => {
      const { project, noteable } = noteableOf(call);
      const note = noteOf(call, asRead(call.world.state, noteable, "comment"));
      return { status: 200, json: noteShape(note, { project, noteable, origin: call.world.origin }) };
    }),
    write("POST", `${parent}/notes`, more, (call, given) => {
      const place = noteableOf(call);
      const made = addNote(call.world, place, call.user, {
        body: given.body,
        internal: given.internal ?? false,
      });
      return posted(call, made, 201, (note) => noteShape(note, { ...place, origin: call.world.origin }));
    }),
    write("PUT", `${parent}/notes/{note_id}`, { body: z.string().optional() }, (call, given) => {
      const place = noteableOf(call);
      const note = noteOf(call, place.noteable);
      mayAdminister(call, place.project, note);
      const made = editNote(call.world, place, note, call.user, given.body ?? note.body);
      return posted(call, made, 200, (one) => noteShape(one, { ...place, origin: call.world.origin }));
    }),
    remove(`${parent}/notes/{note_id}`, (call) => {
      const place = noteableOf(call);
      const note = noteOf(call, place.noteable);
      mayAdminister(call, place.project, note);
      removeNote(call.world.state, place, note);
      return { status: 204 };
    }),
  ];
}

function discussionsUnder(parent: string): Route[] {
  return [
    get(`${parent}/discussions`, PAGES, (call) => {
      const place = noteableOf(call);
      return page(call, discussionsOf(asRead(call.world.state, place.noteable, "lists")), (notes) =>
        discussionShape(notes, { ...place, origin: call.world.origin }),
      );
    }),
    get(`${parent}/discussions/{discussion_id}`, [], (call) => {
      const place = noteableOf(call);
      const notes = threadOf(call, asRead(call.world.state, place.noteable, "comment"));
      return { status: 200, json: discussionShape(notes, { ...place, origin: call.world.origin }) };
    }),
    write("POST", `${parent}/discussions`, { ...body, created_at: z.string().optional() }, (call, given) => {
      const place = noteableOf(call);
      const made = addNote(call.world, place, call.user, { body: given.body, startsThread: true });
      return posted(call, made, 201, (note) => discussionShape([note], { ...place, origin: call.world.origin }));
    }),
    write(
      "POST",
      `${parent}/discussions/{discussion_id}/notes`,
      { ...body, created_at: z.string().optional() },
      (call, given) => {
        const place = noteableOf(call);
        threadOf(call, place.noteable);
        const options = { body: given.body, thread: part(call, "discussion_id") };
        const made = addNote(call.world, place, call.user, options);
        return posted(call, made, 201, (note) => noteShape(note, { ...place, origin: call.world.origin }));
      },
    ),
  ];
}

/** What an award is on: a note where the path names one, else the issue or merge request. */
function awardedBy(call: Call) {
  const place = noteableOf(call);
  const note = call.parts["note_id"] === undefined ? null : noteOf(call, place.noteable);
  const shape = note ? { id: note.id, type: "Note" as const } : { id: place.noteable.id, type: place.noteable.kind };
  return { place, note, shape, awards: note ? note.awards : place.noteable.awards };
}

function awardsUnder(path: string): Route[] {
  return [
    get(path, PAGES, (call) => {
      const { awards, shape } = awardedBy(call);
      return page(call, awards, (one) => awardShape(one, shape, call.world.origin));
    }),
    write("POST", path, { name: z.string() }, (call, { name }) => {
      const { place, note, shape, awards } = awardedBy(call);
      if (!/^[a-z0-9_+-]+$/.test(name)) throw notFound("Award Emoji Name is not a valid emoji name");
      // The true answer to the same emoji twice: not 409, and no different from a note that is not there.
      if (!award(call.world, place, note, call.user, name)) {
        throw notFound("Award Emoji Name has already been taken");
      }
      const made = awards.at(-1);
      return { status: 201, json: made ? awardShape(made, shape, call.world.origin) : null };
    }),
  ];
}

const PARENTS = ["/projects/{id}/issues/{issue_iid}", "/projects/{id}/merge_requests/{merge_request_iid}"];

/** Notes, threads and emoji of issues and merge requests. */
export const notes: Route[] = PARENTS.flatMap((parent) => [
  ...notesUnder(parent),
  ...discussionsUnder(parent),
  ...awardsUnder(`${parent}/award_emoji`),
  ...awardsUnder(`${parent}/notes/{note_id}/award_emoji`),
]);
