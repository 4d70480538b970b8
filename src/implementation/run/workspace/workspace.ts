import type { ChangedFile, Undone } from "../../../domain/work.ts";

/** What may not be changed, whoever asks (R-WORK-6). */
export interface ChangeRules {
  /** Globs of paths that no commit touches, beside Relay's own list (`.env*`, keys, CI files). */
  blocked: readonly string[];
  /** Globs that open paths of Relay's own list. */
  allowed: readonly string[];
  /** Files that the plan itself deletes: a test among them may go. */
  deletedByPlan: readonly string[];
}

export interface Settled {
  /** What differs from the last commit now; empty where the agent changed nothing that stands. */
  changed: ChangedFile[];
  undone: Undone[];
}

export interface Author {
  name: string;
  email: string;
}

/**
 * What became of a commit that a branch was to take in. `conflict`: the files have marks now, and the next commit, made
 * once none is left, is the merge. `apart`: no agent can bring these files together, and nothing was changed.
 */
export type BroughtIn = { kind: "merged" } | { kind: "conflict"; files: string[] } | { kind: "apart"; files: string[] };

export interface Merge {
  rules: ChangeRules;
  /** Of the merge commit, where nothing conflicts. */
  message: string;
  author: Author;
}

export type Rebased = { kind: "rebased" } | { kind: "conflict"; files: string[] };

/**
 * A working tree of one run, with Relay's own git directory beside it, out of reach of what runs in the tree: whatever
 * an agent does to the `.git` that it sees (commits, hooks, settings, branches) means nothing (R-WORK-2, R-WORK-6).
 */
export interface Workspace {
  /** Absolute path of the working tree. */
  readonly directory: string;
  /** Folders that belong to the run: the agent's home, and what package managers keep between runs of a repository. */
  readonly home: string;
  readonly cache: string;
  /** A folder in the tree for the agent's task, question and notes; never committed. */
  readonly notes: string;
  /** A folder for the sandbox, out of reach of the programs. */
  readonly outside: string;
  /** The commit where the branch began; another one once the branch was put on it. */
  readonly base: string;
  /** Folders outside the tree that its `.git` reads objects from: programs in the tree must be able to read them. */
  readonly objects: readonly string[];
  /** The newest commit. */
  head(): string;
  /** Gives the tree a new `.git` at `head`, so that nothing that was done to the one before lasts. */
  renew(): Promise<void>;
  /** Looks what was changed since `head`, and undoes what may not stand. */
  settle(rules: ChangeRules): Promise<Settled>;
  /** Files of a merge that have marks of it still, by what `settle` saw; empty where nothing is being merged. */
  unresolved(): string[];
  /** Commits what `settle` left; null where nothing differs, or a merge is not resolved. */
  commit(message: string, author: Author): Promise<string | null>;
  /** Takes back what checks left behind in files that git knows or would take in; ignored files stay. */
  tidy(): Promise<void>;
  /** What differs between `base` and `head`. */
  changes(): Promise<ChangedFile[]>;
  /** The same as a patch, at most `mostBytes` of it. */
  patch(mostBytes: number): Promise<string>;
  /**
   * Merges a commit that the source holds into the branch, and into the tree; what was not committed goes. From the merge on it is the `base`. A merge that was not committed before the end is gone.
   */
  bringIn(commit: string, merge: Merge): Promise<BroughtIn>;
  /**
   * Puts the run's commits on another commit, which the source holds, and the tree with them; what was not committed
   * goes. Where a commit does not fit there everything stays as it is, and the files tell where. For branches that
   * nobody has seen.
   */
  rebaseOnto(commit: string): Promise<Rebased>;
  /** Removes everything but what is kept between runs; the commits stay where a later run is to go on from them. */
  close(options?: { keepCommits?: boolean }): Promise<void>;
}
