import type { CodeIndex } from "../code-index.ts";
import type { ExplorerTool } from "./answer.ts";
import type { FindFiles } from "./find-files.ts";
import { findFiles } from "./find-files.ts";
import type { FindReferences } from "./find-references.ts";
import { findReferences } from "./find-references.ts";
import type { ImportsOf } from "./imports-of.ts";
import { importsOf } from "./imports-of.ts";
import type { ListSymbols } from "./list-symbols.ts";
import { listSymbols } from "./list-symbols.ts";
import type { ReadLines } from "./read-lines.ts";
import { readLines } from "./read-lines.ts";
import type { SearchText } from "./search-text.ts";
import { searchText } from "./search-text.ts";
import type { FileAccess, TerritoryOptions } from "./file-access.ts";
import { territoryOf } from "./file-access.ts";
import { z } from "zod";
import type { ChangedTogether } from "../git/history.ts";
import { defineTool } from "./define-tool.ts";
import type { Author, Neighbour } from "./history-figures.ts";
import { authorsOf, neighboursOf } from "./history-figures.ts";
import { pagingInput } from "./paging.ts";
import { shownPath, shownText } from "./sanitize.ts";

/** What the tools find, told apart by `tool`. */
export type ExplorerData = SearchText | FindFiles | ListSymbols | ReadLines | FindReferences | ImportsOf | History;

/**
 * The read-only tools over the code of one commit, for a model or a protocol that hands them to one (R-EXP-3).
 * Throws `RelayError` `config` for a glob in `options.protect` that cannot be read.
 */
export function explorerTools(index: CodeIndex, options: TerritoryOptions = {}): ExplorerTool<ExplorerData>[] {
  const fileAccess = territoryOf(index, options);
  return [searchText, findFiles, listSymbols, readLines, findReferences, importsOf, history].map((make) =>
    make(fileAccess),
  );
}

interface ListedChange {
  commit: string;
  author: string;
  /** ISO 8601. */
  at: string;
  subject: string;
  /** How many files it changed in all. */
  files: number;
}

interface History {
  tool: "history";
  path: string;
  /** Commits that these figures are from; `COMMITS` at the most. */
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

function history(fileAccess: FileAccess): ExplorerTool<History> {
  return defineTool(fileAccess, {
    name: "history",
    description:
      "Tells the recent past of a file or folder: who knows it, which files usually change together with it, and its " +
      "newest commits. Use it to find the reason for a piece of code, its forgotten counterparts, or a person to ask. " +
      `From the newest ${COMMITS} commits that touched the path; merges and earlier names are not followed.`,
    input,
    mend: "ask for a single file",
    async list({ path }, signal) {
      const place = path === "." || path === "./" ? null : fileAccess.locate(path);
      if (place?.kind === "refused") return place;
      const real = place === null ? "" : place.kind === "file" ? place.file.path : place.path;
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

/** The figures are the first result, so that they are given once, however the pages fall. */
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
