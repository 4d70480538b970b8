import { type DependencyChange, dependencyChanges, isLockFile } from "../../../code/dependencies/lock-files.ts";
import { type Concern, concern } from "../../../domain/concern.ts";
import type { FixPlan } from "../../../domain/plan.ts";
import type { ChangedFile } from "../../../domain/work.ts";
import type { FinishedChange } from "./finished-change.ts";

/** What a change does to the dependencies of one lock file. */
export interface LockFileChange {
  path: string;
  /** Null if the file cannot be parsed as its name suggests, or is too large. */
  changes: DependencyChange[] | null;
}

/** How many lock files are read. */
const MOST_FILES = 20;

/** The dependencies that a change adds, moves to other versions, or removes, by lock file (R-WORK-11). */
export async function changedDependencies(
  files: readonly ChangedFile[],
  read: FinishedChange["read"],
): Promise<LockFileChange[]> {
  const found: LockFileChange[] = [];
  for (const { path, change } of files.filter((file) => isTold(file, files)).slice(0, MOST_FILES)) {
    const before = change === "added" ? "" : await read(path, "base");
    const after = change === "deleted" ? "" : await read(path, "head");
    const changes =
      before === null || after === null
        ? null
        : dependencyChanges(path, { before: before === "" ? null : before, after: after === "" ? null : after });
    if (changes === null || changes.length > 0) found.push({ path, changes });
  }
  return found;
}

/** New dependencies. Those that the plan names count as agreed to. */
export async function newDependencies({ order, changes, read }: Omit<FinishedChange, "rules">): Promise<Concern[]> {
  const words = wordsOf(order.plan);
  const locks = await changedDependencies(changes, read);
  return locks.flatMap((lock) => {
    const added = (lock.changes ?? []).filter(({ before }) => before.length === 0);
    return [true, false].flatMap((agreed) => {
      const named = added.filter(({ name }) => words.has(name.toLowerCase()) === agreed);
      const names = named.map(({ name, after }) => [name, ...after].join(" "));
      return names.length === 0 ? [] : [concern("new dependency", { path: lock.path, agreed, names })];
    });
  });
}

/** `go.sum` keeps old versions too; `go.mod` is more exact. */
function isTold({ path }: ChangedFile, files: readonly ChangedFile[]): boolean {
  if (!isLockFile(path)) return false;
  const module = path.replace(/go\.sum$/, "go.mod");
  return module === path || !files.some((file) => file.path === module);
}

function wordsOf(plan: FixPlan): Set<string> {
  const texts = [
    ...plan.plan_steps.flatMap(({ description, command }) => [description, command ?? ""]),
    ...plan.file_changes.map(({ change_summary }) => change_summary),
  ];
  const words = texts.flatMap((text) => text.toLowerCase().split(/[^\w@/.:-]+/));
  // `left-pad@1.3.0`, or at the end of a sentence.
  return new Set(words.flatMap((word) => [word, word.replace(/(?<=.)@.*$|[.:]+$/g, "")]));
}
