import type { Clock } from "../../src/lib/clock.ts";
import { Lags, type Reading } from "../support/lag.ts";

/** A job of a pipeline, or what another service said of a commit. */
export interface CommitStatus {
  id: number;
  sha: string;
  ref: string;
  pipelineId: number;
  name: string;
  status: "created" | "pending" | "running" | "success" | "failed" | "canceled" | "skipped" | "manual";
  description: string | null;
  targetUrl: string | null;
  allowFailure: boolean;
  /** The log of a job; null for what is none. */
  trace: string | null;
  author: User;
  createdAt: Date;
}

/** As GitLab numbers them: 10 guest, 15 planner, 20 reporter, 30 developer, 40 maintainer, 50 owner. */
export type AccessLevel = 0 | 5 | 10 | 15 | 20 | 30 | 40 | 50;

export interface User {
  id: number;
  username: string;
  name: string;
  bot: boolean;
  state: "active" | "blocked";
}

export interface Award {
  id: number;
  name: string;
  user: User;
  createdAt: Date;
}

export interface Note {
  id: number;
  discussionId: string;
  /** Null for a note on its own; a reply turns it into a `DiscussionNote`. */
  type: "DiscussionNote" | "DiffNote" | null;
  body: string;
  author: User;
  system: boolean;
  /** Only for members with at least the planner's role. */
  internal: boolean;
  createdAt: Date;
  updatedAt: Date;
  awards: Award[];
  /** The line of a merge request's changes that a `DiffNote` is at. */
  position: { path: string; line: number } | null;
  resolved: { by: User; at: Date } | null;
  /** By whom its text was changed last. */
  edited: { by: User; at: Date } | null;
}

/** What issues and merge requests have in common: a thread, awards, labels, people. */
export interface Noteable {
  kind: "Issue" | "MergeRequest";
  id: number;
  iid: number;
  title: string;
  description: string;
  author: User;
  state: "opened" | "closed" | "merged";
  assignees: User[];
  labels: string[];
  notes: Note[];
  awards: Award[];
  locked: boolean;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
}

export interface Issue extends Noteable {
  kind: "Issue";
  confidential: boolean;
  type: "Issue" | "Task" | "Test Case";
}

export interface MergeRequest extends Noteable {
  kind: "MergeRequest";
  /** A fork, or the project itself. */
  sourceProjectId: number;
  sourceBranch: string;
  targetBranch: string;
  /** Null while GitLab finds out. */
  conflicts: boolean | null;
  reviewers: User[];
}

export interface Label {
  id: number;
  name: string;
  color: string;
}

export interface Hook {
  id: number;
  url: string;
  /** Sent as `X-Gitlab-Token`. */
  token: string | null;
  /** `whsec_` and base64: signs each delivery. */
  signingToken: string | null;
  events: {
    issues: boolean;
    confidentialIssues: boolean;
    notes: boolean;
    confidentialNotes: boolean;
    mergeRequests: boolean;
    pipelines: boolean;
    emoji: boolean;
  };
  createdAt: Date;
  log: HookEvent[];
}

/** One delivery as GitLab logs it; a resend makes another with the same key. */
export interface HookEvent {
  id: number;
  trigger: string;
  headers: Record<string, string>;
  body: string;
  responseStatus: string;
  responseBody: string;
  createdAt: Date;
}

export interface Project {
  id: number;
  path: string;
  visibility: "private" | "public";
  /** Where its code is, if not below the mock's own address. */
  cloneUrl: string | null;
  members: Map<number, AccessLevel>;
  labels: Label[];
  issues: Issue[];
  mergeRequests: MergeRequest[];
  /** Name to commit. */
  branches: Map<string, string>;
  /** `ref:path` to content. */
  files: Map<string, string>;
  hooks: Hook[];
  statuses: CommitStatus[];
}

export interface State {
  users: User[];
  projects: Project[];
  tokens: Map<string, { user: User; scopes: string[] }>;
  nextId(): number;
  /** Fields of GraphQL's notes that an older server does not have. */
  lackingFields: string[];
  /** Reading that is behind. */
  lags: Lags<Note>;
  /** The time of a change: later than that of each change before, so that an edit always shows. */
  now(): Date;
}

export function emptyState(clock: Clock): State {
  let id = 100;
  let last = 0;
  return {
    users: [],
    projects: [],
    tokens: new Map(),
    lackingFields: [],
    lags: new Lags(() => clock.now().getTime()),
    nextId: () => (id += 1),
    now: () => {
      last = Math.max(clock.now().getTime(), last + 1);
      return new Date(last);
    },
  };
}

/** What is read of an issue or request now. */
export function asRead<N extends Noteable>({ lags }: State, noteable: N, reading: Reading): N {
  const { notes, updatedAt } = noteable;
  const { comments, ...seen } = lags.seen(noteable, noteable.iid, reading, { comments: notes, updatedAt });
  return { ...noteable, updatedAt: seen.updatedAt, notes: [...comments] };
}

export function findUser(state: State, username: string): User | undefined {
  return state.users.find((user) => user.username.toLowerCase() === username.toLowerCase());
}

/** By number or by path, as the first segment of most addresses has it. */
export function findProject(state: State, key: string): Project | undefined {
  return state.projects.find(
    (project) => String(project.id) === key || project.path.toLowerCase() === key.toLowerCase(),
  );
}

export function levelOf(project: Project, user: User): AccessLevel {
  return user.state === "active" ? (project.members.get(user.id) ?? 0) : 0;
}
