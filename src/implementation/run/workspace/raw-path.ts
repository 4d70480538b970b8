/**
 * A path as git and the system know it: bytes, one character for each. Not every one is text, and two that are not may
 * look the same as text.
 */
export type RawPath = string;

/** As people read it. */
export function shownPath(path: RawPath): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

export function rawBytes(path: RawPath): Buffer {
  return Buffer.from(path, "latin1");
}

/** For calls of the file system. */
export function pathIn(directory: string, path: RawPath): Buffer {
  return path === "" ? Buffer.from(directory) : Buffer.concat([Buffer.from(`${directory}/`), rawBytes(path)]);
}

export function folderOf(path: RawPath): RawPath {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? "" : path.slice(0, slash);
}

/** All folders above a path, the outermost first, without the top. */
export function foldersAbove(path: RawPath): RawPath[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}
