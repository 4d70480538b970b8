import {
  type OperatorLimits,
  type RepositorySettings,
  type SettingsOf,
  REPOSITORY_FILE,
  readRepositoryFile,
  unreadable,
  withoutFile,
} from "../../config/repository-file.ts";
import type { Repository } from "../../code/git/repository.ts";
import type { Log } from "../../lib/log.ts";
import { RelayError } from "../../lib/errors.ts";
import type { StoredRepository } from "../../storage/repositories.ts";

interface Deps {
  /** The operator's limits, now. */
  operator: OperatorLimits;
  log: Log;
  withCode: <T>(repository: StoredRepository, work: (code: Repository) => Promise<T>) => Promise<T>;
}

/**
 * Reads a repository's file on each use, so that a maintainer's ban takes effect at once. It comes from the default
 * branch of the tracker, so that no proposed change can widen anything; for a local repository, from the checkout.
 * Throws the tracker's transient errors.
 */
export function settingsReader({ operator, log, withCode }: Deps): SettingsOf {
  return async (repository, codeHost) => {
    const read = async () => {
      if (repository.provider !== "local")
        return await codeHost.readFile(repository.externalProjectId, REPOSITORY_FILE);
      if (repository.cloneSource === null) return null;
      return await withCode(repository, async (code) => await code.readFile(REPOSITORY_FILE));
    };
    const settings = await settingsFrom(read, operator);
    if (settings.problem !== null) {
      log.warn({ repository: repository.externalProjectId, problem: settings.problem }, "repository's settings");
    }
    return settings;
  };
}

/**
 * Globs of files that no model reads: the operator's, and those of the repository's own file at this commit (R-SAFE-7).
 */
export async function protectedIn(code: Repository, operator: readonly string[]): Promise<string[]> {
  const settings = await settingsFrom(async () => await code.readFile(REPOSITORY_FILE), {
    mode: "plan",
    fastTrack: false,
  });
  // The repository's globs come last: what it closes stays closed.
  return [...operator, ...settings.protectedFiles];
}

/** Parses a file's text into settings; `read` returns null if there is no file. */
export async function settingsFrom(
  read: () => Promise<string | null>,
  operator: OperatorLimits,
): Promise<RepositorySettings> {
  try {
    const text = await read();
    return text === null ? withoutFile(operator) : readRepositoryFile(text, operator);
  } catch (error) {
    if (!(error instanceof RelayError && UNREADABLE.has(error.code))) throw error;
    return unreadable(`${REPOSITORY_FILE}: ${error.message}`, operator);
  }
}

/** A link or a submodule, no text, or far too long. */
const UNREADABLE: ReadonlySet<string> = new Set(["forbidden", "invalid", "too_large"]);
