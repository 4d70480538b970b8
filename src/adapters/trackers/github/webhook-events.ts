import type { z } from "zod";
import type { EventKind } from "../../../domain/event.ts";
import { threadOfComment, threadOfReview } from "./thread-names.ts";
import { ofChecks, ofStatus } from "./webhook-checks.ts";
import {
  actionPayload,
  checkSuitePayload,
  issueCommentPayload,
  issuesPayload,
  pullRequestPayload,
  reviewCommentPayload,
  reviewPayload,
  statusPayload,
} from "./webhook-payloads.ts";
import { IGNORED, ownBranch, pullRequestId, eventOf } from "./event-builder.ts";
import type { Telling } from "./event-builder.ts";

const ISSUE_ACTIONS = new Map<string, EventKind>([
  ["opened", "opened"],
  ["edited", "edited"],
  ["assigned", "assigned"],
  ["unassigned", "unassigned"],
  ["closed", "closed"],
  ["reopened", "reopened"],
  ["labeled", "labelled"],
  ["unlabeled", "labelled"],
  // In either case the issue is no longer there to work on.
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

/** What a webhook called `name` tells. Throws a ZodError when something is missing that it cannot be without. */
export function eventsIn(name: string, payload: unknown): Telling {
  const action = actionPayload.parse(payload).action ?? "";
  switch (name) {
    case "issues":
      return ofIssue(ISSUE_ACTIONS.get(action), action, payload);
    case "issue_comment":
      return ofComment(COMMENT_ACTIONS.get(action), payload);
    case "pull_request":
      return action === "closed" ? ofClosedPullRequest(pullRequestPayload.parse(payload)) : IGNORED;
    case "pull_request_review":
      return ofReview(REVIEW_ACTIONS.get(action), payload);
    case "pull_request_review_comment":
      return ofReviewComment(REVIEW_COMMENT_ACTIONS.get(action), payload);
    // A suite is all the checks of one app on one commit; runs and workflows would tell the same several times.
    case "check_suite":
      return action === "completed" ? ofChecks(checkSuitePayload.parse(payload)) : IGNORED;
    case "status":
      return ofStatus(statusPayload.parse(payload));
    default:
      return IGNORED;
  }
}

function ofIssue(kind: EventKind | undefined, action: string, payload: unknown): Telling {
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

function ofComment(kind: EventKind | undefined, payload: unknown): Telling {
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

function ofClosedPullRequest({ pull_request: request, ...origin }: z.infer<typeof pullRequestPayload>): Telling {
  const kind = request.merged === true ? "pull_request_merged" : "pull_request_closed";
  const event = eventOf(origin, kind, pullRequestId(request.number), request.closed_at, {
    branch: ownBranch(origin, request.head),
  });
  return { kind: "events", events: [event], besides: [] };
}

function ofReview(kind: EventKind | undefined, payload: unknown): Telling {
  if (kind === undefined) return IGNORED;
  const { pull_request: request, review, ...origin } = reviewPayload.parse(payload);
  const isSilent = (review.body ?? "").trim() === "";
  // When a review was edited, GitHub does not tell.
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

function ofReviewComment(kind: EventKind | undefined, payload: unknown): Telling {
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
