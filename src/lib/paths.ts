/** The last part of a path whose parts are parted by slashes. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** All that stands before it, with the slash; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}
