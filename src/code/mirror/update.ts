import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import { messageOf, RelayError } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { git, gitIn } from "../git/git.ts";
import { firstLine } from "../git/tree.ts";
import type { AdvertisedRefs } from "./ls-remote.ts";
import type { RemoteGit } from "./remote-git.ts";
import type { Remote } from "./remote.ts";

const GC_TIMEOUT_MS = 10 * 60_000;

/** Creates an empty bare repository in a new directory, without the machine's templates. */
export async function initMirror(directory: string, advertised: AdvertisedRefs): Promise<void> {
  const format = advertised.objectFormat === "sha1" ? [] : [`--object-format=${advertised.objectFormat}`];
  const made = await gitIn(join(directory, ".."), ["init", "--quiet", "--bare", "--template=", ...format, directory]);
  if (made.code !== 0) {
    throw new RelayError("io", `cannot make the mirror ${directory} (${firstLine(made.stderr)}); check RELAY_HOME`);
  }
}

/**
 * Fetches what the remote advertised and points HEAD at the default branch; returns whether anything changed. Branches
 * and tags become those of the remote; other refs stay as they are.
 */
export async function syncMirror(
  directory: string,
  remote: Remote,
  advertised: AdvertisedRefs,
  run: RemoteGit,
): Promise<boolean> {
  await resetConfiguration(directory, remote, advertised);
  const before = await localRefs(directory);
  const head = `refs/heads/${advertised.defaultBranch}`;
  const names = [...advertised.refs.keys()];
  const advertisedNames = new Set(names);
  const others = names.filter((name) => !/^refs\/(?:heads|tags)\//.test(name));
  const fetch = ["fetch", "--progress", "--no-write-fetch-head", "--no-tags", "--no-show-forced-updates"];

  const isCurrent =
    names.every((name) => before.get(name) === advertised.refs.get(name)) &&
    [...before.keys()].every((name) => advertisedNames.has(name) || !/^refs\/(?:heads|tags)\//.test(name));
  const moves = before.get("HEAD") !== head;
  if (moves && before.size > 1 && before.get(head) !== advertised.refs.get(head)) {
    // Fetches the new default branch before the old one is pruned, so that HEAD is always readable. Fails where the two
    // names cannot coexist (`main` and `main/new`); then the full fetch below does it.
    await run(directory, [...fetch, "--", remote.url, `+${head}:${head}`]).catch(() => null);
    if ((await localRefs(directory)).has(head)) await setHead(directory, head);
  }
  if (!isCurrent) {
    const specs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", ...others.map((ref) => `+${ref}:${ref}`)];
    await run(directory, [...fetch, "--prune", "--", remote.url, ...specs]);
  }
  if (moves) await setHead(directory, head);
  const after = await localRefs(directory);
  if (!after.has(head)) {
    throw new RelayError("unavailable", `the default branch of ${remote.url} changed while it was fetched; try again`);
  }
  return moves || after.size !== before.size || [...after].some(([name, value]) => before.get(name) !== value);
}

/** Joins packs once there are many. Unreachable objects stay for two weeks, since readers may still need them. */
export async function collectGarbage(directory: string, log: Log): Promise<void> {
  const settings = ["gc.autoDetach=false", "gc.auto=6700", "gc.autoPackLimit=20", "gc.pruneExpire=2.weeks.ago"];
  try {
    const flags = settings.flatMap((setting) => ["-c", setting]);
    const result = await git(directory, [...flags, "gc", "--auto", "--quiet"], { timeoutMs: GC_TIMEOUT_MS });
    if (result.code !== 0)
      log.warn({ directory, stderr: firstLine(result.stderr) }, "mirror garbage collection failed");
  } catch (error) {
    log.warn({ directory, error: messageOf(error) }, "mirror garbage collection failed");
  }
}

/** Every ref with its object name, and under `HEAD` the full name of its branch. */
async function localRefs(directory: string): Promise<Map<string, string>> {
  const refs = new Map<string, string>();
  const head = await git(directory, ["symbolic-ref", "--quiet", "HEAD"]);
  refs.set("HEAD", head.stdout.toString("utf8").trim());
  const listed = await git(directory, ["for-each-ref", "--format=%(objectname) %(refname)"]);
  if (listed.code !== 0)
    throw new RelayError("io", `cannot read the refs of ${directory}: ${firstLine(listed.stderr)}`);
  for (const line of listed.stdout.toString("utf8").split("\n")) {
    const space = line.indexOf(" ");
    if (space !== -1) refs.set(line.slice(space + 1), line.slice(0, space));
  }
  return refs;
}

async function setHead(directory: string, ref: string): Promise<void> {
  const set = await git(directory, ["symbolic-ref", "HEAD", ref]);
  if (set.code !== 0) throw new RelayError("io", `cannot set HEAD of ${directory}: ${firstLine(set.stderr)}`);
}

/**
 * Rewrites the mirror's configuration before git talks to the network. Code that ran in a working tree of the mirror
 * could have added an address, a proxy or a program, which git would then use with our credential.
 */
async function resetConfiguration(directory: string, remote: Remote, advertised: AdvertisedRefs): Promise<void> {
  const url = remote.url.replaceAll(/["\\]/g, String.raw`\$&`);
  const sha256 = advertised.objectFormat === "sha256";
  const lines = [
    "[core]",
    `\trepositoryformatversion = ${sha256 ? 1 : 0}`,
    "\tbare = true",
    ...(sha256 ? ["[extensions]", "\tobjectformat = sha256"] : []),
    '[remote "origin"]',
    `\turl = "${url}"`,
  ];
  await writeFileAtomic(join(directory, "config"), `${lines.join("\n")}\n`);
  // Git reads settings and objects from these as well.
  await rm(join(directory, "config.worktree"), { force: true });
  await rm(join(directory, "objects", "info", "alternates"), { force: true });
  await writeFile(join(directory, "description"), `${remote.url}\n`);
}
