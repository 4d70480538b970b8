import { existsSync } from "node:fs";
import { git, gitIn } from "../../code/git/git.ts";
import type { Db } from "../../storage/db.ts";
import { getRepository } from "../../storage/repositories.ts";
import { directoryOf } from "./repositories.ts";

/** The differences between two commits: one patch a file, as git prints it. */
export interface Changes {
  patches: string[];
  /** Whether the diff was too large, so that its last files are missing. */
  isCut: boolean;
}

const MOST_BYTES = 2 * 1024 * 1024;
const COMMIT = /^[0-9a-f]{7,64}$/;

/**
 * The changes of `head` since it left `base`. Reads only what is on this machine, and fetches nothing; null if the
 * repository or one of the commits is not there.
 */
export async function changesBetween(
  repositoryId: string,
  { base, head }: { base: string; head: string },
  { db, home }: { db: Db; home: string },
): Promise<Changes | null> {
  if (!COMMIT.test(base) || !COMMIT.test(head)) return null;
  const directory = directoryOf(await getRepository(db, repositoryId), home);
  if (directory === null || !existsSync(directory)) return null;
  const found = await gitIn(directory, ["rev-parse", "--absolute-git-dir"]);
  if (found.code !== 0) return null;
  const options = ["--no-ext-diff", "--no-textconv", "--no-renames", "--no-color"];
  const gitDirectory = found.stdout.toString("utf8").trim();
  const patch = await git(gitDirectory, ["diff", ...options, `${base}...${head}`], { maxBytes: MOST_BYTES });
  if (patch.code !== 0 && !patch.truncated) return null;
  const patches = patch.stdout
    .toString("utf8")
    .split(/^(?=diff --git )/m)
    .filter((one) => one !== "");
  // The last patch is cut off.
  return { patches: patch.truncated ? patches.slice(0, -1) : patches, isCut: patch.truncated };
}
