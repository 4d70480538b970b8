import { access, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

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
