import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RelayError } from "../../lib/errors.ts";
import { git, gitIn } from "../git/git.ts";
import { firstLine } from "../git/tree.ts";
import type { NetworkLimits } from "./network-git.ts";
import { parseRemote, type MirrorSource } from "./remote.ts";
import { remoteGit } from "./remote-git.ts";

const LIMITS: NetworkLimits = { overallMs: 60_000, silentSeconds: 20 };

/**
 * Tries to push to a branch of a remote repository, up to the point where something would change there. Shows whether
 * the credential may write; only the real push can tell whether rules of the branch allow it. Throws what `pushBranch`
 * throws.
 */
export async function probePush(source: MirrorSource, branch: string): Promise<void> {
  const remote = parseRemote(source);
  const folder = await mkdtemp(join(tmpdir(), "relay-probe-"));
  try {
    await must(await gitIn(folder, ["init", "--quiet", "--bare", "."]));
    const tree = await must(await git(folder, ["mktree"], { input: "" }));
    const person = ["-c", "user.name=relay", "-c", "user.email=relay@localhost"];
    const commit = await must(await git(folder, [...person, "commit-tree", "-m", "probe", tree]));
    const run = remoteGit(source, remote, { limits: LIMITS, signal: undefined, writes: true });
    const command = ["push", "--dry-run", "--force", "--no-verify", "--no-signed"];
    await run(folder, [...command, "--", remote.url, `${commit}:refs/heads/${branch}`]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function must({ code, stdout, stderr }: Awaited<ReturnType<typeof git>>): Promise<string> {
  if (code === 0) return stdout.toString("utf8").trim();
  throw new RelayError("io", `cannot make a repository to push from (${firstLine(stderr)}); see that /tmp is writable`);
}
