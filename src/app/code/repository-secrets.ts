import { type Repository, openRepository } from "../../code/git/repository.ts";
import { protectedValues } from "../../code/tools/protected-values.ts";
import type { Issue } from "../../domain/issue.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { Db } from "../../storage/db.ts";
import { repositoriesOf } from "../../storage/repositories.ts";
import { directoryOf } from "./repositories.ts";
import { protectedIn } from "./repository-settings.ts";

/** Milliseconds after which another process may have fetched newer code. */
const HOLDS_MS = 60_000;
/** Repositories whose values are kept in memory: those that were used last. */
const MOST_KEPT = 200;

/** The secrets in the protected files of an open commit, which Relay writes nowhere (R-SAFE-7); read once. */
export type SecretsAt = (code: Repository) => Promise<readonly string[]>;

/** `protect`: the operator's globs of protected files. */
export function secretsAt(protect: readonly string[]): SecretsAt {
  const kept = new Map<string, { commit: string; values: readonly string[] }>();
  return async (code) => {
    const known = kept.get(code.gitDirectory);
    if (known?.commit === code.commit) return known.values;
    const found = await protectedValues(code, await protectedIn(code, protect));
    // The same values are the same array, so that their pattern is compiled once.
    const isSame = found.join("\n") === known?.values.join("\n");
    const values = isSame && known !== undefined ? known.values : found;
    keep(kept, code.gitDirectory, { commit: code.commit, values });
    return values;
  };
}

interface Deps {
  db: () => Db;
  home: string;
  clock: Clock;
  log: Log;
  secretsAt: SecretsAt;
}

/**
 * The secrets in the code of an issue as it was fetched last, cached for a minute. Empty before the first fetch, and,
 * with a warning, if the code cannot be read.
 */
export function secretsOfIssues({
  db,
  home,
  clock,
  log,
  secretsAt: at,
}: Deps): (issue: Issue) => Promise<readonly string[]> {
  const looked = new Map<string, { at: number; values: readonly string[] }>();

  const valuesIn = async (directory: string): Promise<readonly string[]> => {
    const now = clock.now().getTime();
    const last = looked.get(directory);
    if (last !== undefined && now - last.at < HOLDS_MS) return last.values;
    const code = await openRepository(directory).catch(unlessAbsent);
    if (code === null) return [];
    try {
      const values = await at(code);
      keep(looked, directory, { at: now, values });
      return values;
    } finally {
      await code.close();
    }
  };
  return async (issue) => {
    const directories = (await repositoriesOf(db(), issue)).flatMap((one) => directoryOf(one, home) ?? []);
    const values = directories.map(async (directory) => await valuesIn(directory));
    const [first = [], ...others] = await Promise.all(values).catch((error: unknown) => {
      log.warn({ issue_id: issue.id, error: messageOf(error) }, "cannot read what its protected files hold");
      return [];
    });
    return others.length === 0 ? first : [first, ...others].flat();
  };
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_KEPT && oldest !== undefined) map.delete(oldest);
}

/** No clone yet, or none any more. */
function unlessAbsent(error: unknown): null {
  if (error instanceof RelayError && error.code === "usage") return null;
  throw error;
}
