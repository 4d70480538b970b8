import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import type { Clock } from "../../../lib/clock.ts";
import { RelayError } from "../../../lib/errors.ts";
import { type PendingMerge, mergeCommit, unresolvedAfter } from "./merge-branch.ts";
import { type Change, changedFile } from "./content-rules.ts";
import { mustGit } from "./git.ts";
import { BlobReader } from "../../../code/git/blobs.ts";
import { Ignored } from "./ignored.ts";
import { readIndex } from "./index-file.ts";
import { storeCache } from "./package-caches.ts";
import { type RunPaths, pathsIn, runPaths, storedCache } from "./run-paths.ts";
import { makeFolders, prepareTree } from "./prepared-trees.ts";
import { agentSettings } from "./protected-paths.ts";
import { revertPath } from "./revert.ts";
import { changesBetween, patchBetween } from "./differences.ts";
import { commitChanges } from "./commit.ts";
import { discard, removeAll } from "./remove.ts";
import { rebaseOnto } from "./rebase.ts";
import { validateChanges } from "./validate-changes.ts";
import { type Source, copyObjects, describeSource, dropRunHead, keepRunHead } from "./source.ts";
import { treeWithout } from "./tree-without.ts";
import { NOTES, scanTree } from "./scan-tree.ts";
import { readPlain } from "./plain-file.ts";
import { prepareNotes, makeAgentGit } from "./agent-git.ts";
import type { CommitAuthor } from "../../../domain/work.ts";
import type { MergeResult, ChangeRules, MergeOptions, ValidatedChanges, Workspace } from "./workspace.ts";

const MOST_READ = 4 * 1024 * 1024;
export interface WorkspaceRequest {
  /** `RELAY_HOME`. */
  home: string;
  /** Id of the run: names its folder and its ref. */
  run: string;
  /** The git directory that the run starts from: a mirror, or a user's own repository. */
  source: string;
  /** The commit where the branch starts. */
  commit: string;
  /** The newest commit of the branch, from this run before a crash or from an earlier run. */
  resumeFrom?: string;
  /** Runs with the same key start with the same package manager caches. */
  cacheKey: string;
}

/**
 * Creates the working tree of a run at a commit, and replaces one that an earlier attempt left (R-WORK-2, R-WORK-8).
 * Throws `RelayError`: `usage` if the source is not a repository, `not_found` if it lacks the commit, `io` for a full
 * disk.
 */
export async function openWorkspace(request: WorkspaceRequest, deps: { clock: Clock }): Promise<Workspace> {
  const { home, run, commit } = request;
  const paths = runPaths(home, run);
  const source = await describeSource(request.source);
  const head = request.resumeFrom ?? commit;
  for (const name of [commit, head]) {
    if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name)) {
      throw new RelayError("internal", `${JSON.stringify(name)} is not the full name of a commit`);
    }
  }
  const stored = storedCache(home, request.cacheKey);
  await makeFolders(paths, source, { home, stored, head });
  await writeFileAtomic(paths.record, `${JSON.stringify({ source: source.directory })}\n`, { mode: 0o600 });
  await keepRunHead(source, run, head);
  const workspace = new GitWorkspace(paths, source, { run, relayHome: home, stored, base: commit, head }, deps.clock);
  await workspace.renew();
  return workspace;
}

interface Place {
  /** Null for a clean checkout, which keeps no commits. */
  run: string | null;
  /** `RELAY_HOME`. */
  relayHome: string;
  /** The stored caches. */
  stored: string;
  base: string;
  head: string;
}

class GitWorkspace implements Workspace {
  readonly directory: string;
  readonly home: string;
  readonly cache: string;
  readonly notes: string;
  readonly outside: string;
  readonly objects: readonly string[];
  readonly #paths: RunPaths;
  readonly #source: Source;
  readonly #clock: Clock;
  readonly #place: Readonly<Place>;
  #preparing: Promise<void> | null = null;
  #reader: BlobReader | undefined;
  #base: string;
  #head: string;
  #pending: readonly Change[] = [];
  #pendingMerge: PendingMerge | null = null;

  constructor(paths: RunPaths, source: Source, place: Place, clock: Clock) {
    this.directory = paths.tree;
    this.home = paths.home;
    this.cache = paths.cache;
    this.notes = join(paths.tree, NOTES);
    this.outside = paths.outside;
    this.objects = [join(paths.repository, "objects"), ...source.objects];
    this.#paths = paths;
    this.#source = source;
    this.#clock = clock;
    this.#place = place;
    this.#base = place.base;
    this.#head = place.head;
  }

  get base(): string {
    return this.#base;
  }

  head(): string {
    return this.#head;
  }

  async renew(): Promise<void> {
    const { tree, trash, repository } = this.#paths;
    await this.#ensureFolder();
    const { format, shallow } = this.#source;
    await makeAgentGit({ tree, trash, repository, head: this.#pendingMerge?.markers ?? this.#head, format, shallow });
    await prepareNotes(tree, trash);
  }

  async validate(rules: ChangeRules): Promise<ValidatedChanges> {
    this.#pending = [];
    await this.#ensureFolder();
    const { changes, reverted } = await validateChanges(
      // Settings that an agent leaves behind must not affect its next run, even if git ignores them.
      { ...(await this.#scanContext()), neverIgnored: agentSettings(rules) },
      { ...this.#paths, source: this.#source.directory },
      rules,
      this.#pendingMerge?.files,
    );
    this.#pending = changes;
    return { changed: changes.map(changedFile), reverted };
  }

  unresolved(): string[] {
    return this.#pendingMerge === null ? [] : unresolvedAfter(this.#pendingMerge, this.#pending);
  }

  async commit(message: string, author: CommitAuthor): Promise<string | null> {
    if (this.#pending.length === 0 || this.unresolved().length > 0) return null;
    const { repository, staging } = this.#paths;
    const commit = await commitChanges(this.#pending, {
      repository,
      staging,
      parents: this.#pendingMerge === null ? [this.#head] : [this.#head, this.#pendingMerge.commit],
      message,
      author,
      at: this.#clock.now(),
    });
    this.#pending = [];
    await this.#advanceTo(commit);
    if (this.#pendingMerge !== null) this.#base = this.#pendingMerge.commit;
    this.#pendingMerge = null;
    return commit;
  }

  async tidy(): Promise<void> {
    await this.#ensureFolder();
    for (const { path, head } of await scanTree(await this.#scanContext())) await revertPath(this.#paths, path, head);
  }

  async changes() {
    return await changesBetween(this.#paths.repository, this.#base, this.#head);
  }

  async patch(mostBytes: number): Promise<string> {
    return await patchBetween(this.#paths.repository, this.#base, this.#head, mostBytes);
  }

  async read(path: string, at: "base" | "head" | "tree"): Promise<string | null> {
    if (at === "tree") {
      const content = await readPlain(this.directory, Buffer.from(path).toString("latin1"), MOST_READ);
      return content === null ? null : content.toString("utf8");
    }
    if (!this.#reader?.alive) this.#reader = new BlobReader(this.#paths.repository, MOST_READ);
    const found = await this.#reader.read(`${at === "base" ? this.#base : this.#head}:${path}`);
    return found.kind === "blob" ? found.content.toString("utf8") : null;
  }

  async withoutChanges<T>(isKept: (path: string) => boolean, work: () => Promise<T>): Promise<T> {
    await this.#checkOut(await treeWithout(this.#paths, { base: this.#base, head: this.#head }, isKept));
    try {
      return await work();
    } finally {
      await this.#checkOut(this.#head);
    }
  }

  async subjects(): Promise<string[]> {
    const range = `${this.#base}..${this.#head}`;
    const read = ["log", "--first-parent", "--format=%s", range];
    const printed = (await mustGit("list the commits", this.#paths.repository, read)).toString("utf8");
    return printed.split("\n").filter((line) => line !== "");
  }

  async mergeIn(commit: string, options: MergeOptions): Promise<MergeResult> {
    const merged = await mergeCommit(this.#paths, this.#head, commit, { ...options, at: this.#clock.now() });
    if (merged.kind === "unmergeable") return merged;
    if (merged.kind === "merged") {
      await this.#advanceTo(merged.head);
      this.#base = commit;
      await this.#checkOut(merged.head);
      return { kind: "merged" };
    }
    this.#pendingMerge = merged;
    await this.#checkOut(merged.markers);
    return { kind: "conflict", files: this.unresolved() };
  }

  async rebaseOnto(commit: string) {
    const { repository } = this.#paths;
    const rebased = await rebaseOnto(repository, this.#base, this.#head, commit);
    if (rebased.kind === "conflict") return rebased;
    this.#base = commit;
    await this.#advanceTo(rebased.head);
    await this.#checkOut(rebased.head);
    return { kind: "rebased" as const };
  }

  async storeCache(): Promise<void> {
    await storeCache(this.cache, this.#place.stored);
  }

  prepareClean(): void {
    // If this fails, checkOutClean tries again and reports the error.
    this.#preparing ??= prepareTree(this.#place.relayHome, this.#source.directory, this.#base).catch(() => undefined);
  }

  async checkOutClean(): Promise<Workspace> {
    await this.#preparing;
    const [paths, source] = [pathsIn(this.#paths.clean), this.#source];
    const { relayHome: home, stored } = this.#place;
    await makeFolders(paths, source, { home, stored, head: this.#head });
    const place = { ...this.#place, run: null, base: this.#base, head: this.#head };
    const workspace = new GitWorkspace(paths, source, place, this.#clock);
    await workspace.renew();
    return workspace;
  }

  async close(options: { keepCommits?: boolean } = {}): Promise<void> {
    await this.#preparing;
    this.#reader?.close();
    await removeAll(this.#paths.folder);
    const { run } = this.#place;
    if (options.keepCommits === true || run === null) return;
    await dropRunHead(this.#source.directory, run).catch((error: unknown) => {
      // The repository itself may be gone, and the ref with it.
      if (!(error instanceof RelayError) || error.code !== "usage") throw error;
    });
  }

  /** Resets the tree to a commit; uncommitted changes are lost. */
  async #checkOut(commit: string): Promise<void> {
    this.#pending = [];
    await mustGit("bring the tree to another commit", this.#paths.repository, ["read-tree", "-m", "-i", commit]);
    await this.tidy();
    await this.renew();
  }

  /** Copies objects first, so that a ref never points at a missing commit. */
  async #advanceTo(commit: string): Promise<void> {
    const { repository } = this.#paths;
    await copyObjects(join(repository, "objects"), this.#source);
    if (this.#place.run !== null) await keepRunHead(this.#source, this.#place.run, commit);
    this.#head = commit;
  }

  async #scanContext() {
    const { tree, repository, shadow } = this.#paths;
    const { format } = this.#source;
    const tracked = await readIndex(join(repository, "index"), format === "sha1" ? 20 : 32);
    return { tree, tracked, format, ignored: new Ignored(repository, tree, shadow) };
  }

  /** Makes the tree a folder again if an agent removed or replaced it. */
  async #ensureFolder(): Promise<void> {
    const { tree, trash } = this.#paths;
    const found = await lstat(tree).catch(() => null);
    if (found?.isDirectory()) return;
    await discard(tree, trash);
    await mkdir(tree, { mode: 0o700 });
  }
}
