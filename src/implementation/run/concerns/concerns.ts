import type { Concern } from "../../../domain/concern.ts";
import { keptText } from "../../../domain/text/clean-text.ts";
import { besidePlan, oddFiles } from "./beside-plan.ts";
import type { FinishedChange } from "./finished-change.ts";
import { newDependencies } from "./new-dependencies.ts";
import { protectedFiles } from "./protected-files.ts";

const MOST = { concerns: 500, names: 20, name: 300 };

/** What looks at a finished change: each is a function of the commits and the facts alone. */
const LOOKS: readonly ((change: FinishedChange) => Concern[] | Promise<Concern[]>)[] = [
  besidePlan,
  oddFiles,
  protectedFiles,
  newDependencies,
];

/**
 * What a person should look at in a finished change: it is held against the plan, and new dependencies are named
 * (R-WORK-11). Called right after the proof, and stored with it; a file that is a concern otherwise is not told again as
 * one beside the plan. The kinds of concerns and what each weighs are in `domain/concern.ts`, their words in
 * `notify/concern-words.ts`.
 */
export async function concernsOf(change: FinishedChange): Promise<Concern[]> {
  const found: Concern[] = [];
  for (const look of LOOKS) found.push(...(await look(change)));
  const told = new Set(found.filter(({ kind }) => kind !== "not planned").map(({ path }) => path));
  const once = found.filter(({ kind, path }) => kind !== "not planned" || !told.has(path));
  return once.slice(0, MOST.concerns).map(storable);
}

/** Names of files and tests can contain anything, including hidden characters. */
function storable({ path, names, ...rest }: Concern): Concern {
  const kept = (text: string) => keptText(text.slice(0, MOST.name)).toWellFormed();
  return { ...rest, path: path === null ? null : kept(path), names: names.slice(0, MOST.names).map(kept) };
}
