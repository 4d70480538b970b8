import type { Account, Permissions, Tracker, TrackerComment } from "./tracker.ts";

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

/** Projects, their branches and files. */
export interface Projects {
  getProject(externalProjectId: string): Promise<TrackerProject>;
  branchExists(externalProjectId: string, branch: string): Promise<boolean>;
  /** A text file of the default branch (`CODEOWNERS`, `.relay.yml`), at most 1 MiB; null where there is none. */
  readFile(externalProjectId: string, path: string): Promise<string | null>;
}

/** Requests that a branch be merged. */
export interface PullRequests {
  /** The request as it is now, whatever its state; `not_found` where there is none of this number. */
  getPullRequest(externalProjectId: string, number: number): Promise<PullRequest>;
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
  /** Adds labels to a request; missing ones are created. */
  labelPullRequest(externalProjectId: string, number: number, labels: string[]): Promise<void>;
}

/** The review of a request (R-WORK-9). */
export interface Reviews {
  /**
   * All that was said to the request: threads at lines, the words of whole reviews, and comments under it (each a
   * thread of its own, on trackers that have no threads there). At most 1,000 comments; the newest where there are more.
   */
  listReviewThreads(externalProjectId: string, number: number): Promise<ReviewThread[]>;
  /** Answers in the thread; under the request where a thread takes no answer. */
  replyToThread(externalProjectId: string, number: number, threadId: string, body: string): Promise<TrackerComment>;
}

/** What ran on a commit. */
export interface Checks {
  /** The newest outcome of each check on the commit; empty where there are none. */
  listChecks(externalProjectId: string, commit: string): Promise<CommitCheck[]>;
}

/** Where code lives. A tracker's rules for calls hold here too: one try each, and failures are `RelayError`s. */
export interface CodeHost extends Account, Permissions, Projects, PullRequests, Reviews, Checks {}

/** Issues and code in one place, with one account and one set of names: GitHub and GitLab. */
export type Forge = Tracker & CodeHost;
