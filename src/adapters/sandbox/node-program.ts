import { access, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { whereProgramIs } from "./find-program.ts";

/** This process's own Node, which runs the bridge, and `node` for programs. */
export interface NodeProgram {
  path: string;
  /** What the sandbox has to show: its installation with npm, or its file alone. */
  shown: string;
}

/**
 * A folder with `bin/node` and npm counts as an installation; from any other, such as ~/bin, only the file is shown.
 */
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
 * The PATH inside a sandbox: the visible folders, with this process's own Node where the account's PATH has it.
 * Otherwise an older Node of the system would run what was installed for this one.
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
