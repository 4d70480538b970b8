import { type CheckChange, checkChanges } from "../../../code/checks/compare-checks.ts";
import { type Concern, type ConcernKind, concern } from "../../../domain/concern.ts";
import type { FinishedChange } from "./finished-change.ts";
import { namesFile, shortened } from "./weaker-tests.ts";

/** Characters that are shown of a definition. */
const LONGEST = 55;

const KINDS: Record<CheckChange["kind"], ConcernKind> = {
  "does nothing": "check does nothing",
  program: "check program",
  weaker: "check weaker",
  changed: "checks",
};

/** Changes to the checks themselves: scripts, targets, settings of their tools, programs (R-WORK-12). */
export async function weakerChecks({ order, changes, read }: FinishedChange): Promise<Concern[]> {
  const commands = [...order.commands.checks, ...order.commands.tests];
  const paths = changes.map(({ path }) => path);
  const byPlace = Map.groupBy(await checkChanges(commands, paths, read), ({ kind, path }) => `${kind} ${path}`);
  return [...byPlace.values()].flatMap((found) => {
    const [first] = found;
    if (first === undefined) return [];
    const agreed = first.kind === "changed" && namesFile(order, first.path);
    return [concern(KINDS[first.kind], { path: first.path, agreed, names: found.flatMap(nameOf) })];
  });
}

/** `scripts.test: node --test → exit 0` */
function nameOf({ kind, name, before, after }: CheckChange): string[] {
  if (kind === "program") return [];
  const change = `${shortened(before ?? "", LONGEST)} → ${shortened(after ?? "", LONGEST)}`.trim();
  return [name === "" ? change : `${name}: ${change}`];
}
