/** A path as git and the operating system have it: bytes, one per character. Paths need not be valid UTF-8. */
export type RawPath = string;

/** The path for people, decoded as UTF-8. */
export function shownPath(path: RawPath): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

export function rawBytes(path: RawPath): Buffer {
  return Buffer.from(path, "latin1");
}

/** For file system calls. */
export function pathIn(directory: string, path: RawPath): Buffer {
  return path === "" ? Buffer.from(directory) : Buffer.concat([Buffer.from(`${directory}/`), rawBytes(path)]);
}

export function folderOf(path: RawPath): RawPath {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? "" : path.slice(0, slash);
}

/** All parent folders of a path, the outermost first, without the root. */
export function foldersAbove(path: RawPath): RawPath[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** All folders that contain one of these files, at any depth; without the root. */
export function foldersOf(paths: Iterable<RawPath>): Set<RawPath> {
  return new Set([...paths].flatMap(foldersAbove));
}

/** The outermost folder above a path that is not among the known folders; null if all are. */
export function newFolderOf(path: RawPath, folders: ReadonlySet<RawPath>): RawPath | null {
  return foldersAbove(path).find((folder) => !folders.has(folder)) ?? null;
}
