import { HOSTED } from "../../adapters/trackers/registry.ts";
import { realpath } from "node:fs/promises";
import type { Explorer, OpenIndex } from "../../code/index/explorer.ts";
import type { CredentialSource } from "../../code/mirror/credential.ts";
import { type BranchOptions, localBranch, remoteBranch } from "../../code/mirror/branch-files.ts";
import { mirrorPath } from "../../code/mirror/mirror-directory.ts";
import { refreshMirror } from "../../code/mirror/refresh.ts";
import type { MirrorSource } from "../../code/mirror/remote.ts";
import type { FileBranch } from "../../adapters/spec-stores/git.ts";
import { type Repository, openRepository } from "../../code/git/repository.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { withSecrets } from "../../lib/own-secrets.ts";
import type { StoredRepository } from "../../storage/repositories.ts";
import type { CodeSource } from "../../implementation/worker.ts";

/** The code of repositories: directories on this machine, and mirrors of remote ones (R-EXP-4). */
export interface Repositories {
  /**
   * The code at the head of the default branch, or the checkout, open while `work` runs; nothing that is written then
   * shows what its protected files hold. Throws what `refreshMirror` and `openRepository` throw, and `config` for a
   * repository without code.
   */
  withCode: <T>(repository: StoredRepository, work: (code: Repository) => Promise<T>) => Promise<T>;
  /** The same for callers that create branches: includes the push target. */
  withSource: <T>(repository: StoredRepository, work: (source: CodeSource) => Promise<T>) => Promise<T>;
  /** A branch of the repository, read and written without a checkout. Throws `config` for a repository without code. */
  branchOf: (repository: StoredRepository, options: BranchOptions) => FileBranch;
  /** A local directory, at a commit or as checked out; open until everything is closed. */
  inDirectory: (directory: string, commit?: string) => Promise<Repository>;
  indexOf: (code: Repository) => Promise<OpenIndex>;
  close: () => Promise<void>;
}

interface Deps {
  home: string;
  clock: Clock;
  log: Log;
  /** The credential to fetch a remote repository with; null for a public one. */
  credentialFor: (repository: StoredRepository) => CredentialSource | null;
  /** What the protected files of open code hold. */
  secretsAt: (code: Repository) => Promise<readonly string[]>;
}

function isRemote(source: string): boolean {
  return /^(?:https?|ssh):\/\//.test(source);
}

/** The local directory of a repository's code after its first fetch; null for a repository without code. */
export function directoryOf({ cloneSource }: Pick<StoredRepository, "cloneSource">, home: string): string | null {
  return cloneSource === null || !isRemote(cloneSource) ? cloneSource : mirrorPath(home, cloneSource);
}

/** Loads the indexer's modules with the first index. */
async function openExplorer(gitDirectory: string, home: string): Promise<Explorer> {
  const { Explorer: Loaded } = await import("../../code/index/explorer.ts");
  return await Loaded.open(gitDirectory, home);
}

export function openRepositories({ home, clock, log, credentialFor, secretsAt }: Deps): Repositories {
  const kept = new Map<string, Promise<Repository>>();
  const explorers = new Map<string, Promise<Explorer>>();

  function remoteOf(url: string, repository: StoredRepository): MirrorSource {
    const credential = credentialFor(repository);
    const needs = repository.provider === "local" ? {} : { pushNeeds: HOSTED[repository.provider].pushNeeds };
    return { url, ...(credential ? { credential } : {}), ...needs };
  }

  function sourceOf(repository: StoredRepository): string | MirrorSource {
    const { cloneSource: source, externalProjectId } = repository;
    if (source === null) throw new RelayError("config", `${externalProjectId} has no code to look at`);
    if (!isRemote(source)) return source;
    return remoteOf(source, repository);
  }

  async function fetched(repository: StoredRepository): Promise<string> {
    const source = sourceOf(repository);
    return typeof source === "string" ? source : (await refreshMirror(source, { home, clock, log })).directory;
  }

  const withCode: Repositories["withCode"] = async (repository, work) => {
    const code = await openRepository(await fetched(repository));
    try {
      return await withSecrets(await secretsAt(code), async () => await work(code));
    } finally {
      await code.close();
    }
  };
  return {
    withCode,
    withSource: async (repository, work) =>
      await withCode(repository, async (code) => {
        const url = repository.cloneSource ?? "";
        const remote = isRemote(url) ? remoteOf(url, repository) : null;
        const refresh = async () => void (await fetched(repository));
        return await work({ code, defaultBranch: code.branch ?? "main", remote, refresh });
      }),
    branchOf: (repository, options) => {
      const source = sourceOf(repository);
      return typeof source === "string"
        ? localBranch(source, options)
        : remoteBranch(source, { home, clock, log }, options);
    },
    inDirectory: async (directory, commit) => {
      const key = `${await realpath(directory).catch(() => directory)} at ${commit ?? "what is checked out"}`;
      const opening = kept.get(key) ?? openRepository(directory, commit === undefined ? {} : { ref: commit });
      kept.set(key, opening);
      return await opening;
    },
    indexOf: async (code) => {
      const opening = explorers.get(code.gitDirectory) ?? openExplorer(code.gitDirectory, home);
      explorers.set(code.gitDirectory, opening);
      return await (await opening).at(code);
    },
    close: async () => {
      // The caller got the error; there is nothing to close.
      for (const explorer of explorers.values()) (await explorer.catch(() => null))?.close();
      for (const code of kept.values()) await (await code.catch(() => null))?.close();
    },
  };
}
