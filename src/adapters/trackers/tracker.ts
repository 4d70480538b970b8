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
  /** Hidden from most people who can see the project's other issues. */
  confidential: boolean;
  /** Only people who may write can comment. */
  isLocked?: boolean;
  /** Closed here, since people moved it to another project. */
  isMoved?: boolean;
  /** Number of comments in its thread now, to compare a stored copy of the thread with (R-IN-5). */
  commentCount: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A comment as the tracker has it now. */
export interface TrackerComment {
  id: string;
  /** The thread it belongs to, where the tracker has threads; replies name it. */
  threadId: string | null;
  /** The comment that it answers, if the tracker says so. */
  replyToId: string | null;
  author: string;
  isBot: boolean;
  body: string;
  createdAt: Date;
  editedAt: Date | null;
}

export interface CommentPage {
  comments: TrackerComment[];
  /** Comments on this page that the tracker counts and Relay does not read, such as internal notes; 0 by default. */
  leftOut?: number;
  /** Cursor of the next page; null after the last one. */
  next: string | null;
}

/** What a tracker's lists do not tell about a comment. */
export interface CommentInspection {
  /** Null if nobody edited it; `by` is null if the tracker does not say who did last. */
  edit: { by: string | null } | null;
  /** Hidden by somebody who moderates the thread. */
  isMinimized: boolean;
}

export interface Votes {
  up: string[];
  down: string[];
}

/** An issue in a list, with the fields that show whether it changed. */
export type IssueGlance = IssueAddress & Pick<TrackerIssue, "state" | "assignees" | "commentCount" | "updatedAt">;

/** A pull request in such a list. */
export interface RequestGlance {
  number: number;
  state: "open" | "closed";
  updatedAt: Date;
}

export interface IssuePage {
  issues: IssueGlance[];
  /** Pull requests, where the tracker lists them with the issues. */
  requests?: RequestGlance[];
  next: string | null;
  /** For the next call, if the tracker can then say that nothing changed, by giving the same tag again. */
  tag?: string | null;
}

export interface Member {
  login: string;
  permission: Permission;
}

/** Relay's account in one place. */
export interface Account {
  readonly provider: Provider;
  /** Login that Relay's comments carry as their author. */
  readonly bot: string;
  /** Logins by which people assign and mention Relay, including `bot`. An App `x` writes as `x[bot]`. */
  readonly calledAs: readonly string[];
  /**
   * Milliseconds after which a write whose answer was lost has taken effect and is listed, or never will (R-IN-13). 0
   * if one look is enough.
   */
  readonly settlesAfterMs: number;
  /** Addresses of hosts that its operator lets Relay's links lead to, besides the tracker's (R-SAFE-7). */
  readonly linked?: readonly string[];
}

/** The permissions of people. */
export interface Permissions {
  /** What the person may do in the project at this moment (R-CONF-3); `none` for strangers. */
  permissionOf(externalProjectId: string, login: string): Promise<Permission>;
  /** The id of this login's account, which survives renames; null if there is none, or the tracker does not tell. */
  accountIdOf(externalProjectId: string, login: string): Promise<string | null>;
  /** Whether the account is a machine's, even if its comments do not show it: nothing that it says decides. */
  isBot(login: string): Promise<boolean>;
}

/** Who assigned an issue, and what that account may do, even if it is a bot. */
export interface Assigner {
  login: string;
  permission: Permission;
}

/**
 * Where issues live: their text, discussion, reactions, labels and people. It may have no code at all.
 *
 * Calls are made once: no method retries on its own, since only the executor knows whether a first try took effect
 * (R-ACT-5). Failures are `RelayError`s with `status` and `retryable`: `not_found`, `forbidden`, `invalid`,
 * `rate_limited`, `unavailable`, `timeout`.
 */
export interface Tracker extends Account, Permissions {
  /** Whether its issues can be confidential. */
  readonly hasConfidentialIssues: boolean;
  /** Whether people can hide a comment, which lists do not show. */
  readonly hasHiddenComments: boolean;
  /** The issue now; `not_found` for pull requests, which some trackers number with the issues. */
  getIssue(address: IssueAddress): Promise<TrackerIssue>;
  /** One page of at most 100 comments, oldest first (R-IN-5). `cursor` comes from the page before. */
  listComments(address: IssueAddress, cursor: string | null): Promise<CommentPage>;
  /** One comment now, for what a list does not show yet; `not_found` once it is deleted. Its thread may be left out. */
  getComment(address: IssueAddress, commentId: string): Promise<TrackerComment>;
  /**
   * All comments that were made or edited at `since` or later, oldest first, in a number of requests that does not
   * depend on the length of the thread. Null if the tracker cannot tell, or if there are more than some hundreds: fetch
   * the whole thread then. Deletions are not reported; the issue's `commentCount` shows them. `threads` are those that
   * an event named, for trackers that cannot say which thread a new reply is in.
   */
  listChangedComments(address: IssueAddress, since: Date, threads: readonly string[]): Promise<TrackerComment[] | null>;
  /**
   * Issues of a project that changed at `since` or later, open and closed, the earliest change first (R-IN-8). With
   * `assignee`, only those assigned to that login now. With the `tag` of an earlier page, returns no issues and the
   * same tag if nothing changed; this costs nothing on GitHub.
   */
  listIssues(
    externalProjectId: string,
    filter: { since: Date | null; assignee: string | null; tag?: string | null },
    cursor: string | null,
  ): Promise<IssuePage>;
  /**
   * Posts a comment, into a thread if `threadId` is given. Its text is kept exactly, except for line ends.
   * A blank comment, one with a NUL and one over 65,536 characters are `invalid`.
   */
  createComment(address: IssueAddress, body: string, threadId: string | null): Promise<TrackerComment>;
  updateComment(address: IssueAddress, commentId: string, body: string): Promise<TrackerComment>;
  /** Deletes a comment of Relay's own; `not_found` if it is gone. */
  deleteComment(address: IssueAddress, commentId: string): Promise<void>;
  /**
   * Who assigned the open issue to this login; `told` is the assigner according to an event. Null if only people with
   * triage permission can assign, and if the tracker does not say.
   */
  assignerOf(address: IssueAddress, assignee: string, told: string | null): Promise<Assigner | null>;
  /** Who edited a comment, and whether it is hidden. At most one request for a recent comment. */
  inspectComment(address: IssueAddress, commentId: string): Promise<CommentInspection>;
  /**
   * A reaction to a comment, or to the issue when `commentId` is null. Idempotent. The address may be that of a pull
   * request (`!7`); the thread of the comment then says which kind of comment it is.
   */
  addReaction(address: IssueAddress, commentId: string | null, emoji: string, threadId?: string | null): Promise<void>;
  /** Logins with a thumbs-up and with a thumbs-down on a comment, in one look. */
  listVotes(address: IssueAddress, commentId: string): Promise<Votes>;
  /** Logins with the reaction. */
  listReactions(address: IssueAddress, commentId: string | null, emoji: string): Promise<string[]>;
  /** Adds and removes labels; missing ones are created; all others are left alone (R-LIFE-5). */
  changeLabels(address: IssueAddress, change: { add: string[]; remove: string[] }): Promise<void>;
  /** People with more than read permission, or listed as members; at most 1,000. */
  listMembers(externalProjectId: string): Promise<Member[]>;
}

export function atLeast(permission: Permission, needed: Permission): boolean {
  return PERMISSIONS.indexOf(permission) >= PERMISSIONS.indexOf(needed);
}
