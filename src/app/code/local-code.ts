import { commitAt, git, isWithin } from "../../code/git/git.ts";
import { type Repository, openRepository } from "../../code/git/repository.ts";
import type { Db } from "../../storage/db.ts";
import { findRepository } from "../../storage/repositories.ts";
import { newestHead } from "../../storage/runs.ts";
import type { LocalCode } from "../../adapters/trackers/local/projects.ts";

/** The code of local projects for the local tracker: what is checked out in their folders. */
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
    commitAuthor: async (project) =>
      await at(
        project,
        async ({ gitDirectory }) => {
          const name = await settingOf(gitDirectory, "user.name");
          const email = await settingOf(gitDirectory, "user.email");
          return name === null || email === null ? null : { name, email };
        },
        null,
      ),
    endOf: async (project, { head, base }) =>
      await at(
        project,
        async ({ gitDirectory }) => {
          const onto = await commitAt(gitDirectory, `refs/heads/${base}`);
          const branch = await commitAt(gitDirectory, `refs/heads/${head}`);
          const commit = branch ?? (await newestHead(db, project, head));
          if (onto === null || commit === null) return null;
          if (await isTakenIn(gitDirectory, commit, onto)) return "merged";
          return branch === null ? "closed" : null;
        },
        null,
      ),
  };
}

async function settingOf(directory: string, setting: string): Promise<string | null> {
  const { code, stdout } = await git(directory, ["config", "--get", setting]);
  const value = stdout.toString("utf8").trim();
  return code !== 0 || value === "" ? null : value;
}

/** Whether the base has the commit, or the same content in all files that it changes: merged, rebased or squashed. */
async function isTakenIn(directory: string, commit: string, base: string): Promise<boolean> {
  if (await isWithin(directory, commit, base)) return true;
  const changed = await git(directory, ["diff", "--name-only", "--no-renames", "-z", `${base}...${commit}`]);
  const files = changed.stdout
    .toString("utf8")
    .split("\0")
    .filter((path) => path !== "");
  if (changed.code !== 0 || changed.truncated || files.length === 0) return false;
  return (await git(directory, ["diff", "--quiet", base, commit, "--", ...files])).code === 0;
}
