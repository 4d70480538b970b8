import type { ChangedTogether } from "../git/history.ts";

export interface Author {
  name: string;
  commits: number;
  /** Percent of the commits looked at. */
  share: number;
  /** Of the newest commit; ISO 8601. */
  last: string;
}

export interface Neighbour {
  path: string;
  /** Commits that changed both. */
  commits: number;
  /** Percent of the commits that say something about it. */
  share: number;
}

const MOST_AUTHORS = 5;
const MOST_NEIGHBOURS = 8;
/** A commit of more files than this was made for something else than any two of them. */
const MOST_FILES = 40;
const HALF_LIFE_MS = 365 * 24 * 60 * 60 * 1_000;

/** Who knows a place: commits count half for every year that they are older than the newest one. */
export function authorsOf(changes: readonly ChangedTogether[]): Author[] {
  const times = changes.map((change) => Date.parse(change.at)).filter(Number.isFinite);
  const newest = times.reduce((latest, time) => Math.max(latest, time), 0);
  const byName = new Map<string, Author & { weight: number }>();
  for (const { author, at } of changes) {
    const time = Date.parse(at);
    const weight = Number.isFinite(time) ? 0.5 ** ((newest - time) / HALF_LIFE_MS) : 0;
    const known = byName.get(author);
    if (known) {
      known.commits += 1;
      known.weight += weight;
      if (Date.parse(known.last) < time) known.last = at;
    } else byName.set(author, { name: author, commits: 1, share: 0, last: at, weight });
  }
  return [...byName.values()]
    .toSorted((a, b) => b.weight - a.weight || b.commits - a.commits || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_AUTHORS)
    .map(({ name, commits, last }) => ({ name, commits, share: percent(commits, changes.length), last }));
}

/** Files that were changed in the same commits at least twice and still exist, without those of the place itself. */
export function neighboursOf(
  changes: readonly ChangedTogether[],
  path: string,
  exists: (path: string) => boolean,
): Neighbour[] {
  if (path === "") return [];
  const telling = changes.filter((change) => change.changed <= MOST_FILES);
  const counts = new Map<string, number>();
  for (const other of telling.flatMap((change) => change.paths)) {
    if (other === path || other.startsWith(`${path}/`) || !exists(other)) continue;
    counts.set(other, (counts.get(other) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, commits]) => commits > 1)
    .toSorted(([a, most], [b, more]) => more - most || (a < b ? -1 : 1))
    .slice(0, MOST_NEIGHBOURS)
    .map(([other, commits]) => ({ path: other, commits, share: percent(commits, telling.length) }));
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 100) / whole);
}
