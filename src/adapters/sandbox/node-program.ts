import { access, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { whereProgramIs } from "./find-program.ts";

/** This process's own Node, which runs the bridge and what programs call `node`. */
export interface NodeProgram {
  path: string;
  /** What has to be shown for it: its installation with npm, or its file alone. */
  shown: string;
}

/** A folder that has `bin/node` and npm is an installation; of any other, as of ~/bin/node, only the file is shown. */
export async function nodeProgram(): Promise<NodeProgram> {
  const path = await realpath(process.execPath);
  const installation = dirname(dirname(path));
  try {
    await access(join(installation, "lib/node_modules/npm/package.json"));
    return { path, shown: join(installation) };
  } catch {
    return { path, shown: path };
  }
}

/**
 * The folders in which programs of a place find others: those that it shows, with this process's own Node where the
 * account's PATH has it. Without that an older Node of the system's would run what was installed for this one.
 */
export async function foldersInside(
  node: NodeProgram,
  folders: readonly string[],
  isVisible: (path: string) => boolean,
): Promise<string[]> {
  const shown: string[] = [];
  for (const folder of folders) {
    if (isVisible(folder)) shown.push(folder);
    else if ((await whereProgramIs("node", { cwd: "/", folders: [folder] }))?.real === node.path) {
      shown.push(dirname(node.path));
    }
  }
  return [...new Set([...shown, dirname(node.path)])];
}
