import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { git, gitIn } from "../../code/git/git.ts";
import { openRepository } from "../../code/git/repository.ts";
import { publicRemoteUrl, remotesOf } from "../../code/git/remote-url.ts";
import type { Db } from "../../storage/db.ts";
import { findRepositoriesNamed, findRepositoryAt } from "../../storage/repositories.ts";

/** The folder in which a client works on code. */
export interface Folder {
  /** As it was given. */
  path: string;
  /** The branch that is checked out now; null without one. */
  branch: () => Promise<string | null>;
  /** Ids of the repositories that Relay knows whose code this is; empty for others. */
  repositories: (db: Db) => Promise<string[]>;
}

export function folderAt(path: string): Folder {
  return {
    path,
    branch: async () => {
      const { code, stdout } = await gitIn(path, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
      return code === 0 ? stdout.toString("utf8").trim() || null : null;
    },
    repositories: async (db) => {
      const repository = await openRepository(path);
      try {
        const local = await Promise.all(
          [repository.root, await mainTree(repository.gitDirectory)].map(
            async (root) => await findRepositoryAt(db, await realpath(root)),
          ),
        );
        const hosted = (await remotesOf(repository.gitDirectory)).map(async (remote) => await clonedFrom(remote, db));
        return [...new Set([...local, ...(await Promise.all(hosted)).flat()].flatMap((known) => known?.id ?? []))];
      } finally {
        await repository.close();
      }
    },
  };
}

/** The work tree that a linked one (`git worktree`) belongs to. */
export async function mainTree(gitDirectory: string): Promise<string> {
  const { code, stdout } = await git(gitDirectory, ["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  return dirname(code === 0 ? stdout.toString("utf8").trim() : gitDirectory);
}

/** Repositories that are cloned from this address, by whatever protocol. */
async function clonedFrom(remote: string, db: Db) {
  const place = placeOf(remote);
  const named = await findRepositoriesNamed(db, place.path);
  return named.filter(({ cloneSource }) => {
    const source = cloneSource === null ? undefined : publicRemoteUrl(cloneSource);
    if (source === undefined) return false;
    const other = placeOf(source);
    return other.host === place.host && other.path.toLowerCase() === place.path.toLowerCase();
  });
}

function placeOf(remote: string): { host: string; path: string } {
  const { hostname, pathname } = new URL(remote);
  return { host: hostname.toLowerCase(), path: pathname.replace(/^\/+/, "").replace(/\/*(?:\.git)?\/*$/, "") };
}
