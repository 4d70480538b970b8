import type { IssueAddress, Provider } from "../../domain/issue.ts";

/** What a person may do in a project, from least to most. */
export const PERMISSIONS = ["none", "read", "triage", "write", "maintain", "admin"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** An issue as the tracker has it now. */
export interface TrackerIssue extends IssueAddress {
  title: string;
  body: string;
  author: string;
  state: "open" | "closed";
  labels: string[];
  assignees: string[];
  url: string | null;
  /** Comments that its thread holds now, so that a thread kept elsewhere can be compared with it (R-IN-5). */
  commentCount: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A comment as the tracker has it now. */
export interface TrackerComment {
  id: string;
  /** The thread it belongs to, where the tracker has threads; replies name it. */
  threadId: string | null;
  /** The comment that it answers, where the tracker tells. */
  replyToId: string | null;
  author: string;
  isBot: boolean;
  body: string;
  createdAt: Date;
  editedAt: Date | null;
}

export interface CommentPage {
  comments: TrackerComment[];
  /** Cursor of the next page; null after the last one. */
  next: string | null;
}

/** An issue in a list, with what tells whether it changed. */
export type IssueGlance = IssueAddress & Pick<TrackerIssue, "state" | "assignees" | "commentCount" | "updatedAt">;

export interface IssuePage {
  issues: IssueGlance[];
  next: string | null;
}

export interface Member {
  login: string;
  permission: Permission;
}

/** A project and where its code is. */
export interface TrackerProject {
  /** Its name as it is now, also where it was asked for by an earlier one. */
  externalProjectId: string;
  /** Stays when people rename or move it; null where names never change. */
  stableId: string | null;
  defaultBranch: string;
  /** Address to fetch from; never with credentials. */
  cloneUrl: string;
  url: string | null;
}

export interface PullRequest {
  number: number;
  title: string;
  body: string;
  head: string;
  base: string;
  draft: boolean;
  state: "open" | "closed" | "merged";
  /** Logins that were asked for a review. */
  reviewers: string[];
  url: string | null;
  /** Whether it conflicts with its base; null where the tracker does not know, or not yet. */
  conflicts: boolean | null;
}

export type NewPullRequest = Pick<PullRequest, "title" | "body" | "head" | "base" | "draft">;

/** Issues and their discussions, as far as Relay works with them. */
export interface IssueTracker {
  /** The issue now; `not_found` for pull requests, which some trackers number with the issues. */
  getIssue(address: IssueAddress): Promise<TrackerIssue>;
  /** One page of at most 100 comments, oldest first (R-IN-5). `cursor` comes from the page before. */
  listComments(address: IssueAddress, cursor: string | null): Promise<CommentPage>;
  /**
   * All comments that were made or edited at `since` or later, oldest first, in a number of requests that does not
   * depend on the length of the thread. Null where the tracker cannot tell, or where they are more than some hundreds:
   * fetch the whole then. Deletions are not told; the issue's `commentCount` gives them away. `threads` are those that
   * an event named, for trackers that cannot tell a new reply's thread.
   */
  listChangedComments(address: IssueAddress, since: Date, threads: readonly string[]): Promise<TrackerComment[] | null>;
  /**
   * Issues of a project that changed at `since` or later, open and closed ones, those that changed first coming first
   * (R-IN-8). With `assignee`, only those assigned to that login now. Without pull requests.
   */
  listIssues(
    externalProjectId: string,
    filter: { since: Date | null; assignee: string | null },
    cursor: string | null,
  ): Promise<IssuePage>;
  /**
   * Posts a comment, into a thread when `threadId` is given, and keeps it to the letter but for line ends.
   * Blank ones, those with a NUL and those over 65,536 characters are `invalid`.
   */
  createComment(address: IssueAddress, body: string, threadId: string | null): Promise<TrackerComment>;
  updateComment(address: IssueAddress, commentId: string, body: string): Promise<TrackerComment>;
  /** A reaction to a comment, or to the issue when `commentId` is null. Doing it twice is doing it once. */
  addReaction(address: IssueAddress, commentId: string | null, emoji: string): Promise<void>;
  /** Logins with the reaction. */
  listReactions(address: IssueAddress, commentId: string | null, emoji: string): Promise<string[]>;
  /** Adds and removes labels; missing ones are created; all others are left alone (R-LIFE-5). */
  changeLabels(address: IssueAddress, change: { add: string[]; remove: string[] }): Promise<void>;
}

/** Projects, their people and their code. */
export interface ProjectTracker {
  getProject(externalProjectId: string): Promise<TrackerProject>;
  /** What the person may do in the project at this moment (R-CONF-3); `none` for strangers. */
  permissionOf(externalProjectId: string, login: string): Promise<Permission>;
  /** Who may do more than read, or is named as a member; at most 1,000. */
  listMembers(externalProjectId: string): Promise<Member[]>;
  branchExists(externalProjectId: string, branch: string): Promise<boolean>;
  /** A text file of the default branch (`CODEOWNERS`, `.relay.yml`), at most 1 MiB; null where there is none. */
  readFile(externalProjectId: string, path: string): Promise<string | null>;
}

export interface PullRequestTracker {
  /** Opens a request; one that is open for the same head and base already is `invalid`. */
  createPullRequest(externalProjectId: string, request: NewPullRequest): Promise<PullRequest>;
  /** The newest 30 requests of a branch of the project itself, whatever became of them, newest first. */
  listPullRequests(externalProjectId: string, head: string): Promise<PullRequest[]>;
  updatePullRequest(
    externalProjectId: string,
    number: number,
    change: Partial<Pick<PullRequest, "title" | "body" | "draft" | "state">>,
  ): Promise<PullRequest>;
  /** Asks for reviews, besides those that were asked before; who is no member is `invalid`. */
  requestReview(externalProjectId: string, number: number, logins: string[]): Promise<void>;
}

/** What somebody wrote in a review, in a thread at a line, or about the request as a whole. */
export interface ReviewThread {
  /** What `replyToThread` answers to. */
  id: string;
  /** The file that it is about; null for the request as a whole. */
  path: string | null;
  /** Where newer commits took the line away, where it was. */
  line: number | null;
  resolved: boolean;
  /** Oldest first. */
  comments: TrackerComment[];
}

/** What a check on a commit came to. */
export interface CommitCheck {
  name: string;
  outcome: "pending" | "passed" | "failed" | "other";
  url: string | null;
  /** What it says of itself, at most 8,000 characters; empty where the tracker keeps nothing. */
  detail: string;
}

/** A request's way through review (R-WORK-9). */
export interface ReviewTracker {
  /** The request as it is now, whatever its state; `not_found` where there is none of this number. */
  getPullRequest(externalProjectId: string, number: number): Promise<PullRequest>;
  /**
   * All that was said to the request: threads at lines, the words of whole reviews, and comments under it (each a
   * thread of its own, on trackers that have no threads there). At most 1,000 comments; the newest where there are more.
   */
  listReviewThreads(externalProjectId: string, number: number): Promise<ReviewThread[]>;
  /** Answers in the thread; under the request where a thread takes no answer. */
  replyToThread(externalProjectId: string, number: number, threadId: string, body: string): Promise<TrackerComment>;
  /** The newest outcome of each check on the commit; empty where there are none. */
  listChecks(externalProjectId: string, commit: string): Promise<CommitCheck[]>;
  /** Adds labels to a request; missing ones are created. */
  labelPullRequest(externalProjectId: string, number: number, labels: string[]): Promise<void>;
}

/**
 * One tracker. Calls are made once: no method retries on its own, since only the executor knows
 * whether a first try took effect (R-ACT-5). Failures are `RelayError`s with `status` and `retryable`:
 * `not_found`, `forbidden`, `invalid`, `rate_limited`, `unavailable`, `timeout`.
 */
export interface Tracker extends IssueTracker, ProjectTracker, PullRequestTracker, ReviewTracker {
  readonly provider: Provider;
  /** Login that Relay's comments carry as their author. */
  readonly bot: string;
  /** Logins by which people assign and mention Relay; `bot` is one of them. An App is called `x` and writes as `x[bot]`. */
  readonly calledAs: readonly string[];
}

/** A tracker with review and checks. */
export type HostedTracker = Tracker & ReviewTracker;

export function atLeast(permission: Permission, needed: Permission): boolean {
  return PERMISSIONS.indexOf(permission) >= PERMISSIONS.indexOf(needed);
}
