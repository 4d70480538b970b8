import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { openWorkspace } from "../../src/implementation/run/workspace/open.ts";
import type { ChangeRules, Workspace } from "../../src/implementation/run/workspace/workspace.ts";

export const BOT = { name: "relay[bot]", email: "relay@example.org" };
export const NO_RULES: ChangeRules = { blocked: [], allowed: [], reviewed: [], deletedByPlan: [], secrets: [] };

/** A bare repository that stands for a mirror, a `RELAY_HOME`, and workspaces on them. */
export interface WorkspaceStage {
  folder: string;
  home: string;
  /** The bare repository. */
  source: string;
  /** Commits files in the source, on its only branch; null deletes one. Returns the commit. */
  commit(files: Record<string, string | Buffer | null>): string;
  /** Git in the source. */
  git(...args: string[]): string;
  open(run?: string, more?: { commit?: string; resumeFrom?: string; source?: string }): Promise<Workspace>;
  close(): void;
}

export function workspaceStage(first: Record<string, string | Buffer>): WorkspaceStage {
  const folder = mkdtempSync(join(tmpdir(), "relay-workspace-"));
  const source = join(folder, "source.git");
  const work = join(folder, "source-work");
  const home = join(folder, "home");
  runGit(folder, "init", "--quiet", "--bare", "--initial-branch=main", source);
  runGit(folder, "clone", "--quiet", source, work);
  runGit(work, "checkout", "--quiet", "-b", "main");
  let newest = "";
  const stage: WorkspaceStage = {
    folder,
    home,
    source,
    commit(files) {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(work, path)), { recursive: true });
        if (content === null) rmSync(join(work, path));
        else writeFileSync(join(work, path), content);
      }
      runGit(work, "add", "-A", "--force");
      runGit(work, "commit", "--quiet", "-m", "Change");
      runGit(work, "push", "--quiet", "origin", "HEAD:main");
      newest = runGit(work, "rev-parse", "HEAD");
      return newest;
    },
    git: (...args) => runGit(source, ...args),
    open: (run = "r1", more = {}) =>
      openWorkspace({ home, run, source, commit: newest, cacheKey: "shop", ...more }, { clock: systemClock }),
    close() {
      execFileSync("chmod", ["-R", "u+rwx", folder]);
      execFileSync("rm", ["-rf", folder]);
    },
  };
  stage.commit(first);
  return stage;
}

export function runGit(directory: string, ...args: string[]): string {
  const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...identity, ...args], {
    cwd: directory,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

/** A named pipe; whoever opens it waits. */
export function makePipe(path: string): void {
  execFileSync("bash", ["-c", 'mkfifo -- "$1"', "bash", path], { stdio: "ignore" });
}
