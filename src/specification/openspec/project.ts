import { mkdir, realpath, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Folder, inFolder } from "../../adapters/spec-stores/folder.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import { FILE_BYTES, SPEC, isThere, readFolder } from "./change-folder.ts";
import type { KnownCapability } from "./deltas.ts";
import type { Change } from "./write-change.ts";

/** The root of the OpenSpec project that a folder is, lies in the `openspec` folder of, or will be. */
export async function projectRoot(directory: string): Promise<string> {
  const start = resolve(directory);
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) !== "openspec") continue;
    const inside = await Promise.all(
      ["changes", "specs", "config.yaml"].map(async (name) => await isThere(join(folder, name))),
    );
    if (inside.includes(true)) return dirname(folder);
  }
  return start;
}

/** What the project says about a capability by now, and what changes of this name brought before. */
export async function knownCapability(root: string, capability: string, id: string): Promise<KnownCapability> {
  const openspec = join(root, "openspec");
  const spec = await readAt(openspec, ["specs", ...capability.split("/")]);
  const archive = (await inFolder(join(openspec, "changes", "archive"), async (folder) => await folder.names())) ?? [];
  const own = archive.filter((name) => /^\d{4}-\d\d-\d\d-/.test(name) && name.slice("2026-01-01-".length) === id);
  const archived = [];
  for (const name of own) {
    const delta = await readAt(openspec, ["changes", "archive", name, "specs", ...capability.split("/")]);
    if (delta !== null) archived.push(delta);
  }
  return { spec, archived };
}

/**
 * Writes a change below `openspec/changes/` of a project, which is made if there is none. Links are not followed. Throws
 * `usage` where another text stands already, unless `force` is given; then the change's own files are replaced.
 */
export async function saveChange(
  directory: string,
  change: Change,
  { force, now }: { force: boolean; now: Date },
): Promise<{ path: string; outcome: "written" | "unchanged" }> {
  const path = join(directory, "openspec", "changes", change.id);
  try {
    await mkdir(directory, { recursive: true });
    const root = await realpath(directory);
    const existing = await inFolder(
      join(root, "openspec", "changes", change.id),
      async (folder) => await readFolder(folder),
    );
    if (existing !== null && isSame(existing.files, change.files)) return { path, outcome: "unchanged" };
    if (existing !== null && existing.files.size > 0) {
      if (!force) {
        throw new RelayError("usage", `${path} has another text already; give --force to replace it`);
      }
      await rm(join(root, "openspec", "changes", change.id, "specs"), { recursive: true, force: true });
    }
    await inFolder(
      root,
      async (folder) => await folder.inside("openspec", async (openspec) => await writeInto(openspec, change, now)),
    );
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    throw new RelayError("io", `cannot write the change to ${path}: ${messageOf(cause)}`, { cause });
  }
  return { path, outcome: "written" };
}

async function writeInto(openspec: Folder, change: Change, now: Date): Promise<void> {
  const has = new Set(await openspec.names());
  if (!has.has("config.yaml") && !has.has("config.yml") && !has.has("changes") && !has.has("specs")) {
    await openspec.replace("config.yaml", "schema: spec-driven\n");
  }
  await openspec.inside("specs", async () => await Promise.resolve());
  await openspec.inside("changes", async (changes) => {
    await changes.inside("archive", async () => await Promise.resolve());
    await changes.inside(change.id, async (folder) => {
      const created = now.toISOString().slice(0, 10);
      await folder.replace(".openspec.yaml", `schema: spec-driven\ncreated: ${created}\n`);
      for (const [path, text] of change.files) await writeAt(folder, path.split("/"), text);
    });
  });
}

async function writeAt(folder: Folder, [first = "", ...rest]: string[], text: string): Promise<void> {
  if (rest.length === 0) await folder.replace(first, text);
  else await folder.inside(first, async (inner) => await writeAt(inner, rest, text));
}

async function readAt(root: string, path: string[]): Promise<string | null> {
  const bytes = await inFolder(join(root, ...path), async (folder) => await folder.read(SPEC, 4 * FILE_BYTES));
  return bytes?.toString("utf8") ?? null;
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, text]) => b.get(path) === text);
}
