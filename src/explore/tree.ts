import { RelayError } from "../lib/errors.ts";
import { git } from "./git.ts";

export interface TreeEntry {
  path: string;
  /** Links and submodules are listed, and never followed. */
  kind: "file" | "symlink" | "submodule";
  executable: boolean;
  /** Name of the blob, or of the commit of a submodule. */
  objectName: string;
  /** Bytes; `null` for a submodule and for a blob that this clone does not hold. */
  size: number | null;
}

/** Everything in the tree of a commit, in git's order (by bytes of the path). */
export async function listTree(gitDirectory: string, commit: string): Promise<TreeEntry[]> {
  const command = (long: string[]) => ["ls-tree", "-r", ...long, "-z", "--full-tree", commit];
  const limits = { maxBytes: 256 * 1024 * 1024 };
  let result = await git(gitDirectory, command(["-l"]), limits);
  // Sizes cannot be had where blobs are missing (a partial clone); names still can.
  if (result.code !== 0) result = await git(gitDirectory, command([]), limits);
  if (result.code !== 0) {
    throw new RelayError("io", `cannot list the files of ${commit} in ${gitDirectory}: ${firstLine(result.stderr)}`);
  }
  return result.stdout.toString("utf8").split("\0").flatMap(parseEntry);
}

export function firstLine(text: string): string {
  return (text.trim().split("\n")[0] ?? "").replace(/^(?:fatal|error): /, "");
}

function parseEntry(record: string): TreeEntry[] {
  const tab = record.indexOf("\t");
  const [mode, , objectName, size] = record.slice(0, tab).split(/ +/);
  if (tab === -1 || mode === undefined || objectName === undefined) return [];
  return [
    {
      path: record.slice(tab + 1),
      kind: mode === "120000" ? "symlink" : mode === "160000" ? "submodule" : "file",
      executable: mode === "100755",
      objectName,
      size: size !== undefined && /^\d+$/.test(size) ? Number(size) : null,
    },
  ];
}
