import type { ChangedFile, CommitAuthor, RevertedChange } from "../../../domain/work.ts";

/** What a run may not change, no matter who asks for it (R-WORK-6). */
export interface ChangeRules {
  /**
   * Globs of paths that no commit may touch, in addition to Relay's own list (`.env*`, keys, CI files, settings of
   * editors).
   */
  blocked: readonly string[];
  /** Globs of exceptions from Relay's own list. */
  allowed: readonly string[];
  /**
   * Globs of paths that a person must look at if they change, in addition to Relay's own list; `!` exempts paths from
   * that list.
   */
  reviewed: readonly string[];
  /** Files that the plan deletes; these may be tests. */
  deletedByPlan: readonly string[];
  /** Secrets that the run's programs get: no commit may contain them. */
  secrets: readonly string[];
}

export interface ValidatedChanges {
  /** The changes since the last commit that passed the rules; empty if none did. */
  changed: ChangedFile[];
  reverted: RevertedChange[];
}

/**
 * Result of merging a commit into the branch. `conflict`: the files now have conflict markers; the next commit
 * completes the merge, once no markers are left. `unmergeable`: an agent cannot merge these files; nothing was changed.
 */
export type MergeResult =
  | { kind: "merged" }
  | { kind: "conflict"; files: string[] }
  | { kind: "unmergeable"; files: string[] };

export interface MergeOptions {
  rules: ChangeRules;
  /** The message of the merge commit, if nothing conflicts. */
  message: string;
  author: CommitAuthor;
}

export type Rebased = { kind: "rebased" } | { kind: "conflict"; files: string[] };

/**
 * The working tree of one run. Relay's own git directory is out of reach of programs in the tree, so whatever an agent
 * does to the `.git` that it sees (commits, hooks, settings, branches) has no effect (R-WORK-2, R-WORK-6).
 */
export interface Workspace {
  /** Absolute path of the working tree. */
  readonly directory: string;
  /** The home folder of the programs, and package manager caches; both belong to this run alone. */
  readonly home: string;
  readonly cache: string;
  /** A folder in the tree for the agent's task, question and notes; never committed. */
  readonly notes: string;
  /** A folder for the sandbox, out of reach of programs in it. */
  readonly outside: string;
  /** The commit where the branch starts; a rebase or merge changes it. */
  readonly base: string;
  /** Object folders outside the tree that its `.git` needs: programs in the tree must be able to read them. */
  readonly objects: readonly string[];
  /** The newest commit. */
  head(): string;
  /** Replaces the agent's `.git` with a fresh one at `head`, so that no change to the old one lasts. */
  renew(): Promise<void>;
  /** Collects the changes since `head`, and reverts those that break a rule. */
  validate(rules: ChangeRules): Promise<ValidatedChanges>;
  /** Files that still have conflict markers, as of the last `validate`; empty without a merge. */
  unresolved(): string[];
  /** Commits what `validate` allowed; null if nothing differs, or a merge is unresolved. */
  commit(message: string, author: CommitAuthor): Promise<string | null>;
  /** Reverts all uncommitted changes, such as files that checks wrote; ignored files stay. */
  tidy(): Promise<void>;
  /** The files that differ between `base` and `head`. */
  changes(): Promise<ChangedFile[]>;
  /** The same as a patch, at most `mostBytes` long. */
  patch(mostBytes: number): Promise<string>;
  /** A file at `base`, at `head` or in the tree, as text; null if it does not exist, or is longer than 4 MiB. */
  read(path: string, at: "base" | "head" | "tree"): Promise<string | null>;
  /** Does the work while the tree has no changes except in files that are kept. Uncommitted changes are lost. */
  withoutChanges<T>(isKept: (path: string) => boolean, work: () => Promise<T>): Promise<T>;
  /** Subjects of the branch's own commits. */
  subjects(): Promise<string[]>;
  /**
   * Merges a commit of the source into the branch and the tree; uncommitted changes are lost. After the merge, that
   * commit is the `base`. A merge with conflicts is lost unless it is committed.
   */
  mergeIn(commit: string, options: MergeOptions): Promise<MergeResult>;
  /**
   * Rebases the run's commits and the tree onto another commit of the source; uncommitted changes are lost. On a
   * conflict nothing changes. Only for branches that have not been published.
   */
  rebaseOnto(commit: string): Promise<Rebased>;
  /**
   * Stores the caches for later runs of the repository; call it only while they are as the set-up of the base left them
   * (R-WORK-10).
   */
  storeCache(): Promise<void>;
  /** Starts writing the files of `base` for `checkOutClean` in the background. */
  prepareClean(): void;
  /**
   * Checks `head` out into a separate tree, with a separate home and the stored caches, so that nothing in it was in
   * reach of an agent (R-WORK-10). Closing it leaves this workspace as it is. Only one at a time.
   */
  checkOutClean(): Promise<Workspace>;
  /** Removes everything but the stored caches; with `keepCommits`, a later run can continue from the commits. */
  close(options?: { keepCommits?: boolean }): Promise<void>;
}
