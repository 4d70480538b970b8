import { classify } from "../code/classify.ts";

/** The test of the first file that has one, by its name: `a.test.ts`, `test_a.py`, `ATest.java`; null without one. */
export function testOf(files: readonly { path: string }[], tree: readonly string[]): string | null {
  const sources = files.filter(({ path }) => classify(path).role === "source").map(({ path }) => stemOf(path));
  const wanted = new Map(sources.map((stem, at) => [stem, at]));
  if (wanted.size === 0) return null;
  const found = tree.flatMap((path) => {
    const stem = stemOf(path);
    const subject = subjectOf(stem);
    const at = subject === stem ? undefined : wanted.get(subject);
    return at === undefined || classify(path).role !== "test" ? [] : [{ path, at }];
  });
  const best = found.toSorted((a, b) => a.at - b.at || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  return best[0]?.path ?? null;
}

/** The file's name without folders and its last extension. */
function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");
}

function subjectOf(stem: string): string {
  return stem.replace(/^(?:test_|Test(?=[A-Z]))|(?:[._-](?:test|tests|spec)|(?<=[a-z0-9])(?:Tests?|Spec|IT))$/g, "");
}
