import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { exec } from "../../src/lib/exec.ts";

/** One path of a tree to build; what an ordinary checkout could not hold is fine here. */
export interface Planted {
  path: string | Buffer;
  /** Default an ordinary file. A link's content is its target, a submodule's the name of a commit. */
  kind?: "file" | "link" | "submodule";
  content?: string | Buffer;
}

interface Plot {
  /** Default sha1. */
  objects?: "sha1" | "sha256";
  bare?: boolean;
}

const MODES = { file: "100644", link: "120000", submodule: "160000" } as const;

/** Makes a repository with one commit on `main`, straight into its object store: no file is ever checked out. */
export async function plant(directory: string, files: Iterable<Planted>, plot: Plot = {}): Promise<void> {
  const form = [`--object-format=${plot.objects ?? "sha1"}`, ...(plot.bare === true ? ["--bare"] : [])];
  await gitAt(".", "init", "--quiet", "--initial-branch=main", ...form, directory);
  await commitTo(directory, "refs/heads/main", files);
}

/** Adds one commit to a branch, on top of what it had. */
export async function commitTo(directory: string, branch: string, files: Iterable<Planted>): Promise<void> {
  const has = await exec("git", ["-C", directory, "rev-parse", "--verify", "--quiet", branch]);
  const parent = has.code === 0 ? `from ${branch}^0\n` : "";
  const child = spawn(
    "git",
    [
      "-C",
      directory,
      "-c",
      "core.compression=0",
      "-c",
      "fastimport.unpackLimit=0",
      "fast-import",
      "--quiet",
      "--force",
    ],
    { stdio: ["pipe", "ignore", "pipe"] },
  );
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const ended = once(child, "close");
  const words = `commit ${branch}\ncommitter Ann <ann@example.org> 1700000000 +0000\ndata 7\nPlanted\n${parent}`;
  await pipeline(Readable.from(orders(words, files)), child.stdin).catch(() => {});
  await ended;
  if (child.exitCode !== 0) throw new Error(`fast-import: ${stderr}`);
}

function* orders(commit: string, files: Iterable<Planted>): Generator<Buffer> {
  let held: Buffer[] = [Buffer.from(commit)];
  let size = 0;
  for (const { path, kind = "file", content = "" } of files) {
    const quoted = quote(Buffer.from(path));
    const bytes = Buffer.from(content);
    held.push(
      kind === "submodule"
        ? Buffer.from(`M ${MODES.submodule} ${bytes.toString("latin1")} ${quoted}\n`)
        : Buffer.from(`M ${MODES[kind]} inline ${quoted}\ndata ${bytes.length}\n`),
    );
    if (kind !== "submodule") held.push(bytes, Buffer.from("\n"));
    size += bytes.length + 100;
    if (size < 1_000_000) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  yield Buffer.concat(held);
}

/** A path as fast-import reads it whatever its bytes are. */
function quote(path: Buffer): string {
  const signs = Array.from(path, (byte) =>
    byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
      ? String.fromCodePoint(byte)
      : `\\${byte.toString(8).padStart(3, "0")}`,
  );
  return `"${signs.join("")}"`;
}

/** An entry of a tree, by a name that nothing checks. */
export interface RawEntry {
  mode: "40000" | "100644";
  name: string;
  object: string;
}

/** Writes a tree object as it is, with names that git itself would refuse. */
export async function rawTree(directory: string, entries: readonly RawEntry[]): Promise<string> {
  const bytes = entries.flatMap(({ mode, name, object }) => [
    Buffer.from(`${mode} ${name}\0`),
    Buffer.from(object, "hex"),
  ]);
  return await gitAt(directory, ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], Buffer.concat(bytes));
}

export async function rawBlob(directory: string, content: string | Buffer): Promise<string> {
  return await gitAt(directory, ["hash-object", "-w", "--stdin"], Buffer.from(content));
}

/** Makes a commit of a tree and points the branch at it. */
export async function rawCommit(directory: string, branch: string, tree: string, parent?: string): Promise<void> {
  const parents = parent === undefined ? [] : ["-p", parent];
  const commit = await gitAt(directory, "commit-tree", "-m", "Raw", ...parents, tree);
  await gitAt(directory, "update-ref", branch, commit);
}

/** Runs git in a directory; what it printed, trimmed. Throws when it fails. */
export async function gitAt(directory: string, command: string, ...args: string[]): Promise<string>;
export async function gitAt(directory: string, command: readonly string[], input: Buffer): Promise<string>;
export async function gitAt(
  directory: string,
  command: string | readonly string[],
  ...rest: (string | Buffer)[]
): Promise<string> {
  const words = typeof command === "string" ? [command] : command;
  const args = rest.filter((each) => typeof each === "string");
  const input = rest.find((each) => typeof each !== "string");
  const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"];
  const result = await exec(
    "git",
    ["-C", directory, ...identity, ...words, ...args],
    input === undefined ? {} : { input },
  );
  if (result.code !== 0) throw new Error(`git ${words.join(" ")} ${args.join(" ")}: ${result.stderr}`);
  return result.stdout.toString("utf8").trim();
}

/** Takes the objects out of their packs, each into a file of its own. */
export async function looseObjects(clone: string): Promise<void> {
  const packs = join(clone, ".git/objects/pack");
  for (const name of await readdir(packs)) {
    if (!name.endsWith(".pack")) continue;
    const aside = join(clone, name);
    await rename(join(packs, name), aside);
    await rm(join(packs, name.replace(/pack$/, "idx")), { force: true });
    await gitAt(clone, ["unpack-objects", "-q"], await readFile(aside));
  }
}
