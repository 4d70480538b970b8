export interface PathMatch {
  path: string;
  /** From 0 to 1: how likely the two are the same file. */
  certainty: number;
}

/** Names too common to identify a file by themselves. */
const COMMON_NAME =
  /^(?:index|main|mod|lib|init|__init__|utils?|helpers?|types?|constants?|config|setup|app|readme|package|test|tests|conftest|common|errors?)\.[a-z.]+$/i;
const MOST_MATCHES = 4;

/** Resolves paths in prose to files of a tree: absolute, installed or relative paths, and bare names. */
export class PathIndex {
  readonly #byName = new Map<string, string[]>();
  readonly #paths: readonly string[];
  #lower: readonly string[] | undefined;

  constructor(paths: readonly string[]) {
    this.#paths = paths;
    for (const path of paths) {
      const name = baseName(path).toLowerCase();
      const others = this.#byName.get(name);
      if (others) others.push(path);
      else this.#byName.set(name, [path]);
    }
  }

  /** The files that share the longest tail with the path. */
  match(written: string): PathMatch[] {
    const path = written.replaceAll("\\", "/").replace(/^(?:\.{1,2}\/)+/, "");
    const name = baseName(path);
    const candidates = this.#byName.get(name.toLowerCase()) ?? [];
    const shared = candidates.map((candidate) => ({ candidate, parts: sharedEnd(candidate, path) }));
    const most = Math.max(0, ...shared.map((each) => each.parts));
    const best = shared.filter((each) => each.parts === most);
    if (best.length === 0 || best.length > MOST_MATCHES) return [];
    return best.map(({ candidate, parts }) => ({
      path: candidate,
      certainty: certaintyOf(parts, candidate, path, name) / best.length,
    }));
  }

  /** Files that a dotted or `::` name refers to: `sphinx.ext.autosummary`, `com.acme.Foo`, `tokio::sync::mpsc`. */
  module(name: string): string[] {
    const parts = name.split(/[.:#/]+/).filter((part) => part !== "");
    for (let length = parts.length; length >= 2; length -= 1) {
      const wanted = `/${parts.slice(0, length).join("/").toLowerCase()}`;
      const lower = (this.#lower ??= this.#paths.map((path) => `/${path.toLowerCase()}`));
      const found = this.#paths.filter((_, position) => {
        const whole = lower[position] ?? "";
        const at = whole.lastIndexOf(wanted);
        // The file itself, or a file directly in the folder of that name.
        return at !== -1 && /^(?:\/[^/]+)?\.[a-z]+$/.test(whole.slice(at + wanted.length));
      });
      if (found.length > 0 && found.length <= MOST_MATCHES * 3) return found;
    }
    return [];
  }
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function certaintyOf(parts: number, candidate: string, path: string, name: string): number {
  if (parts === path.split("/").length && parts > 1) return 1;
  if (parts === candidate.split("/").length && parts > 1) return 1;
  if (parts > 1) return 0.8;
  if (COMMON_NAME.test(name)) return 0.1;
  // `/home/me/app/server.js` shares only its name with `lib/server.js`: probably the reporter's own file.
  return path.includes("/") ? 0.25 : 0.7;
}

function sharedEnd(left: string, right: string): number {
  const a = left.toLowerCase().split("/").toReversed();
  const b = right.toLowerCase().split("/").toReversed();
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared += 1;
  return shared;
}
