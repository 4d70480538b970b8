/**
 * The path of a file in the tree, with `/` between its parts, or `null` for one that could mean anything
 * else: absolute, with `..`, a NUL or a drive letter, or inside `.git` in any spelling that a file system
 * folds into it (R-EXP-3).
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
 * Whether a path as git lists it is one inside the tree. Git itself never checks out others, and a file of that
 * name may hold anything; backslashes and line breaks are ordinary characters here.
 */
export function staysInTree(path: string): boolean {
  return path.split("/").every(isPlainPart);
}

function isPlainPart(part: string): boolean {
  if (part === "" || part === "." || part === "..") return false;
  // HFS+ ignores these code points, NTFS trailing dots and spaces, and `GIT~1` is the short name of `.git`.
  const folded = part.replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "").replace(/[. ]+$/, "");
  return !/^(?:\.git|git~\d+)$/i.test(folded.split(":")[0] ?? "");
}
