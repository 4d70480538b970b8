import { classify } from "../../../code/classify.ts";
import { type Concern, concern } from "../../../domain/concern.ts";
import { lookAlikesIn } from "../../../domain/text/look-alikes.ts";
import type { FinishedChange } from "./finished-change.ts";

const ROLES_OF_TEXT = new Set(["docs", "asset", "lock", "minified"]);

/** Names of new files, and words of new lines of code, that are not what they look like (R-WORK-11). */
export async function lookAlikes({ changes, read }: FinishedChange): Promise<Concern[]> {
  const found: Concern[] = [];
  for (const { path, change } of changes) {
    if (change === "deleted") continue;
    const names = change === "added" ? lookAlikesIn(path) : [];
    if (!ROLES_OF_TEXT.has(classify(path).role)) {
      const [before, after] = [await read(path, "base"), await read(path, "head")];
      const had = new Set((before ?? "").split("\n"));
      const added = (after ?? "")
        .split("\n")
        .filter((line) => !had.has(line))
        .join("\n");
      const known = new Set((after ?? "").match(/[\w$]+/g));
      names.push(...lookAlikesIn(added, known));
    }
    if (names.length > 0) found.push(concern("look-alike", { path, names }));
  }
  return found;
}
