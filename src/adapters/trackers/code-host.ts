import type { CommitAuthor } from "../../domain/work.ts";
import type { Account, Permissions, Tracker, TrackerComment } from "./tracker.ts";

/** A project and the address of its code. */
export interface TrackerProject {
  /** Its current name, also if it was asked for by a former one. */
  externalProjectId: string;
  /** An id that survives renames and moves; null where names never change. */
  stableId: string | null;
  defaultBranch: string;
  /** Address to fetch from; never with credentials. */
  cloneUrl: string;
  url: string | null;
  /** Whether only its members can read its code and requests. */
  isPrivate: boolean;
}

export interface PullRequest {
  number: number;
  title: string;
  body: string;
  head: string;
  base: string;
  draft: boolean;
  state: "open" | "closed" | "merged";
  /** Logins whose review was requested. */
  reviewers: string[];
  url: string | null;
  /** Whether it conflicts with its base; null if the code host does not know yet. */
  conflicts: boolean | null;
  /** By the code host's clock; null if no list says what changed. */
  updatedAt: Date | null;
}

export type NewPullRequest = Pick<PullRequest, "title" | "body" | "head" | "base" | "draft">;

/** A discussion in a review: at a line, or about the request as a whole. */
export interface ReviewThread {
  /** The id for `replyToThread`. */
  id: string;
  /** The file; null for the request as a whole. */
  path: string | null;
  /** The line; if newer commits removed it, the line where it was. */
  line: number | null;
  resolved: boolean;
  /** Oldest first. */
  comments: TrackerComment[];
}

/** The result of a check on a commit. */
export interface CommitCheck {
  name: string;
  outcome: "pending" | "passed" | "failed" | "other";
  url: string | null;
  /** Its own output or summary, at most 8,000 characters; empty if the code host keeps none. */
  detail: string;
}

/** Projects, their branches and files. */
export interface Projects {
  getProject(externalProjectId: string): Promise<TrackerProject>;
  branchExists(externalProjectId: string, branch: string): Promise<boolean>;
  /** A text file of the default branch (`CODEOWNERS`, `.relay.yml`), at most 1 MiB; null if there is none. */
  readFile(externalProjectId: string, path: string): Promise<string | null>;
}

/** Relay as the author of commits. */
export interface Committing {
  /**
   * Whom Relay's commits name as author and committer, so that the code host shows them as its account's (R-WORK-6).
   * Fetched once.
   */
  commitAuthor(externalProjectId: string): Promise<CommitAuthor>;
}

/** Requests that a branch be merged. */
export interface PullRequests {
  /** The request as it is now, whatever its state; `not_found` where there is none of this number. */
  getPullRequest(externalProjectId: string, number: number): Promise<PullRequest>;
  /** Opens a request; `invalid` if one for the same head and base is open already. */
  createPullRequest(externalProjectId: string, request: NewPullRequest): Promise<PullRequest>;
  /** The newest 30 requests of a branch of the project itself, whatever their state, newest first. */
  listPullRequests(externalProjectId: string, head: string): Promise<PullRequest[]>;
  updatePullRequest(
    externalProjectId: string,
    number: number,
    change: Partial<Pick<PullRequest, "title" | "body" | "draft" | "state">>,
  ): Promise<PullRequest>;
  /** Requests reviews in addition to earlier requests; a login that is no member is `invalid`. */
  requestReview(externalProjectId: string, number: number, logins: string[]): Promise<void>;
  /** Adds labels to a request; missing ones are created. */
  labelPullRequest(externalProjectId: string, number: number, labels: string[]): Promise<void>;
}

/** The review of a request (R-WORK-9). */
export interface Reviews {
  /**
   * All discussion of the request: threads on lines, texts of whole reviews, and comments under it (each a thread of
   * its own if the code host has no threads there). At most 1,000 comments, the newest ones.
   */
  listReviewThreads(externalProjectId: string, number: number): Promise<ReviewThread[]>;
  /** Replies in the thread, or under the request if the thread takes no replies. */
  replyToThread(externalProjectId: string, number: number, threadId: string, body: string): Promise<TrackerComment>;
  /** Comments on the request as a whole. */
  commentOn(externalProjectId: string, number: number, body: string): Promise<TrackerComment>;
}

/** The checks of a commit. */
export interface Checks {
  /** The newest outcome of each check on the commit; empty if there are none. */
  listChecks(externalProjectId: string, commit: string): Promise<CommitCheck[]>;
}

/** Where code lives. A tracker's rules for calls hold here too: no retries, and failures are `RelayError`s. */
export interface CodeHost extends Account, Permissions, Projects, Committing, PullRequests, Reviews, Checks {}

/** Issues and code in one place, with one account and one set of names: GitHub and GitLab. */
export type Forge = Tracker & CodeHost;
