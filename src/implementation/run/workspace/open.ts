import { lstat, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import type { Clock } from "../../../lib/clock.ts";
import { RelayError } from "../../../lib/errors.ts";
import type { Merging } from "./import-files.ts";
import { bringInto, unresolvedAfter } from "./import-files.ts";
import { checkOut, makeRepository } from "./check-out.ts";
import type { Change } from "./contents.ts";
import { changedFile } from "./contents.ts";
import { mustGit, workGit } from "./git.ts";
import { Ignored } from "./ignored.ts";
import { readIndex } from "./index-file.ts";
import type { RunPlace } from "./place.ts";
import { cacheFolder, runPlace } from "./place.ts";
import { takePrepared } from "./prepared.ts";
import { putBack } from "./revert.ts";
import { recordCommit } from "./record.ts";
import { discard, removeAll } from "./remove.ts";
import { replayOnto } from "./replay.ts";
import { settleTree } from "./validate-changes.ts";
import type { Source } from "./source.ts";
import { carryObjects, describeSource, dropRunHead, keepRunHead } from "./source.ts";
import { NOTES, survey } from "./survey.ts";
import { makeNotes, makeThrowAway } from "./discard.ts";
import type { Author, BroughtIn, ChangeRules, Merge, Settled, Workspace } from "./workspace.ts";
import type { ChangedFile } from "../../../domain/work.ts";

const MOST_LISTED = 64 * 1024 * 1024;
/** Moves are shown as what they are to git: a file less and a file more. */
const PLAIN = ["--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none"];

/** What differs between two commits, in git's order. Of binary files no lines are counted. */
async function changesBetween(repository: string, base: string, head: string): Promise<ChangedFile[]> {
  const command = ["diff-tree", "-r", "-z", "--raw", "--numstat", ...PLAIN, base, head];
  const printed = await mustGit("compare commits", repository, command, { maxBytes: MOST_LISTED });
  const fields = printed.toString("utf8").split("\0");
  const kinds = new Map<string, ChangedFile["change"]>();
  const changed: ChangedFile[] = [];
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? "";
    const status = /^:\d+ \d+ \S+ \S+ ([A-Z])/.exec(field)?.[1];
    if (status !== undefined) {
      at += 1;
      kinds.set(fields[at] ?? "", status === "A" ? "added" : status === "D" ? "deleted" : "modified");
      continue;
    }
    const [, added, removed, path] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(field) ?? [];
    if (path === undefined) continue;
    changed.push({
      path,
      change: kinds.get(path) ?? "modified",
      addedLines: Number(added) || 0,
      removedLines: Number(removed) || 0,
    });
  }
  return changed;
}

/** The same as a patch; cut after `mostBytes`, at the end of a line. */
async function patchBetween(repository: string, base: string, head: string, mostBytes: number): Promise<string> {
  const command = ["diff-tree", "-r", "-p", ...PLAIN, base, head];
  const result = await workGit(repository, command, { maxBytes: mostBytes });
  const text = result.stdout.toString("utf8");
  return result.truncated ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
}

export interface WorkspaceRequest {
  /** `RELAY_HOME`. */
  home: string;
  /** Id of the run; names its folder and its ref. */
  run: string;
  /** The git directory that the run begins from: a mirror, or somebody's own repository. */
  source: string;
  /** Where the branch begins. */
  commit: string;
  /** The newest commit of the branch, where there is one: of this run before a crash, or of an earlier run. */
  resumeFrom?: string;
  /** Runs with the same key share what package managers keep. */
  cacheKey: string;
}

/**
 * Makes the working tree of a run at a commit, anew also where an earlier try left one (R-WORK-2, R-WORK-8). Throws
 * `RelayError`: `usage` where the source is no repository, `not_found` where it does not hold the commit, `io` for a
 * full disk.
 */
export async function openWorkspace(request: WorkspaceRequest, deps: { clock: Clock }): Promise<Workspace> {
  const { home, run, commit } = request;
  const place = runPlace(home, run);
  const source = await describeSource(request.source);
  const head = request.resumeFrom ?? commit;
  for (const name of [commit, head]) {
    if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name)) {
      throw new RelayError("internal", `${JSON.stringify(name)} is not the full name of a commit`);
    }
  }
  await removeAll(place.folder);
  await mkdir(dirname(place.folder), { recursive: true, mode: 0o700 });
  const isPrepared = await takePrepared(home, place, source, head);
  for (const folder of [place.tree, place.home, place.outside, place.trash]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  await writeFileAtomic(place.record, `${JSON.stringify({ source: source.directory })}\n`, { mode: 0o600 });
  if (!isPrepared) {
    await makeRepository(place, source);
    await checkOut(place, head);
  }
  await keepRunHead(source, run, head);
  const workspace = new GitWorkspace(place, source, await cacheFolder(home, request.cacheKey), deps.clock, {
    run,
    base: commit,
    head,
  });
  await workspace.renew();
  return workspace;
}

class GitWorkspace implements Workspace {
  readonly directory: string;
  readonly home: string;
  readonly cache: string;
  readonly notes: string;
  readonly outside: string;
  readonly objects: readonly string[];
  readonly #place: RunPlace;
  readonly #source: Source;
  readonly #clock: Clock;
  readonly #run: string;
  #base: string;
  #head: string;
  #pending: readonly Change[] = [];
  #merging: Merging | null = null;

  constructor(
    place: RunPlace,
    source: Source,
    cache: string,
    clock: Clock,
    at: { run: string; base: string; head: string },
  ) {
    this.directory = place.tree;
    this.home = place.home;
    this.cache = cache;
    this.notes = join(place.tree, NOTES);
    this.outside = place.outside;
    this.objects = [join(place.repository, "objects"), ...source.objects];
    this.#place = place;
    this.#source = source;
    this.#clock = clock;
    this.#run = at.run;
    this.#base = at.base;
    this.#head = at.head;
  }

  get base(): string {
    return this.#base;
  }

  head(): string {
    return this.#head;
  }

  async renew(): Promise<void> {
    const { tree, trash, repository } = this.#place;
    await this.#stand();
    const { format, shallow } = this.#source;
    await makeThrowAway({ tree, trash, repository, head: this.#merging?.scratch ?? this.#head, format, shallow });
    await makeNotes(tree, trash);
  }

  async settle(rules: ChangeRules): Promise<Settled> {
    this.#pending = [];
    await this.#stand();
    const { changes, undone } = await settleTree(await this.#ground(), this.#place, rules, this.#merging?.files);
    this.#pending = changes;
    return { changed: changes.map(changedFile), undone };
  }

  unresolved(): string[] {
    return this.#merging === null ? [] : unresolvedAfter(this.#merging, this.#pending);
  }

  async commit(message: string, author: Author): Promise<string | null> {
    if (this.#pending.length === 0 || this.unresolved().length > 0) return null;
    const { repository, staging } = this.#place;
    const commit = await recordCommit(this.#pending, {
      repository,
      staging,
      parents: this.#merging === null ? [this.#head] : [this.#head, this.#merging.commit],
      message,
      author,
      at: this.#clock.now(),
    });
    this.#pending = [];
    await this.#moveTo(commit);
    if (this.#merging !== null) this.#base = this.#merging.commit;
    this.#merging = null;
    return commit;
  }

  async tidy(): Promise<void> {
    await this.#stand();
    for (const { path, head } of await survey(await this.#ground())) await putBack(this.#place, path, head);
  }

  async changes() {
    return await changesBetween(this.#place.repository, this.#base, this.#head);
  }

  async patch(mostBytes: number): Promise<string> {
    return await patchBetween(this.#place.repository, this.#base, this.#head, mostBytes);
  }

  async bringIn(commit: string, merge: Merge): Promise<BroughtIn> {
    const brought = await bringInto(this.#place, this.#head, commit, { ...merge, at: this.#clock.now() });
    if (brought.kind === "apart") return brought;
    if (brought.kind === "merged") {
      await this.#moveTo(brought.head);
      this.#base = commit;
      await this.#lay(brought.head);
      return { kind: "merged" };
    }
    this.#merging = brought;
    await this.#lay(brought.scratch);
    return { kind: "conflict", files: this.unresolved() };
  }

  async rebaseOnto(commit: string) {
    const { repository } = this.#place;
    const replayed = await replayOnto(repository, this.#base, this.#head, commit);
    if (replayed.kind === "conflict") return replayed;
    this.#base = commit;
    await this.#moveTo(replayed.head);
    await this.#lay(replayed.head);
    return { kind: "rebased" as const };
  }

  async close(options: { keepCommits?: boolean } = {}): Promise<void> {
    await removeAll(this.#place.folder);
    if (options.keepCommits === true) return;
    await dropRunHead(this.#source.directory, this.#run).catch((error: unknown) => {
      // The repository itself may be gone, and the ref with it.
      if (!(error instanceof RelayError) || error.code !== "usage") throw error;
    });
  }

  /** Brings the tree to a commit; what was not committed goes. */
  async #lay(commit: string): Promise<void> {
    this.#pending = [];
    await mustGit("bring the tree to another commit", this.#place.repository, ["read-tree", "-m", "-i", commit]);
    await this.tidy();
    await this.renew();
  }

  /** Objects first, so that no ref ever names what is not there. */
  async #moveTo(commit: string): Promise<void> {
    const { repository } = this.#place;
    await carryObjects(join(repository, "objects"), this.#source);
    await keepRunHead(this.#source, this.#run, commit);
    this.#head = commit;
  }

  async #ground() {
    const { tree, repository, shadow } = this.#place;
    const { format } = this.#source;
    const tracked = await readIndex(join(repository, "index"), format === "sha1" ? 20 : 32);
    return { tree, tracked, format, ignored: new Ignored(repository, tree, shadow) };
  }

  /** The tree is a folder, whatever became of it. */
  async #stand(): Promise<void> {
    const { tree, trash } = this.#place;
    const found = await lstat(tree).catch(() => null);
    if (found?.isDirectory()) return;
    await discard(tree, trash);
    await mkdir(tree, { mode: 0o700 });
  }
}
