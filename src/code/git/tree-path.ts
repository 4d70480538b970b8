/**
 * Normalizes a path to one inside the tree, with `/` between its parts. Returns `null` for paths that could escape it:
 * absolute ones, ones with `..`, a NUL or a drive letter, or inside any spelling of `.git` that a file system accepts
 * (R-EXP-3).
 */
export function treePath(path: string): string | null {
  if (path === "" || path.length > 4_096 || path.includes("\0") || path.includes("\n")) return null;
  if (/^(?:[/\\]|[A-Za-z]:)/.test(path)) return null;
  const parts = path.replaceAll("\\", "/").split("/");
  while (parts[0] === ".") parts.shift();
  if (parts.length === 0) return null;
  return parts.every(isPlainPart) ? parts.join("/") : null;
}

/**
 * Whether a path from git is inside the tree. Git itself never checks out other paths. Backslashes and line breaks are
 * ordinary characters here.
 */
export function staysInTree(path: string): boolean {
  return !MAY_LEAVE.test(path) || path.split("/").every(isPlainPart);
}

/**
 * Matches every path with a part that is not plain. Few paths match, so most of a large tree needs no further check.
 */
const MAY_LEAVE = /git|[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]|(?:^|\/)\.{0,2}(?:$|\/)/i;

function isPlainPart(part: string): boolean {
  if (part === "" || part === "." || part === "..") return false;
  // HFS+ ignores these code points, NTFS trailing dots and spaces, and `GIT~1` is the short name of `.git`.
  const folded = part.replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "").replace(/[. ]+$/, "");
  return !/^(?:\.git|git~\d+)$/i.test(folded.split(":")[0] ?? "");
}
