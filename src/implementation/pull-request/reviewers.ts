import { findCodeOwners, ownersOf, parseCodeOwners } from "../../domain/code-owners.ts";
import type { Provider } from "../../domain/issue.ts";
import { TRACKERS } from "../../adapters/trackers/registry.ts";
import type { Projects } from "../../adapters/trackers/code-host.ts";

/** Reviewers of one change (R-WORK-7). */
const MOST = 5;
/** How many changed files are considered. */
const MOST_FILES = 2_000;

/** The CODEOWNERS file of the default branch; null without one. */
export async function codeOwnersOf(
  project: string,
  { codeHost, provider }: { codeHost: Pick<Projects, "readFile">; provider: Provider },
): Promise<string | null> {
  return await findCodeOwners(TRACKERS[provider].codeOwners, async (path) => codeHost.readFile(project, path));
}

/**
 * The owners of the changed files, those with the most files first, at most five. People only: no teams, roles or email
 * addresses, and not the author of the request.
 */
export function reviewersOf(
  codeOwners: string,
  paths: readonly string[],
  { provider, without }: { provider: Provider; without: readonly string[] },
): string[] {
  const file = parseCodeOwners(codeOwners, TRACKERS[provider].codeOwners);
  const left = new Set(without.map((login) => login.toLowerCase()));
  const owned = new Map<string, { login: string; files: number }>();
  for (const path of paths.slice(0, MOST_FILES)) {
    for (const owner of ownersOf(file, path)) {
      const login = /^@([\w.-]+)$/.exec(owner)?.[1];
      if (login === undefined || left.has(login.toLowerCase())) continue;
      const known = owned.get(login.toLowerCase());
      owned.set(login.toLowerCase(), { login: known?.login ?? login, files: (known?.files ?? 0) + 1 });
    }
  }
  return [...owned.values()]
    .toSorted((a, b) => b.files - a.files)
    .slice(0, MOST)
    .map(({ login }) => login);
}
