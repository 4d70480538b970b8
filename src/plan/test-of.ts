import { classify } from "../explore/classify.ts";

/** The test of one of the files, by its name: `a.ts` and `a.test.ts`, `test_a.py`, `ATest.java`; null without one. */
export function testOf(files: readonly { path: string }[], tree: readonly string[]): string | null {
  const wanted = new Set(files.filter(({ path }) => classify(path).role === "source").map(({ path }) => stemOf(path)));
  if (wanted.size === 0) return null;
  const found = tree.filter((path) => {
    const stem = stemOf(path);
    const subject = subjectOf(stem);
    return subject !== stem && wanted.has(subject) && classify(path).role === "test";
  });
  return found.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))[0] ?? null;
}

/** The file's name without folders and its last extension. */
function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");
}

function subjectOf(stem: string): string {
  return stem.replace(/^(?:test_|Test(?=[A-Z]))|(?:[._-](?:test|tests|spec)|(?<=[a-z0-9])(?:Tests?|Spec|IT))$/g, "");
}
