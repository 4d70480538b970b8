import { realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Folder, inFolder } from "../../adapters/spec-stores/folder.ts";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";

/** Bytes of one file of a change; the spec made of them has the same limit. */
export const FILE_BYTES = 200 * 1024;
/** A capability's file in a change and in a project. */
export const SPEC = "spec.md";
const MOST_FILES = 200;
const DEEPEST = 8;
const TEXTS = new Set(["proposal.md", "design.md", "tasks.md"]);

/** A change as it stands in a folder. */
export interface FoundChange {
  id: string;
  /** Text by path within the folder. */
  files: Map<string, string>;
  /** Files that are no part of a change in OpenSpec's own form. */
  leftAside: string[];
}

/** The change in a folder, or of this name in the project around the current one. Throws `usage` with the remedy. */
export async function openChange(given: string): Promise<FoundChange> {
  const path = (await isThere(given)) ? given : join("openspec", "changes", given);
  if (!(await isThere(path))) {
    throw new RelayError("usage", `there is no change ${given}; give its folder, such as openspec/changes/ID`);
  }
  try {
    const root = await realpath(path);
    if (!(await stat(root)).isDirectory()) {
      throw new RelayError("usage", `${given} is a file; give the folder of a change, such as openspec/changes/ID`);
    }
    const found = await inFolder(root, async (folder) => await readFolder(folder));
    if (found?.files.has("proposal.md") === true) return { id: basename(root), ...found };
    const changes = await changesIn(root);
    const known =
      changes.length === 0 ? "give a folder below openspec/changes/" : `give one of its changes: ${changes.join(", ")}`;
    throw new RelayError("usage", `${given} is no OpenSpec change: it has no proposal.md; ${known}`);
  } catch (cause) {
    if (cause instanceof RelayError && cause.code !== "forbidden") throw cause;
    throw new RelayError("usage", `cannot read the change ${given}: ${messageOf(cause)}`, { cause });
  }
}

/** The texts of a change in a folder that is open. Throws `forbidden` for links, `too_large` beyond the limits. */
export async function readFolder(folder: Folder): Promise<Omit<FoundChange, "id">> {
  const files = new Map<string, string>();
  const leftAside: string[] = [];
  for (const name of (await folder.names()).filter((one) => !one.startsWith("."))) {
    if (name === "specs")
      await folder.ifThere(name, async (specs) => await readSpecs(specs, [name], { files, leftAside }));
    else if (TEXTS.has(name)) await keep(folder, name, name, files);
    else leftAside.push(name);
  }
  return { files, leftAside };
}

async function readSpecs(folder: Folder, at: string[], found: Omit<FoundChange, "id">): Promise<void> {
  if (at.length > DEEPEST) throw new RelayError("usage", `${folder.name} lies deeper than ${DEEPEST} folders`);
  for (const name of (await folder.names()).filter((one) => !one.startsWith("."))) {
    const path = [...at, name];
    if (name === SPEC && at.length > 1) await keep(folder, name, path.join("/"), found.files);
    else if (!(await isFolderRead(folder, name, async (inner) => await readSpecs(inner, path, found)))) {
      found.leftAside.push(path.join("/"));
    }
  }
}

async function keep(folder: Folder, name: string, path: string, files: Map<string, string>): Promise<void> {
  if (files.size >= MOST_FILES) throw new RelayError("too_large", `a change may have ${MOST_FILES} files, not more`);
  const bytes = await folder.read(name, FILE_BYTES);
  if (bytes !== null) files.set(path, bytes.toString("utf8"));
}

/** False for what is no folder. */
async function isFolderRead(folder: Folder, name: string, work: (inner: Folder) => Promise<void>): Promise<boolean> {
  try {
    await folder.ifThere(name, work);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return false;
    throw error;
  }
}

async function changesIn(root: string): Promise<string[]> {
  for (const place of [["openspec", "changes"], ["changes"], []]) {
    const names = await inFolder(join(root, ...place), async (folder) => await folder.names());
    const found = [];
    for (const name of names ?? []) if (await isThere(join(root, ...place, name, "proposal.md"))) found.push(name);
    if (found.length > 0) return found.slice(0, 10);
  }
  return [];
}

export async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
