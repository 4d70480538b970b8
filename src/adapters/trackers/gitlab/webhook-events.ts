import { type EventKind, type UndatedEvent, OF_A_BRANCH, buildEvent } from "../../../domain/event.ts";
import { type Push, filesIn } from "../webhook.ts";
import { isBotName } from "./bots.ts";
import { isIssueType } from "./calls.ts";
import {
  type IssuePayload,
  type MergeRequestFacts,
  type MergeRequestPayload,
  type NotePayload,
  type Origin,
  type PipelinePayload,
  anyHappening,
  anyPayload,
  issuePayload,
  mergeRequestPayload,
  notePayload,
  type PushPayload,
  pipelinePayload,
  pushPayload,
} from "./webhook-payloads.ts";

/** Final states of a pipeline, as outcomes of checks. */
const OUTCOMES = new Map([
  ["success", "success"],
  ["failed", "failure"],
  ["canceled", "cancelled"],
  ["skipped", "skipped"],
]);

/** Kinds of payloads that say what happened in `object_attributes`. */
const OF_PROJECTS: ReadonlySet<string> = new Set(["issue", "work_item", "note", "merge_request", "pipeline"]);

/**
 * The events of a webhook, in the order to process them; empty if it does not concern Relay. One call reports all
 * changes of one request. GitLab does not report deleted comments: the comment count reveals them.
 * Throws a ZodError if a required field is missing.
 */
export function eventsIn(payload: unknown): { kind: string; events: UndatedEvent[]; push?: Push } {
  const { object_kind: named, event_name: name, project } = anyPayload.parse(payload);
  const kind = named ?? name ?? "unknown";
  // Epics and other work of groups have no project.
  if (project === undefined || project === null) {
    // Without what happened too, it was cut.
    if (OF_PROJECTS.has(kind)) anyHappening.parse(payload);
    return { kind, events: [] };
  }
  switch (kind) {
    case "issue":
    case "work_item":
      return { kind, events: ofIssue(issuePayload.parse(payload)) };
    case "note":
      return { kind, events: ofNote(notePayload.parse(payload)) };
    case "merge_request":
      return { kind, events: ofMergeRequest(mergeRequestPayload.parse(payload)) };
    case "push": {
      const push = pushIn(pushPayload.parse(payload));
      return { kind, events: [], ...(push && { push }) };
    }
    case "pipeline":
      return { kind, events: ofPipeline(pipelinePayload.parse(payload)) };
    default:
      return { kind, events: [] };
  }
}

/** Null for other branches than the default one, and where it was removed. */
function pushIn({ project, ref, checkout_sha: commit, ...told }: PushPayload): Push | null {
  const { path_with_namespace: externalProjectId, id, default_branch: branch } = project;
  if (!branch || ref !== `refs/heads/${branch}` || !commit) return null;
  const commits = told.commits ?? [];
  const isWhole = commits.length > 0 && told.total_commits_count === commits.length;
  const stableProjectId = typeof id === "number" ? String(id) : null;
  return { externalProjectId, stableProjectId, commit, files: isWhole ? filesIn(commits) : null };
}

function ofIssue(payload: IssuePayload): UndatedEvent[] {
  const { object_attributes: issue, changes } = payload;
  if (!isIssueType(issue.type)) return [];
  const at = (issue.action === "open" ? issue.created_at : issue.updated_at) ?? null;
  const tell = (kind: EventKind, details: Partial<UndatedEvent> = {}) =>
    eventOf(payload, kind, String(issue.iid), { at, ...details });
  const { assigned, unassigned } = assignments(payload);
  const changed = [
    ...(changes?.title || changes?.description || changes?.confidential
      ? [tell("edited", { text: changes.description ? (issue.description ?? null) : null })]
      : []),
    ...(changes?.labels ? [tell("labelled")] : []),
    ...unassigned.map((assignee) => tell("unassigned", { assignee })),
    ...assigned.map((assignee) => tell("assigned", { assignee })),
  ];
  switch (issue.action) {
    case "open":
      return [
        tell("opened", { text: issue.description ?? null }),
        ...assigned.map((assignee) => tell("assigned", { assignee })),
      ];
    case "reopen":
      return [tell("reopened"), ...changed];
    case "close":
      return [...changed, tell("closed")];
    case "update":
      return changed;
    default:
      return [];
  }
}

/** Added and removed assignees. A new issue comes with its assignees, but without a change of them. */
function assignments({ object_attributes: issue, assignees, changes }: IssuePayload) {
  const before = issue.action === "open" ? [] : names(changes?.assignees?.previous);
  const after = issue.action === "open" ? names(assignees) : names(changes?.assignees?.current);
  return {
    assigned: after.filter((name) => !before.includes(name)),
    unassigned: before.filter((name) => !after.includes(name)),
  };
}

function names(people: readonly ({ username: string } | null)[] | null | undefined): string[] {
  return [...new Set((people ?? []).flatMap((person) => person?.username ?? []))];
}

function ofNote(payload: NotePayload): UndatedEvent[] {
  const { object_attributes: note, issue, merge_request: request } = payload;
  // Internal notes are ignored: see `isComment`.
  if (note.system === true || note.internal === true || note.confidential === true) return [];
  const isEdit = note.action === "update";
  const details = {
    at: (isEdit ? note.updated_at : note.created_at) ?? null,
    commentId: String(note.id),
    threadId: note.discussion_id ?? null,
    text: note.note ?? null,
  };
  if (note.noteable_type === "Issue" && issue) {
    if (!isIssueType(issue.type)) return [];
    return [eventOf(payload, isEdit ? "comment_edited" : "commented", String(issue.iid), details)];
  }
  if (note.noteable_type === "MergeRequest" && request) {
    const kind = isEdit ? "comment_edited" : note.type === "DiffNote" ? "review_commented" : "commented";
    return [ofRequest(payload, kind, request, details)];
  }
  return [];
}

function ofMergeRequest(payload: MergeRequestPayload): UndatedEvent[] {
  const { object_attributes: request, changes } = payload;
  const at = request.updated_at ?? null;
  const review = (outcome: string) => [ofRequest(payload, "review_submitted", request, { at, outcome })];
  switch (request.action) {
    case "merge":
      return [ofRequest(payload, "pull_request_merged", request, { at })];
    case "close":
      return [ofRequest(payload, "pull_request_closed", request, { at })];
    case "reopen":
      return [ofRequest(payload, "pull_request_reopened", request, { at })];
    // "approval": one of several that are needed; "approved": the last of them.
    case "approval":
    case "approved":
      return review("approved");
    case "unapproval":
    case "unapproved":
      return review("dismissed");
    case "update":
      return asksForChanges(changes) ? review("changes_requested") : [];
    default:
      return [];
  }
}

function asksForChanges(changes: MergeRequestPayload["changes"]): boolean {
  const askers = (reviewers: NonNullable<NonNullable<typeof changes>["reviewers"]>["current"]) =>
    (reviewers ?? []).flatMap((one) => (one?.state === "requested_changes" ? (one.username ?? "") : []));
  const before = askers(changes?.reviewers?.previous);
  return askers(changes?.reviewers?.current).some((name) => !before.includes(name));
}

function ofPipeline(payload: PipelinePayload): UndatedEvent[] {
  const { object_attributes: pipeline, merge_request: request } = payload;
  const outcome = OUTCOMES.get(pipeline.status ?? "");
  if (outcome === undefined) return [];
  const at = pipeline.finished_at ?? pipeline.created_at ?? null;
  if (request) return [ofRequest(payload, "checks_completed", request, { at, outcome })];
  // A branch pipeline runs in the branch's project; Relay opens no request from the default branch.
  const { ref: branch, tag } = pipeline;
  if (!branch || tag === true || branch === payload.project.default_branch) return [];
  return [eventOf(payload, "checks_completed", OF_A_BRANCH, { at, outcome, branch })];
}

/** Branches of forks are ignored: anyone can give one the name of a branch of Relay's. */
function ofRequest(
  origin: Origin,
  kind: EventKind,
  request: MergeRequestFacts,
  details: Partial<UndatedEvent>,
): UndatedEvent {
  const { iid, source_branch: branch, source_project_id: source, target_project_id: target } = request;
  const isOwn = source !== null && source !== undefined && source === target;
  return eventOf(origin, kind, `!${iid}`, { branch: isOwn ? (branch ?? null) : null, ...details });
}

function eventOf(
  { project, user }: Origin,
  kind: EventKind,
  externalIssueId: string,
  details: Partial<UndatedEvent>,
): UndatedEvent {
  return buildEvent({
    provider: "gitlab",
    externalProjectId: project.path_with_namespace,
    externalIssueId,
    kind,
    ...(typeof project.id === "number" ? { stableProjectId: String(project.id) } : {}),
    actor: user.username,
    actorIsBot: isBotName(user.username),
    at: null,
    ...details,
  });
}
