import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A bare repository to be served, and a working tree that pushes to it. */
export interface Origin {
  git(...args: string[]): string;
  /** In the bare repository. */
  bare(...args: string[]): string;
  /** Commits a file on the branch that is checked out, and pushes it; returns the commit. */
  commit(path: string, content: string | Buffer): string;
}

/** Makes `NAME.git` in a folder, with one commit on `main`, unless it is to be empty. */
export function makeOrigin(folder: string, name: string, options: { empty?: boolean } = {}): Origin {
  const work = join(folder, `${name}-work`);
  const bare = join(folder, `${name}.git`);
  mkdirSync(work, { recursive: true });
  run(folder, ["init", "--quiet", "--bare", "--initial-branch=main", bare]);
  run(work, ["init", "--quiet", "--initial-branch=main"]);
  run(work, ["remote", "add", "origin", bare]);
  const origin: Origin = {
    git: (...args) => run(work, args),
    bare: (...args) => run(bare, args),
    commit(path, content) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), content);
      run(work, ["add", "-A"]);
      run(work, ["commit", "--quiet", "-m", `Change ${path}`]);
      run(work, ["push", "--quiet", "--force", "origin", "HEAD"]);
      return run(work, ["rev-parse", "HEAD"]);
    },
  };
  if (!options.empty) origin.commit("src/cart.ts", "export const total = 0;\n");
  return origin;
}

/** Content that no pack makes smaller. */
export function incompressible(bytes: number): Buffer {
  return randomBytes(bytes);
}

function run(directory: string, args: string[]): string {
  const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...identity, ...args], {
    cwd: directory,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}
