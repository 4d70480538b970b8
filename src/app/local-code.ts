import { commitAt } from "../code/git/git.ts";
import { type Repository, openRepository } from "../code/git/repository.ts";
import type { Db } from "../storage/db.ts";
import { findRepository } from "../storage/repositories.ts";
import type { LocalCode } from "../adapters/trackers/local/projects.ts";

/** The code of local projects, as their tracker reads it: what is checked out in their folders. */
export function localCode(db: Db): LocalCode {
  const at = async <T>(project: string, look: (code: Repository) => Promise<T>, otherwise: T): Promise<T> => {
    const source = (await findRepository(db, "local", project))?.cloneSource ?? null;
    if (source === null) return otherwise;
    const code = await openRepository(source);
    try {
      return await look(code);
    } finally {
      await code.close();
    }
  };
  return {
    defaultBranch: async (project) =>
      await at(project, async ({ branch }) => await Promise.resolve(branch ?? "main"), "main"),
    branchExists: async (project, branch) =>
      await at(
        project,
        async ({ gitDirectory }) => (await commitAt(gitDirectory, `refs/heads/${branch}`)) !== null,
        false,
      ),
    readFile: async (project, path) => await at(project, async (code) => await code.readFile(path), null),
  };
}
