import type { z } from "zod";
import { type EventKind, type UndatedEvent, OF_A_BRANCH, buildEvent } from "../../../domain/event.ts";
import { type Push, filesIn } from "../webhook.ts";
import { threadOfComment, threadOfReview } from "./thread-names.ts";
import {
  type Origin,
  actionPayload,
  checkSuitePayload,
  installationPayload,
  issueCommentPayload,
  issuesPayload,
  pullRequestPayload,
  pushPayload,
  reviewCommentPayload,
  reviewPayload,
  statusPayload,
} from "./webhook-payloads.ts";

type Meaning =
  /** `besides`: the facts that distinguish this change from others with the same events. */
  | { kind: "events"; events: [UndatedEvent, ...UndatedEvent[]]; besides: unknown[] }
  | { kind: "access"; account: string }
  | { kind: "pushed"; push: Push }
  | { kind: "ignored" };

const IGNORED: Meaning = { kind: "ignored" };

function eventOf(
  { repository, sender }: Origin,
  kind: EventKind,
  externalIssueId: string,
  at: Date | null | undefined,
  details: Partial<UndatedEvent>,
): UndatedEvent {
  return buildEvent({
    provider: "github",
    externalProjectId: repository.full_name,
    externalIssueId,
    kind,
    ...(typeof repository.id === "number" ? { stableProjectId: String(repository.id) } : {}),
    actor: sender.login,
    actorIsBot: sender.type === "Bot" || sender.login.endsWith("[bot]"),
    ...details,
    at: at ?? null,
  });
}

/** Relay opens no request from the default branch. */
function mayBeHead({ repository }: Origin, branch: string | null | undefined): branch is string {
  return branch !== null && branch !== undefined && branch !== "" && branch !== repository.default_branch;
}

function pullRequestId(number: number): string {
  return `!${number}`;
}

/** Branches of forks are ignored: anyone can give one the name of a branch of Relay's. */
function ownBranch(origin: Origin, head: z.infer<typeof pullRequestPayload>["pull_request"]["head"]): string | null {
  return isHere(origin, head?.repo) ? (head?.ref ?? null) : null;
}

function isHere({ repository }: Origin, other: { id: number } | null | undefined): boolean {
  return other !== null && other !== undefined && other.id === repository.id;
}

const ISSUE_ACTIONS = new Map<string, EventKind>([
  ["opened", "opened"],
  ["edited", "edited"],
  ["assigned", "assigned"],
  ["unassigned", "unassigned"],
  ["closed", "closed"],
  ["reopened", "reopened"],
  ["labeled", "labelled"],
  ["unlabeled", "labelled"],
  // In either case the issue is gone.
  ["deleted", "closed"],
  ["transferred", "closed"],
]);

const REVIEW_ACTIONS = new Map<string, EventKind>([
  ["submitted", "review_submitted"],
  ["edited", "comment_edited"],
]);

const REVIEW_COMMENT_ACTIONS = new Map<string, EventKind>([
  ["created", "review_commented"],
  ["edited", "comment_edited"],
  ["deleted", "comment_deleted"],
]);

const COMMENT_ACTIONS = new Map<string, EventKind>([
  ["created", "commented"],
  ["edited", "comment_edited"],
  ["deleted", "comment_deleted"],
]);

/** The App was installed, or a person gave back what they took away. */
const GIVES_ACCESS = new Set([
  "installation.created",
  "installation.unsuspend",
  "installation.new_permissions_accepted",
  "installation_repositories.added",
]);

/** The events of a webhook called `name`. Throws a ZodError if a required field is missing. */
export function eventsIn(name: string, payload: unknown): Meaning {
  const action = actionPayload.parse(payload).action ?? "";
  switch (name) {
    case "issues":
      return ofIssue(ISSUE_ACTIONS.get(action), action, payload);
    case "issue_comment":
      return ofComment(COMMENT_ACTIONS.get(action), payload);
    case "pull_request":
      return action === "closed" || action === "reopened"
        ? ofPullRequest(action, pullRequestPayload.parse(payload))
        : IGNORED;
    case "pull_request_review":
      return ofReview(REVIEW_ACTIONS.get(action), payload);
    case "pull_request_review_comment":
      return ofReviewComment(REVIEW_COMMENT_ACTIONS.get(action), payload);
    // A suite covers all checks of one app on one commit; runs and workflows would report the same several times.
    case "check_suite":
      return action === "completed" ? ofChecks(checkSuitePayload.parse(payload)) : IGNORED;
    case "status":
      return ofStatus(statusPayload.parse(payload));
    case "push":
      return ofPush(pushPayload.parse(payload));
    case "installation":
    case "installation_repositories":
      return GIVES_ACCESS.has(`${name}.${action}`)
        ? { kind: "access", account: installationPayload.parse(payload).installation.account.login }
        : IGNORED;
    default:
      return IGNORED;
  }
}

/** From this many commits on, GitHub may name fewer than were pushed. */
const MOST_COMMITS = 20;

function ofPush({ repository, ref, after, deleted, forced, commits }: z.infer<typeof pushPayload>): Meaning {
  const { full_name: externalProjectId, id, default_branch: branch } = repository;
  if (!branch || ref !== `refs/heads/${branch}` || deleted === true) return IGNORED;
  // Commits that a forced push removed are not in the list.
  const isWhole = forced !== true && commits && commits.length > 0 && commits.length < MOST_COMMITS;
  const stableProjectId = typeof id === "number" ? String(id) : null;
  const files = isWhole ? filesIn(commits) : null;
  return { kind: "pushed", push: { externalProjectId, stableProjectId, commit: after, files } };
}

function ofIssue(kind: EventKind | undefined, action: string, payload: unknown): Meaning {
  if (kind === undefined) return IGNORED;
  const { issue, assignee, label, ...origin } = issuesPayload.parse(payload);
  const concernsSomebody = kind === "assigned" || kind === "unassigned";
  const event = eventOf(origin, kind, String(issue.number), issue.updated_at, {
    assignee: concernsSomebody ? (assignee?.login ?? null) : null,
    text: kind === "opened" || kind === "edited" ? (issue.body ?? null) : null,
    outcome: action === "deleted" || action === "transferred" ? action : null,
  });
  return { kind: "events", events: [event], besides: [action, issue.title, label?.name] };
}

function ofComment(kind: EventKind | undefined, payload: unknown): Meaning {
  if (kind === undefined) return IGNORED;
  const { issue, comment, ...origin } = issueCommentPayload.parse(payload);
  const isOfPullRequest = issue.pull_request !== undefined && issue.pull_request !== null;
  const id = isOfPullRequest ? pullRequestId(issue.number) : String(issue.number);
  const at = { created: comment.created_at, edited: comment.updated_at, deleted: null };
  const when = kind === "commented" ? at.created : kind === "comment_edited" ? at.edited : at.deleted;
  const event = eventOf(origin, kind, id, when, {
    commentId: String(comment.id),
    threadId: isOfPullRequest ? threadOfComment(comment.id) : null,
    text: comment.body ?? null,
  });
  return { kind: "events", events: [event], besides: [] };
}

function ofPullRequest(
  action: "closed" | "reopened",
  { pull_request: request, ...origin }: z.infer<typeof pullRequestPayload>,
): Meaning {
  const ended = request.merged === true ? "pull_request_merged" : "pull_request_closed";
  const [kind, at] =
    action === "closed"
      ? ([ended, request.closed_at] as const)
      : (["pull_request_reopened", request.updated_at] as const);
  const event = eventOf(origin, kind, pullRequestId(request.number), at, {
    branch: ownBranch(origin, request.head),
  });
  return { kind: "events", events: [event], besides: [] };
}

function ofReview(kind: EventKind | undefined, payload: unknown): Meaning {
  if (kind === undefined) return IGNORED;
  const { pull_request: request, review, ...origin } = reviewPayload.parse(payload);
  const isSilent = (review.body ?? "").trim() === "";
  // GitHub does not send the time at which a review was edited.
  const at = kind === "review_submitted" ? review.submitted_at : null;
  const event = eventOf(origin, kind, pullRequestId(request.number), at, {
    commentId: isSilent ? null : String(review.id),
    threadId: isSilent ? null : threadOfReview(review.id),
    text: review.body ?? null,
    branch: ownBranch(origin, request.head),
    outcome: review.state?.toLowerCase() ?? null,
  });
  return { kind: "events", events: [event], besides: [review.id] };
}

function ofReviewComment(kind: EventKind | undefined, payload: unknown): Meaning {
  if (kind === undefined) return IGNORED;
  const { pull_request: request, comment, ...origin } = reviewCommentPayload.parse(payload);
  const at = kind === "comment_edited" ? comment.updated_at : kind === "comment_deleted" ? null : comment.created_at;
  const event = eventOf(origin, kind, pullRequestId(request.number), at, {
    commentId: String(comment.id),
    threadId: String(comment.in_reply_to_id ?? comment.id),
    text: comment.body ?? null,
    branch: ownBranch(origin, request.head),
  });
  return { kind: "events", events: [event], besides: [] };
}

/**
 * One event for each pull request of this repository with this head commit; for the branch if there is none yet:
 * checks may finish before a request is opened for a branch that was just pushed.
 */
function ofChecks({ check_suite: suite, ...origin }: z.infer<typeof checkSuitePayload>): Meaning {
  const [first, ...rest] = suite.pull_requests
    .filter(({ base }) => isHere(origin, base?.repo))
    .map((request) =>
      eventOf(origin, "checks_completed", pullRequestId(request.number), suite.updated_at, {
        branch: ownBranch(origin, request.head),
        outcome: suite.conclusion ?? null,
      }),
    );
  const besides = [suite.id, suite.head_sha];
  if (first !== undefined) return { kind: "events", events: [first, ...rest], besides };
  const { head_branch: branch, updated_at: at, conclusion } = suite;
  if (suite.pull_requests.length > 0 || !mayBeHead(origin, branch)) return IGNORED;
  const ofBranch = eventOf(origin, "checks_completed", OF_A_BRANCH, at, { branch, outcome: conclusion ?? null });
  return { kind: "events", events: [ofBranch], besides };
}

/**
 * The commit status of an older service, one event for each branch with this head. GitHub names no pull request here.
 * Pending statuses are ignored.
 */
function ofStatus({
  id,
  sha,
  state,
  context,
  branches,
  updated_at: at,
  ...origin
}: z.infer<typeof statusPayload>): Meaning {
  if (state === "pending") return IGNORED;
  const [first, ...rest] = branches
    .filter(({ name, commit }) => commit.sha === sha && mayBeHead(origin, name))
    .map(({ name }) => eventOf(origin, "checks_completed", OF_A_BRANCH, at, { branch: name, outcome: state }));
  if (first === undefined) return IGNORED;
  return { kind: "events", events: [first, ...rest], besides: [id, sha, context] };
}
