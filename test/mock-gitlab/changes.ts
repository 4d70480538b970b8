import { randomBytes } from "node:crypto";
import type { Announce, Hooks } from "./hooks.ts";
import { badRequest, conflict } from "./answer.ts";
import { emojiPayload, issuePayload, mergeRequestPayload, notePayload } from "./payloads.ts";
import { type Command, takeCommands } from "./quick-actions.ts";
import {
  type Issue,
  type MergeRequest,
  type Note,
  type Noteable,
  type Project,
  type State,
  type User,
  findUser,
} from "./state.ts";

/** Everything that a change needs: whether it came over the API or from a person in a browser is the same. */
export interface World {
  state: State;
  origin: string;
  announce: Announce;
  resend: Hooks["resend"];
}

export interface Place<N extends Noteable = Noteable> {
  project: Project;
  noteable: N;
}

const NOTE_LIMIT = 1_000_000;

/** The ids of threads are 40 hexadecimal digits. */
function newDiscussionId(): string {
  return randomBytes(20).toString("hex");
}

export interface Posted {
  /** Null where the text held nothing but commands. */
  note: Note | null;
  commands: Command[];
}

/** Posts a note: alone, as the first of a thread, or into one. Commands in it are carried out first. */
export function addNote(
  world: World,
  { project, noteable }: Place,
  author: User,
  options: {
    body: string;
    thread?: string;
    startsThread?: boolean;
    system?: boolean;
    internal?: boolean;
    position?: { path: string; line: number } | null;
  },
): Posted {
  if (options.body.trim() === "") throw badRequest(`Note {:note=>["can't be blank"]}`);
  if (Array.from(options.body).length > NOTE_LIMIT) {
    throw badRequest(`Note {:note=>["is too long (maximum is ${NOTE_LIMIT} characters)"]}`);
  }
  const { text, commands } =
    options.system === true ? { text: options.body, commands: [] } : takeCommands(options.body);
  for (const command of commands) obey(world, { project, noteable }, author, command);
  if (text.trim() === "") return { note: null, commands };
  world.state.lags.changes(noteable, { comments: noteable.notes, updatedAt: noteable.updatedAt });
  const now = world.state.now();
  const first =
    options.thread === undefined ? undefined : noteable.notes.find((one) => one.discussionId === options.thread);
  if (first?.system === true) throw badRequest("Discussion can not be replied to.");
  if (first && first.type === null) {
    // GitLab saves the note as one of another type, which moves its time.
    first.type = "DiscussionNote";
    first.updatedAt = now;
  }
  // Answers to a note at a line are at that line as well.
  const position = options.position ?? first?.position ?? null;
  const note: Note = {
    id: world.state.nextId(),
    discussionId: options.thread ?? newDiscussionId(),
    type: position
      ? "DiffNote"
      : options.thread === undefined && options.startsThread !== true
        ? null
        : "DiscussionNote",
    body: text,
    author,
    system: options.system ?? false,
    internal: options.internal ?? first?.internal ?? false,
    createdAt: now,
    updatedAt: now,
    awards: [],
    position,
    resolved: null,
    edited: null,
  };
  noteable.notes.push(note);
  noteable.updatedAt = now;
  if (!note.system)
    world.announce(project, "notes", () => notePayload(world, { project, noteable }, note, author, "create"));
  return { note, commands };
}

export function editNote(world: World, { project, noteable }: Place, note: Note, editor: User, body: string): Posted {
  if (body.trim() === "") throw badRequest(`Note {:note=>["can't be blank"]}`);
  const { text, commands } = takeCommands(body);
  for (const command of commands) obey(world, { project, noteable }, editor, command);
  if (text !== note.body) {
    world.state.lags.changes(noteable, { comments: noteable.notes, updatedAt: noteable.updatedAt });
    note.body = text;
    note.updatedAt = world.state.now();
    note.edited = { by: editor, at: note.updatedAt };
    noteable.updatedAt = note.updatedAt;
    world.announce(project, "notes", () => notePayload(world, { project, noteable }, note, editor, "update"));
  }
  return { note, commands };
}

/** A thread of a merge request is settled, which saves its notes. */
export function resolveThread(world: World, { noteable }: Place, thread: string, by: User): void {
  const at = world.state.now();
  for (const note of noteable.notes) {
    if (note.discussionId === thread && note.type !== null)
      Object.assign(note, { resolved: { by, at }, updatedAt: at });
  }
}

/** No hook tells of it, and neither does the time of the issue: only the number of notes does. */
export function removeNote({ lags }: State, { noteable }: Place, note: Note): void {
  lags.changes(noteable, { comments: noteable.notes, updatedAt: noteable.updatedAt });
  noteable.notes.splice(noteable.notes.indexOf(note), 1);
}

export interface Edit {
  title?: string | undefined;
  description?: string | undefined;
  assignees?: User[] | undefined;
  reviewers?: User[] | undefined;
  labels?: string[] | undefined;
  confidential?: boolean | undefined;
  state?: "opened" | "closed" | "merged" | undefined;
}

const named = (users: readonly User[]) => users.map(({ username }) => `@${username}`).join(" and ");

/** One change of an issue or a merge request: one hook, however much of it changed. */
export function edit(world: World, { project, noteable }: Place, actor: User, change: Edit): void {
  const before = { ...noteable };
  const reviewersBefore = isMergeRequest(noteable) ? noteable.reviewers : [];
  if (change.title !== undefined) noteable.title = change.title;
  if (change.description !== undefined) noteable.description = takeCommands(change.description).text;
  if (change.assignees !== undefined) {
    noteable.assignees = change.assignees;
    const added = change.assignees.filter((user) => !before.assignees.includes(user));
    const removed = before.assignees.filter((user) => !change.assignees?.includes(user));
    const parts = [
      ...(added.length > 0 ? [`assigned to ${named(added)}`] : []),
      ...(removed.length > 0 ? [`unassigned ${named(removed)}`] : []),
    ];
    if (parts.length > 0) addNote(world, { project, noteable }, actor, { body: parts.join(" and "), system: true });
  }
  if (change.labels !== undefined) {
    noteable.labels = change.labels;
    makeLabels(world.state, project, change.labels);
  }
  if (change.confidential !== undefined && isIssue(noteable)) noteable.confidential = change.confidential;
  if (change.reviewers !== undefined && isMergeRequest(noteable)) noteable.reviewers = change.reviewers;
  if (change.state !== undefined) {
    if (change.state === "opened" && isMergeRequest(noteable)) refuseSecond(project, noteable);
    noteable.state = change.state;
    noteable.closedAt = change.state === "closed" ? world.state.now() : null;
  }
  noteable.updatedAt = world.state.now();
  const action =
    change.state === undefined || change.state === before.state
      ? "update"
      : ({ opened: "reopen", closed: "close", merged: "merge" } as const)[change.state];
  if (action !== "update") {
    const said = { reopen: "reopened", close: "closed", merge: "merged" }[action];
    addNote(world, { project, noteable }, actor, { body: said, system: true });
  }
  if (isMergeRequest(noteable)) {
    const payload = mergeRequestPayload(world, project, noteable, { actor, action, before, reviewersBefore });
    world.announce(project, "mergeRequests", () => payload);
  } else if (isIssue(noteable)) {
    world.announce(project, "issues", () => issuePayload(world, project, noteable, { actor, action, before }));
  }
}

/** The name has to be free: one open request for a branch and its target. */
export function refuseSecond(project: Project, request: Pick<MergeRequest, "sourceBranch" | "targetBranch">): void {
  const open = project.mergeRequests.find(
    (one) =>
      one !== request &&
      one.state === "opened" &&
      one.sourceBranch === request.sourceBranch &&
      one.targetBranch === request.targetBranch,
  );
  if (open) throw conflict([`Another open merge request already exists for this source branch: !${open.iid}`]);
}

export function makeLabels(state: State, project: Project, names: readonly string[]): void {
  for (const name of names) {
    if (project.labels.some((label) => label.name === name)) continue;
    project.labels.push({ id: state.nextId(), name, color: "#428BCA" });
  }
}

/** False where the person has given it before. */
export function award(
  world: World,
  { project, noteable }: Place,
  note: Note | null,
  user: User,
  name: string,
): boolean {
  const awards = note === null ? noteable.awards : note.awards;
  if (awards.some((one) => one.user === user && one.name === name)) return false;
  const given = { id: world.state.nextId(), name, user, createdAt: world.state.now() };
  awards.push(given);
  world.announce(project, "emoji", () => emojiPayload(world, { project, noteable }, note, given));
  return true;
}

function isIssue(noteable: Noteable): noteable is Issue {
  return noteable.kind === "Issue";
}

function isMergeRequest(noteable: Noteable): noteable is MergeRequest {
  return noteable.kind === "MergeRequest";
}

/** What a command does here. Others are taken out of the text and forgotten, as those that a person may not use. */
function obey(world: World, place: Place, actor: User, { name, argument }: Command): void {
  const { noteable } = place;
  const labels = [...argument.matchAll(/~"([^"]+)"|~(\S+)/g)].map((match) => match[1] ?? match[2] ?? "");
  const people = [...argument.matchAll(/@([\w.-]+)/g)].flatMap((match) => findUser(world.state, match[1] ?? "") ?? []);
  if (name === "close") edit(world, place, actor, { state: "closed" });
  if (name === "reopen") edit(world, place, actor, { state: "opened" });
  if (name === "title") edit(world, place, actor, { title: argument });
  if (name === "lock") noteable.locked = true;
  if (name === "label" || name === "labels") {
    edit(world, place, actor, { labels: [...new Set([...noteable.labels, ...labels])] });
  }
  if (name === "unlabel") {
    edit(world, place, actor, { labels: noteable.labels.filter((label) => !labels.includes(label)) });
  }
  if (name === "assign") edit(world, place, actor, { assignees: [...new Set([...noteable.assignees, ...people])] });
  if (name === "unassign") edit(world, place, actor, { assignees: [] });
}
