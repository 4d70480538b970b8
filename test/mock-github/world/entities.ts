/** What a GitHub has in it. Dates have whole seconds, as GitHub's have. */

export const ROLES = ["none", "read", "triage", "write", "maintain", "admin"] as const;
export type Role = (typeof ROLES)[number];

export const CONTENTS = ["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"] as const;
export type Content = (typeof CONTENTS)[number];

export type Permissions = Record<string, "read" | "write" | "admin">;

export interface Account {
  id: number;
  login: string;
  type: "User" | "Bot" | "Organization";
  name: string | null;
}

export interface Reaction {
  id: number;
  login: string;
  content: Content;
  createdAt: Date;
}

export interface Comment {
  id: number;
  author: string;
  body: string;
  /** The App that wrote it for its bot. */
  appId: number | null;
  createdAt: Date;
  updatedAt: Date;
  /** What only GraphQL tells: the last edit, and whether it is hidden. */
  edited?: { at: Date; by: string };
  minimized?: boolean;
  reactions: Reaction[];
}

export interface ReviewComment extends Comment {
  reviewId: number;
  path: string;
  line: number;
  inReplyTo: number | null;
}

export interface Review {
  id: number;
  author: string;
  body: string;
  state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED";
  submittedAt: Date;
}

export interface Pull {
  id: number;
  /** Of its head: a fork, or the repository that it is in. */
  headRepository: number;
  head: string;
  headSha: string;
  base: string;
  baseSha: string;
  draft: boolean;
  /** Null while GitHub finds out. */
  mergeable: boolean | null;
  mergedAt: Date | null;
  mergedBy: string | null;
  reviewers: string[];
  reviews: Review[];
  comments: ReviewComment[];
  /** The first comments of threads that somebody has settled. */
  resolved: Set<number>;
}

export const CONCLUSIONS = [
  "success",
  "failure",
  "neutral",
  "cancelled",
  "skipped",
  "timed_out",
  "action_required",
] as const;

/** What a job of a workflow, or another App, says of a commit. */
export interface CheckRun {
  id: number;
  sha: string;
  /** Runs of one workflow on one commit belong together; a job that is run again stays among them. */
  suiteId: number;
  name: string;
  conclusion: (typeof CONCLUSIONS)[number] | null;
  output: { title: string | null; summary: string | null; text: string | null };
  annotations: { path: string; line: number; level: "notice" | "warning" | "failure"; message: string }[];
  startedAt: Date;
  completedAt: Date | null;
}

/** What a service says of a commit in the older way. */
export interface CommitStatus {
  id: number;
  sha: string;
  context: string;
  state: "error" | "failure" | "pending" | "success";
  description: string | null;
  targetUrl: string | null;
  createdAt: Date;
}

/** An issue, or a pull request with what it has besides. */
export interface Item {
  id: number;
  number: number;
  title: string;
  body: string | null;
  author: string;
  appId: number | null;
  state: "open" | "closed";
  stateReason: "completed" | "not_planned" | "reopened" | null;
  labels: string[];
  assignees: string[];
  locked: boolean;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  closedBy: string | null;
  comments: Comment[];
  reactions: Reaction[];
  pull: Pull | null;
  gone: { kind: "deleted" } | { kind: "transferred"; repositoryId: number; number: number } | null;
}

export interface Label {
  id: number;
  name: string;
  color: string;
  description: string | null;
}

export interface Hook {
  id: number;
  url: string;
  secret: string;
  /** `*` for all. */
  events: string[];
  active: boolean;
  createdAt: Date;
}

export interface Repository {
  id: number;
  owner: string;
  name: string;
  /** Names that lead to it still. */
  formerNames: string[];
  private: boolean;
  archived: boolean;
  hasIssues: boolean;
  defaultBranch: string;
  cloneUrl: string | null;
  /** Name to commit. */
  branches: Map<string, string>;
  /** Branch, then path, to content. */
  files: Map<string, Map<string, string>>;
  collaborators: Map<string, Exclude<Role, "none">>;
  labels: Label[];
  items: Map<number, Item>;
  lastNumber: number;
  hooks: Hook[];
  checkRuns: CheckRun[];
  statuses: CommitStatus[];
  /** `commit workflow` to the id of its suite. */
  suites: Map<string, number>;
  createdAt: Date;
  updatedAt: Date;
}

export interface App {
  id: number;
  slug: string;
  name: string;
  owner: string;
  clientId: string;
  /** PEM of the key that its JWTs are checked with. */
  publicKey: string;
  permissions: Permissions;
  events: string[];
  hook: Hook | null;
  createdAt: Date;
}

export interface Installation {
  id: number;
  appId: number;
  account: string;
  /** Names of repositories of the account, or all of them. */
  repositories: "all" | string[];
  permissions: Permissions;
  suspendedAt: Date | null;
  createdAt: Date;
}

/** What a token stands for. */
export type Grant =
  /** Classic tokens have scopes; fine-grained ones have permissions, on all that their person may see. */
  | { kind: "user"; login: string; scopes: string[]; permissions: Permissions | null }
  | {
      kind: "installation";
      installationId: number;
      permissions: Permissions;
      repositories: number[] | null;
      expiresAt: Date;
    };
