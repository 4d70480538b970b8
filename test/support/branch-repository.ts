import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A bare repository in a folder with one empty commit on `main`. */
export async function newBranchRepository(folder: string): Promise<string> {
  const repository = join(folder, "shop.git");
  await run("git", ["init", "--quiet", "--bare", "--initial-branch=main", repository]);
  const made = await run("git", ["-C", repository, "hash-object", "-t", "tree", "-w", "/dev/null"]);
  const person = ["-c", "user.name=mia", "-c", "user.email=mia@example.org"];
  const first = await run("git", ["-C", repository, ...person, "commit-tree", "-m", "first", made.stdout.trim()]);
  await run("git", ["-C", repository, "update-ref", "refs/heads/main", first.stdout.trim()]);
  return repository;
}

export async function gitOutput(repository: string, ...command: string[]): Promise<string> {
  return (await run("git", ["-C", repository, ...command], { maxBuffer: 64 * 1024 * 1024 })).stdout;
}
