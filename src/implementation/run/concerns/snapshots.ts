import { type Concern, concern } from "../../../domain/concern.ts";
import type { FinishedChange } from "./finished-change.ts";
import { namesFile } from "./weaker-tests.ts";

/** Files in which runners keep what tests expect. */
const SNAPSHOT = /(?:^|\/)__snapshots__\/|\.snap$|\.ambr$|\.approved\.\w+$|\.received\.\w+$|\.golden$/;
/** The line that names an entry, in Jest and Vitest, or in syrupy. */
const ENTRY = /^exports\[`(.+?)`\]|^# name: (.+)$/;
const MOST_NAMES = 5;

/** Expectations that snapshots had before and no longer have; new entries are no concern (R-WORK-12). */
export async function snapshots({ order, changes, read }: FinishedChange): Promise<Concern[]> {
  const found: Concern[] = [];
  for (const { path, change } of changes) {
    if (change !== "modified" || !SNAPSHOT.test(path)) continue;
    const [before, after] = [await read(path, "base"), await read(path, "head")];
    const left = new Map<string, number>();
    for (const line of (after ?? "").split("\n")) left.set(line, (left.get(line) ?? 0) + 1);
    const gone = new Set<string>();
    let entry = "";
    for (const line of (before ?? "").split("\n")) {
      entry =
        ENTRY.exec(line)
          ?.slice(1)
          .find((name) => name !== undefined) ?? entry;
      const count = left.get(line) ?? 0;
      left.set(line, count - 1);
      if (count <= 0 && line.trim() !== "") gone.add(entry === "" ? line.trim() : entry);
    }
    if (gone.size === 0) continue;
    const names = [...gone].slice(0, MOST_NAMES);
    found.push(
      concern("expectation changed", {
        path,
        names,
        agreed: namesFile(order, path) || namesFile(order, ofTests(path)),
      }),
    );
  }
  return found;
}

/** The test file that a snapshot belongs to: `test/a.test.js` for `test/__snapshots__/a.test.js.snap`. */
function ofTests(path: string): string {
  return path.replace("__snapshots__/", "").replace(/\.(?:snap|ambr)$/, "");
}
