import { chmod, copyFile, lstat, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { discard } from "./remove.ts";
import { NOTES } from "./scan-tree.ts";

/**
 * Overrides all attributes of the repository, so that neither git nor a filter program converts files: the bytes in the
 * tree are the bytes that are checked and committed.
 */
export const ATTRIBUTES =
  "* -text !eol -crlf -ident -filter -working-tree-encoding !diff !merge !conflict-marker-size\n";
/** Includes the folders that set-up installs, since `scanTree` leaves them out too. */
const EXCLUDED = `/${NOTES}/\n.venv/\nnode_modules/\n*.egg-info/\n`;

export interface AgentGitOptions {
  tree: string;
  trash: string;
  /** Relay's own git directory of the run. */
  repository: string;
  head: string;
  format: "sha1" | "sha256";
  shallow: string | null;
}

/** Creates the disposable `.git` that the agent sees. Programs may do anything to it: Relay never reads it. */
export async function makeAgentGit(options: AgentGitOptions): Promise<void> {
  const { tree, trash, repository, head, format, shallow } = options;
  await openFolder(tree);
  const git = join(tree, ".git");
  await discard(git, trash);
  for (const folder of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"]) {
    await mkdir(join(git, folder), { recursive: true });
  }
  const sha256 = format === "sha256";
  const config = [
    "[core]",
    `\trepositoryformatversion = ${sha256 ? 1 : 0}`,
    "\tfilemode = true",
    "\tbare = false",
    ...(sha256 ? ["[extensions]", "\tobjectformat = sha256"] : []),
    "[user]",
    "\tname = Agent",
    "\temail = agent@localhost",
    "[commit]",
    "\tgpgsign = false",
    "[gc]",
    "\tauto = 0",
    "",
  ];
  await writeFile(join(git, "config"), config.join("\n"));
  await writeFile(join(git, "objects/info/alternates"), `${join(repository, "objects")}\n`);
  await writeFile(join(git, "info/attributes"), ATTRIBUTES);
  await writeFile(join(git, "info/exclude"), EXCLUDED);
  if (shallow !== null) await writeFile(join(git, "shallow"), shallow);
  await writeFile(join(git, "refs/heads/task"), `${head}\n`);
  await copyFile(join(repository, "index"), join(git, "index"));
  await writeFile(join(git, "HEAD"), "ref: refs/heads/task\n");
}

/** Makes the notes folder a real folder with only regular files, so that nothing in it points elsewhere. */
export async function prepareNotes(tree: string, trash: string): Promise<void> {
  const notes = join(tree, NOTES);
  const found = await lstat(notes).catch(() => null);
  if (found?.isDirectory() !== true) {
    await discard(notes, trash);
    await mkdir(notes);
  }
  await openFolder(notes);
  for (const entry of await readdir(notes, { withFileTypes: true, encoding: "buffer" })) {
    const path = Buffer.concat([Buffer.from(`${notes}/`), entry.name]);
    // A file with a second hard link may also exist outside the notes folder.
    const isPlain = entry.isFile() && (await lstat(path)).nlink === 1;
    if (!isPlain) await discard(path, trash);
  }
}

async function openFolder(path: string): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory() && (found.mode & 0o700) !== 0o700) await chmod(path, 0o700);
}
