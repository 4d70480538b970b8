const DEEPEST = 100;

/**
 * The paths of a tree by full path, base name and folder. Lookup tables are built on first use, so that a tree of tens
 * of thousands of files costs nothing before the first import is resolved.
 */
export class KnownPaths {
  readonly #paths: readonly string[];
  #whole: Set<string> | null = null;
  #folders: Set<string> | null = null;
  #byName: Map<string, string[]> | null = null;
  #byFolder: Map<string, string[]> | null = null;

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  has(path: string): boolean {
    this.#whole ??= new Set(this.#paths);
    return this.#whole.has(path);
  }

  /** The first candidate that exists. */
  first(candidates: readonly string[]): string | null {
    return candidates.find((path) => this.has(path)) ?? null;
  }

  /** The path as a list, empty if the tree lacks it. */
  only(path: string | null): string[] {
    return path !== null && this.has(path) ? [path] : [];
  }

  /** Files directly in a folder; `""` is the root. */
  inFolder(folder: string): readonly string[] {
    this.#byFolder ??= grouped(this.#paths, folderOf);
    return this.#byFolder.get(folder) ?? [];
  }

  /** Folders that directly contain files. */
  folders(): Iterable<string> {
    this.#byFolder ??= grouped(this.#paths, folderOf);
    return this.#byFolder.keys();
  }

  /** Whether there are files anywhere below a folder. */
  hasFolder(folder: string): boolean {
    this.#folders ??= allFolders(this.folders());
    return this.#folders.has(folder);
  }

  named(base: string): readonly string[] {
    this.#byName ??= grouped(this.#paths, baseOf);
    return this.#byName.get(base) ?? [];
  }

  /** Paths that equal the suffix or end in `/` and the suffix, the nearest to `from` first. */
  endingIn(suffix: string, from: string): string[] {
    const behind = `/${suffix}`;
    const found = this.named(baseOf(suffix)).filter((path) => path.endsWith(behind) || path === suffix);
    return found.length < 2 ? found : nearest(found, from);
  }
}

/** The folder of a path, without a trailing slash; `""` is the root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? "" : path.slice(0, slash);
}

export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `name` below `folder`, where `""` is the root; the folder itself if the name is empty. */
export function below(folder: string, name: string): string {
  if (folder === "" || name === "") return folder + name;
  return `${folder}/${name}`;
}

/** Resolves a relative path against a folder; `null` when it leaves the tree. */
export function joined(folder: string, relative: string): string | null {
  const names = folder === "" ? [] : folder.split("/");
  for (const name of relative.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join("/");
}

/** The folders around a path, innermost first, at most 100 and the root. */
export function foldersAround(path: string): string[] {
  const folders: string[] = [];
  let folder = folderOf(path);
  for (; folder !== "" && folders.length < DEEPEST; folder = folderOf(folder)) folders.push(folder);
  folders.push("");
  return folders;
}

/** Sorts paths by the length of the folder prefix they share with `from`, then by length, then by name. */
export function nearest(paths: readonly string[], from: string): string[] {
  const ranked = paths.map((path) => ({ path, shared: sharedFolders(path, from) }));
  ranked.sort(
    (a, b) => b.shared - a.shared || a.path.length - b.path.length || (a.path < b.path ? -1 : Number(a.path > b.path)),
  );
  return ranked.map(({ path }) => path);
}

function sharedFolders(path: string, other: string): number {
  let slash = 0;
  for (let at = 0; at < path.length && path[at] === other[at]; at += 1) if (path[at] === "/") slash = at + 1;
  return slash;
}

function grouped(paths: readonly string[], by: (path: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const key = by(path);
    const group = groups.get(key);
    if (group) group.push(path);
    else groups.set(key, [path]);
  }
  return groups;
}

function allFolders(folders: Iterable<string>): Set<string> {
  const all = new Set<string>([""]);
  for (const folder of folders) {
    for (let around = folder; !all.has(around); around = folderOf(around)) all.add(around);
  }
  return all;
}
