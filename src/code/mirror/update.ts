import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import { messageOf, RelayError } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { git, gitIn } from "../git/git.ts";
import { firstLine } from "../git/tree.ts";
import type { Advertised } from "./advertised-refs.ts";
import type { Converse } from "./remote-session.ts";
import type { Remote } from "./remote.ts";

const TIDY_MS = 10 * 60_000;

/** Makes an empty bare repository in a directory that does not exist yet, with nothing of the machine's templates. */
export async function createEmpty(directory: string, advertised: Advertised): Promise<void> {
  const format = advertised.objectFormat === "sha1" ? [] : [`--object-format=${advertised.objectFormat}`];
  const made = await gitIn(join(directory, ".."), ["init", "--quiet", "--bare", "--template=", ...format, directory]);
  if (made.code !== 0) {
    throw new RelayError("io", `cannot make the mirror ${directory} (${firstLine(made.stderr)}); check RELAY_HOME`);
  }
}

/**
 * Brings a mirror to what the remote advertised, and its HEAD to the default branch; tells whether anything changed.
 * Branches and tags become those of the remote; nothing outside of them is touched.
 */
export async function bringUpToDate(
  directory: string,
  remote: Remote,
  advertised: Advertised,
  converse: Converse,
): Promise<boolean> {
  await ownConfiguration(directory, remote, advertised);
  const before = await localRefs(directory);
  const head = `refs/heads/${advertised.defaultBranch}`;
  const names = [...advertised.refs.keys()];
  const kept = new Set(names);
  const others = names.filter((name) => !/^refs\/(?:heads|tags)\//.test(name));
  const fetch = ["fetch", "--progress", "--no-write-fetch-head", "--no-tags", "--no-show-forced-updates"];

  const isCurrent =
    names.every((name) => before.get(name) === advertised.refs.get(name)) &&
    [...before.keys()].every((name) => kept.has(name) || !/^refs\/(?:heads|tags)\//.test(name));
  const moves = before.get("HEAD") !== head;
  if (moves && before.size > 1 && before.get(head) !== advertised.refs.get(head)) {
    // The new default branch comes before the old one goes, so that HEAD can be read at every moment. Where the two
    // cannot be there together (`main` and `main/new`) this fails, and the whole fetch below does it.
    await converse(directory, [...fetch, "--", remote.url, `+${head}:${head}`]).catch(() => null);
    if ((await localRefs(directory)).has(head)) await setHead(directory, head);
  }
  if (!isCurrent) {
    const specs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", ...others.map((ref) => `+${ref}:${ref}`)];
    await converse(directory, [...fetch, "--prune", "--", remote.url, ...specs]);
  }
  if (moves) await setHead(directory, head);
  const after = await localRefs(directory);
  if (!after.has(head)) {
    throw new RelayError("unavailable", `the default branch of ${remote.url} changed while it was fetched; try again`);
  }
  return moves || after.size !== before.size || [...after].some(([name, value]) => before.get(name) !== value);
}

/** Joins packs once there are many; what nothing points at is kept for two weeks, for whoever still reads it. */
export async function tidy(directory: string, log: Log): Promise<void> {
  const settings = ["gc.autoDetach=false", "gc.auto=6700", "gc.autoPackLimit=20", "gc.pruneExpire=2.weeks.ago"];
  try {
    const flags = settings.flatMap((setting) => ["-c", setting]);
    const result = await git(directory, [...flags, "gc", "--auto", "--quiet"], { timeoutMs: TIDY_MS });
    if (result.code !== 0) log.warn({ directory, said: firstLine(result.stderr) }, "mirror not tidied");
  } catch (error) {
    log.warn({ directory, error: messageOf(error) }, "mirror not tidied");
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
 * Writes the mirror's configuration anew before git talks to the network: whoever worked in a working tree of the
 * mirror could have put in an address, a proxy or a program, which git would then use with our credential.
 */
async function ownConfiguration(directory: string, remote: Remote, advertised: Advertised): Promise<void> {
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
  // Further places that git takes settings and objects from.
  await rm(join(directory, "config.worktree"), { force: true });
  await rm(join(directory, "objects", "info", "alternates"), { force: true });
  await writeFile(join(directory, "description"), `${remote.url}\n`);
}
