import { classify } from "../../../code/classify.ts";
import { RUNNER_SETTINGS, setupFilesIn, withoutEnding } from "../../../code/checks/setup-files.ts";
import { setupChanges } from "../../../code/tests/setup-code.ts";
import { type Concern, concern } from "../../../domain/concern.ts";
import type { FinishedChange } from "./finished-change.ts";
import { FIXTURES } from "./protected-files.ts";
import { namesFile } from "./weaker-tests.ts";

/** Files that runners load because of their names. */
const BY_NAME =
  /(?:^|\/)(?:conftest\.py|(?:spec|rails|test)_helper\.rb|setup-?tests\.[cm]?[jt]sx?|(?:jest|vitest|mocha|tests?)[.-]setup\.[cm]?[jt]sx?)$/i;
const MOST_READ = 200;

/**
 * Changes to code that runs before or around tests that the change leaves alone: such code can make them pass whatever
 * the tested code does (R-WORK-12). It has known file names, or the runner's settings load it.
 */
export async function testSetup({ order, changes, read }: FinishedChange): Promise<Concern[]> {
  const paths = changes
    .map(({ path }) => path)
    .filter((path) => classify(path).language !== null && !FIXTURES.test(path));
  const loaded = await loadedFiles(paths, order.commands, read);
  const found: Concern[] = [];
  for (const path of paths) {
    const isLoaded = BY_NAME.test(path) || loaded.has(withoutEnding(path));
    const onlyHooks = !isLoaded && path.endsWith(".py") && classify(path).role === "test";
    if (!isLoaded && !onlyHooks) continue;
    const [before, after] = [await read(path, "base"), await read(path, "head")];
    const inherited = await inheritedBy(path, read);
    const names = await setupChanges(path, { before, after, inherited, onlyHooks });
    if (names.length > 0) found.push(concern("test setup", { path, names, agreed: namesFile(order, path) }));
  }
  return found;
}

/** The files that the settings of runners and this run's commands load, without their extensions. */
async function loadedFiles(
  paths: readonly string[],
  { checks, tests }: FinishedChange["order"]["commands"],
  read: FinishedChange["read"],
): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const above = [...new Set(paths.flatMap(foldersAbove))].slice(0, MOST_READ);
  const texts: { text: string; folder: string }[] = [{ text: [...checks, ...tests].join("\n"), folder: "" }];
  for (const folder of above) {
    if (folder !== "" && (await read(`${folder}package.json`, "head")) === null) continue;
    for (const name of RUNNER_SETTINGS) {
      const text = await read(`${folder}${name}`, "head");
      if (text !== null) texts.push({ text, folder });
    }
  }
  return new Set(texts.flatMap(({ text, folder }) => setupFilesIn(text, folder)));
}

/** Python's fixture files in the folders above a path. */
async function inheritedBy(path: string, read: FinishedChange["read"]): Promise<string[]> {
  if (!/(?:^|\/)conftest\.py$/.test(path)) return [];
  const above = foldersAbove(path).slice(1);
  const texts = await Promise.all(above.map(async (folder) => await read(`${folder}conftest.py`, "base")));
  return texts.flatMap((text) => text ?? []);
}

/** The folders of a path, its own first, with a slash at the end; the root is empty. */
function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return [...parts.keys(), parts.length]
    .map((length) =>
      parts
        .slice(0, length)
        .map((part) => `${part}/`)
        .join(""),
    )
    .toReversed();
}
