import type { ChangedFile } from "../../../domain/work.ts";
import { mustGit, workGit } from "./git.ts";

const MOST_LISTED = 64 * 1024 * 1024;
/** A move appears as one deleted and one added file. */
const PLAIN = ["--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none"];

/** The files that differ between two commits, in git's order. Lines of binary files are not counted. */
export async function changesBetween(repository: string, base: string, head: string): Promise<ChangedFile[]> {
  const command = ["diff-tree", "-r", "-z", "--raw", "--numstat", ...PLAIN, base, head];
  const printed = await mustGit("compare commits", repository, command, { maxBytes: MOST_LISTED });
  const fields = printed.toString("utf8").split("\0");
  const kinds = new Map<string, { change: ChangedFile["change"]; mark: ChangedFile["mark"] | null }>();
  const changed: ChangedFile[] = [];
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? "";
    const [, old = "", now = "", status] = /^:(\d+) (\d+) \S+ \S+ ([A-Z])/.exec(field) ?? [];
    if (status !== undefined) {
      at += 1;
      const change = status === "A" ? "added" : status === "D" ? "deleted" : "modified";
      kinds.set(fields[at] ?? "", { change, mark: markOf(old, now) });
      continue;
    }
    const [, added, removed, path] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(field) ?? [];
    if (path === undefined) continue;
    const { change, mark } = kinds.get(path) ?? { change: "modified", mark: null };
    const shown = mark ?? (added === "-" && change !== "deleted" ? "binary" : null);
    changed.push({
      path,
      change,
      addedLines: Number(added) || 0,
      removedLines: Number(removed) || 0,
      ...(shown === null ? {} : { mark: shown }),
    });
  }
  return changed;
}

/** From git's file modes before and after. */
function markOf(old: string, now: string): ChangedFile["mark"] | null {
  if (old === "160000" || now === "160000") return "submodule";
  if (now === "120000") return "link";
  if (now === "100755" && old !== "100755") return "executable";
  return now === "100644" && old === "100755" ? "not executable" : null;
}

/** The difference as a patch; cut after `mostBytes`, at the end of a line. */
export async function patchBetween(repository: string, base: string, head: string, mostBytes: number): Promise<string> {
  const command = ["diff-tree", "-r", "-p", ...PLAIN, base, head];
  const result = await workGit(repository, command, { maxBytes: mostBytes });
  const text = result.stdout.toString("utf8");
  return result.truncated ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
}
