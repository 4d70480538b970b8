import type { IndexedFile } from "../../code/code-index.ts";
import type { OpenIndex } from "../../code/index/explorer.ts";
import type { Located } from "../../code/search/rank-files.ts";
import { folderOf } from "../../lib/paths.ts";
import { COMMON } from "./notes.ts";

/** The test that bears the name of a file, also if it has no word in common with the issue; the nearest one. */
export function testByName(index: Pick<OpenIndex, "files">, subject: Pick<Located, "path">): Located | undefined {
  const own = stemOf(subject.path);
  const named = index.files.filter(
    ({ path, role, language }) =>
      role === "test" &&
      language !== null &&
      !FIXTURE.test(path) &&
      isTestOf({ path }, subject) &&
      stemOf(path) === own,
  );
  const [test] = named.toSorted((a, b) => away(a.path, subject.path) - away(b.path, subject.path));
  return test && placeOfTest(test);
}

/** A test that was not found by what it says. */
export function placeOfTest({ path, language }: Pick<IndexedFile, "path" | "language">): Located {
  return { path, role: "test", language, score: 0, reasons: [], lines: [], symbols: [] };
}

/** How many folders lie between two files. */
function away(a: string, b: string): number {
  const [one, other] = [a.split("/"), b.split("/")];
  const shared = one.findIndex((folder, at) => folder !== other[at]);
  return one.length + other.length - 2 * shared;
}

/** Whether a test is one of a file, by name or folder. */
export function isTestOf(test: Pick<Located, "path">, subject: Pick<Located, "path">): boolean {
  const own = stemOf(subject.path);
  // `events/pool/index.js` is known by its folder.
  const name = COMMON.test(own) ? (subject.path.split("/").at(-2) ?? "").toLowerCase() : own;
  if (COMMON.test(own) && folderOf(test.path) === folderOf(subject.path)) return true;
  return name.length > 2 && !COMMON.test(name) && stemOf(test.path).includes(name);
}

/** What tests read or share. */
export const FIXTURE =
  /\.(?:ya?ml|json|html?|txt|md|css|toml|xml)$|\/(?:fixtures?|samples|__snapshots__)\/|(?:^|\/)(?:helpers?|utils?|setup|conftest)\.\w+$/i;

/** `src/export/csv_writer.test.ts` -> `csv_writer`. */
export function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return name.replace(/\.\w+$/, "").replaceAll(/^(?:test|spec)[-_.]|[-_.]?(?:tests?|spec)$/g, "");
}
