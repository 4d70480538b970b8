import type { SpecRef } from "../../domain/spec.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { folderOf, issueIdIn, storedPath } from "./path.ts";
import type { SpecOwner, SpecStore, WriteResult } from "./spec-store.ts";
import { HISTORY, SIZE_LIMIT, checkSize, checkedText, earlierName, folderFor, settled } from "./versions.ts";
import { sha256Of } from "../../lib/sha256.ts";

/** A branch of a repository, read and written by commit, without a checkout. */
export interface FileBranch {
  /** Its newest commit, fetched; null if there is no such branch. */
  tip(): Promise<string | null>;
  /** Its newest commit as of the last fetch. */
  knownTip(): Promise<string | null>;
  /** The bytes of a plain file at a commit; null without it. `too_large` over `limit`, `forbidden` for a link. */
  read(commit: string, path: string, limit: number): Promise<Buffer | null>;
  /** All files below a folder at a commit, by full path. */
  filesIn(commit: string, folder: string): Promise<string[]>;
  /** The commits up to this one that changed a path, newest first. */
  changesOf(commit: string, path: string): Promise<{ commit: string; at: Date }[]>;
  /** Pushes one commit on top of `base`, only if the branch is still there; null if it is not. Throws `PushRefused`. */
  push(base: string | null, change: BranchChange): Promise<string | null>;
  /** The address of a file at a commit in a browser. */
  address(commit: string, path: string): Promise<string | null>;
}

/** The repository does not take the branch: Relay may not write to it, or a rule of it forbids that. */
export class PushRefused extends RelayError {}

interface BranchChange {
  /** New contents by path; null deletes the file. */
  files: ReadonlyMap<string, string | Buffer | null>;
  message: string;
  at: Date;
}

const placeOf = (ref: SpecRef): string => folderFor(ref, "git");

function refTo(folder: string, revision: string, sha256: string, updatedAt: Date): SpecRef {
  const path = storedPath(folder);
  return {
    version: 1,
    backend: "git",
    path,
    updated_at: updatedAt.toISOString(),
    sha256,
    format: "markdown",
    revision,
  };
}

async function bytesAt(branch: FileBranch, commit: string | null, path: string): Promise<Buffer | null> {
  return commit === null ? null : await branch.read(commit, path, SIZE_LIMIT);
}

/** Pushes that may lose a race: one of the racing pushes succeeds each time. */
const TRIES = 100;

/**
 * Specs on a branch of the issue's own repository (R-SPEC-9, R-SPEC-18): `issue_…/spec.md` with `history/` beside it,
 * one commit for each version, whose id is the version's address. A push is atomic and only moves the branch on from
 * the commit that was read, so that a crash leaves a whole version and concurrent writers lose nothing (R-SPEC-11).
 */
export function gitSpecStore({
  branch: branchName,
  branchOf,
  clock,
}: {
  branch: string;
  /** The branch of this name in the repository of an issue. */
  branchOf: (issueId: string) => Promise<FileBranch>;
  clock: Clock;
}): SpecStore {
  /** This version, or else the newest; null if the branch has none. */
  async function versionOf(ref: SpecRef): Promise<{ bytes: Buffer; commit: string } | null> {
    const path = storedPath(placeOf(ref));
    const branch = await branchOf(issueIdIn(placeOf(ref)));
    const isMeant = (bytes: Buffer | null): bytes is Buffer => bytes !== null && sha256Of(bytes) === ref.sha256;
    const { revision } = ref;
    if (revision !== undefined && (await bytesAt(branch, await branch.knownTip(), path)) !== null) {
      const bytes = await bytesAt(branch, revision, path);
      if (isMeant(bytes)) return { bytes, commit: revision };
    }
    const tip = await branch.tip();
    const newest = await bytesAt(branch, tip, path);
    if (tip === null || newest === null) return null;
    for (const { commit } of await branch.changesOf(tip, path)) {
      const bytes = await bytesAt(branch, commit, path);
      if (isMeant(bytes)) return { bytes, commit };
    }
    return { bytes: newest, commit: tip };
  }

  /** One try to write; null if the branch moved meanwhile. */
  async function written(
    branch: FileBranch,
    folder: string,
    { owner, content, previous }: { owner: SpecOwner; content: string; previous: SpecRef | null },
  ): Promise<WriteResult | null> {
    const tip = await branch.tip();
    const path = storedPath(folder);
    const before = await bytesAt(branch, tip, path);
    const sha256 = sha256Of(content);
    const files = new Map<string, string | Buffer>([[path, content]]);
    const versions = tip === null ? [] : await branch.changesOf(tip, path);
    const [newest] = versions;
    if (before !== null && tip !== null && newest !== undefined) {
      const found = refTo(folder, newest.commit, sha256Of(before), newest.at);
      const result = settled(found, sha256, previous);
      if (result !== null) return result;
      const there = new Set(await branch.filesIn(tip, `${folder}/${HISTORY}`));
      files.set(freeName(`${folder}/${HISTORY}`, Date.parse(previous?.updated_at ?? found.updated_at), there), before);
    }
    const now = clock.now();
    const message = `Spec of issue ${owner.externalIssueId}, version ${versions.length + 1}`;
    const commit = await branch.push(tip, { files, message, at: now });
    return commit === null ? null : { kind: "written", ref: refTo(folder, commit, sha256, now) };
  }

  return {
    backend: "git",
    read: async (ref) => checkedText((await versionOf(ref))?.bytes ?? null, ref, `the branch ${branchName}`),
    exists: async (ref) => (await versionOf(ref)) !== null,
    remove: async (ref) => {
      const folder = placeOf(ref);
      const branch = await branchOf(issueIdIn(folder));
      await untilPushed(branchName, async () => {
        const tip = await branch.tip();
        const files = tip === null ? [] : await branch.filesIn(tip, folder);
        if (files.length === 0) return true;
        const gone = new Map(files.map((file) => [file, null]));
        return await branch.push(tip, { files: gone, message: `Remove ${folder}`, at: clock.now() });
      });
      // Fetched, so that local references no longer show it either.
      await branch.tip();
    },
    where: (ref) => `${branchName}:${storedPath(placeOf(ref))}`,
    address: async (ref) => {
      const folder = placeOf(ref);
      const commit = ref.revision ?? (await versionOf(ref))?.commit;
      return commit === undefined
        ? null
        : await (await branchOf(issueIdIn(folder))).address(commit, storedPath(folder));
    },
    write: async (owner, content, previous) => {
      checkSize(content);
      const folder = previous === null ? folderOf(owner) : placeOf(previous);
      const branch = await branchOf(issueIdIn(folder));
      return await untilPushed(branchName, async () => await written(branch, folder, { owner, content, previous }));
    },
  };
}

/** Repeats the attempt until no other push comes in between. */
async function untilPushed<T>(branch: string, attempt: () => Promise<T | null>): Promise<T> {
  for (let n = 0; n < TRIES; n += 1) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new RelayError("conflict", `the branch ${branch} keeps being changed by others; try again later`, {
    retryable: true,
  });
}

function freeName(folder: string, from: number, taken: ReadonlySet<string>): string {
  for (let at = from; ; at += 1) {
    const name = `${folder}/${earlierName(at)}`;
    if (!taken.has(name)) return name;
  }
}
