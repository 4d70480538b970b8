import { z } from "zod";
import type { ChangedTogether } from "../git/history.ts";
import type { ExplorerTool } from "./answer.ts";
import { defineTool } from "./define-tool.ts";
import type { FileAccess } from "./file-access.ts";
import { pagingInput } from "./paging.ts";
import { shownPath, shownText } from "./sanitize.ts";

interface ListedChange {
  commit: string;
  author: string;
  /** ISO 8601. */
  at: string;
  subject: string;
  /** How many files it changed in total. */
  files: number;
}

export interface History {
  tool: "history";
  path: string;
  /** The commits behind these figures; `COMMITS` at most. */
  commits: number;
  changes: ListedChange[];
  together: Neighbour[];
  authors: Author[];
}

const COMMITS = 300;
const SUBJECT_CHARACTERS = 200;
const NAME_CHARACTERS = 60;

const input = z.strictObject({
  path: z.string().min(1).max(5_000).describe('a file or folder; "." for the whole repository'),
  ...pagingInput({ results: 15, most: 100 }),
});

export function history(fileAccess: FileAccess): ExplorerTool<History> {
  return defineTool(fileAccess, {
    name: "history",
    description:
      "Tells the recent past of a file or folder: who knows it, which files usually change together with it, and its " +
      "newest commits. Use it to find the reason for a piece of code, its forgotten counterparts, or a person to ask. " +
      `From the newest ${COMMITS} commits that touched the path; merges and earlier names are not followed.`,
    input,
    onTimeout: "ask for a single file",
    async list({ path }, signal) {
      const target = path === "." || path === "./" ? null : fileAccess.locate(path);
      if (target?.kind === "refused") return target;
      const real = target === null ? "" : target.kind === "file" ? target.file.path : target.path;
      const changes = await fileAccess.index.repository.history(real, { limit: COMMITS, signal });
      const neighbours = neighboursOf(changes, real, (other) => fileAccess.has(other));
      const together = neighbours.map((each) => ({ ...each, path: shownPath(each.path) }));
      const authors = authorsOf(changes).map((each) => ({ ...each, name: shownText(each.name, NAME_CHARACTERS) }));
      const name = real === "" ? "." : shownPath(real);
      return {
        heading: `${name}: ${changes.length} commits looked at`,
        found: [{ kind: "figures" as const }, ...changes.map((change) => ({ kind: "change" as const, change }))],
        row: (found: Found): Found => found,
        show: (row: Found) => (row.kind === "figures" ? figures(together, authors) : showChange(listed(row.change))),
        data: (rows: Found[]): History => {
          const first = rows.some((row) => row.kind === "figures");
          const shown = rows.flatMap((row) => (row.kind === "change" ? [listed(row.change)] : []));
          const own = first ? { together, authors } : { together: [], authors: [] };
          return { tool: "history", path: name, commits: changes.length, changes: shown, ...own };
        },
        nothing: "No commits.",
      };
    },
  });
}

/** The figures are the first result, so that they appear once however results are paged. */
type Found = { kind: "figures" } | { kind: "change"; change: ChangedTogether };

function listed(change: ChangedTogether): ListedChange {
  return {
    commit: change.commit,
    author: shownText(change.author, NAME_CHARACTERS),
    at: change.at,
    subject: shownText(change.subject, SUBJECT_CHARACTERS),
    files: change.changed,
  };
}

function showChange(change: ListedChange): string {
  const files = change.files === 1 ? "1 file" : `${change.files} files`;
  return `${change.commit.slice(0, 10)} ${change.at.slice(0, 10)} ${change.author}: ${change.subject} (${files})`;
}

function figures(together: readonly Neighbour[], authors: readonly Author[]): string {
  const people = authors.map(
    (each) => `  ${each.name}: ${each.commits} (${each.share} %), last ${each.last.slice(0, 10)}`,
  );
  const paths = together.map((each) => `  ${each.path}: ${each.commits} (${each.share} %)`);
  return [
    ...(people.length > 0 ? ["who knows it, by commits, recent ones first", ...people] : []),
    ...(paths.length > 0 ? ["changes together with it, by commits", ...paths] : []),
    "commits, newest first",
  ].join("\n");
}

export interface Author {
  name: string;
  commits: number;
  /** Percent of the examined commits. */
  share: number;
  /** Of the newest commit; ISO 8601. */
  last: string;
}

export interface Neighbour {
  path: string;
  /** Commits that changed both. */
  commits: number;
  /** Percent of the commits that are small enough to count. */
  share: number;
}

const MOST_AUTHORS = 5;
const MOST_NEIGHBOURS = 8;
/** Larger commits do not relate any two of their files. */
const MOST_FILES = 40;
const HALF_LIFE_MS = 365 * 24 * 60 * 60 * 1_000;

/** The people who know a path best: the weight of a commit halves for every year before the newest one. */
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

/** Existing files that changed in the same commits at least twice, without those of the path itself. */
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
