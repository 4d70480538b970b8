import { type Concern, concern } from "../../../domain/concern.ts";
import { escapeHiddenCharacters } from "../../../domain/text/hidden-characters.ts";
import { keptText } from "../../../domain/text/clean-text.ts";
import { boundsOf } from "../completion.ts";
import { actsUnderTest } from "./acts-under-test.ts";
import { besidePlan, oddFiles } from "./beside-plan.ts";
import { fewerTests } from "./fewer-tests.ts";
import type { FinishedChange } from "./finished-change.ts";
import { lookAlikes } from "./look-alikes.ts";
import { newDependencies } from "./new-dependencies.ts";
import { protectedFiles } from "./protected-files.ts";
import { snapshots } from "./snapshots.ts";
import { testSetup } from "./test-setup.ts";
import { unproven } from "./unproven.ts";
import { weakerChecks } from "./weaker-checks.ts";
import { weakerTests } from "./weaker-tests.ts";

const MOST = { concerns: 500, names: 20, name: 300 };

/** The checks of a finished change; each depends only on the commits and the facts. */
const LOOKS: readonly ((change: FinishedChange) => Concern[] | Promise<Concern[]>)[] = [
  killedAgent,
  besidePlan,
  oddFiles,
  lookAlikes,
  protectedFiles,
  newDependencies,
  fewerTests,
  unproven,
  weakerTests,
  snapshots,
  testSetup,
  actsUnderTest,
  weakerChecks,
];

/**
 * What a person should look at in a finished change: deviations from the plan, new dependencies (R-WORK-11), and weaker
 * tests and checks than on the base (R-WORK-12). Called right after the proof, and stored with it. A file with another
 * concern is not listed again as unplanned, or as defining checks. `domain/concern.ts` defines the kinds and their
 * weights, `notify/concern-words.ts` their wording.
 */
export async function concernsOf(change: FinishedChange): Promise<Concern[]> {
  const found: Concern[] = [];
  for (const look of LOOKS) found.push(...(await look(change)));
  const told = new Set(found.filter(({ kind }) => kind !== "not planned").map(({ path }) => path));
  const weaker = new Set(found.filter(({ kind }) => WEAKER_CHECKS.has(kind)).map(({ path }) => path));
  const once = found.filter(
    ({ kind, path }) => !(kind === "not planned" && told.has(path)) && !(kind === "checks" && weaker.has(path)),
  );
  return merged(once).slice(0, MOST.concerns).map(storable);
}

/** A run of the agent that was killed at a limit may have left its work unfinished. */
function killedAgent({ facts }: FinishedChange): Concern[] {
  const names = boundsOf(facts);
  return names.length === 0 ? [] : [concern("agent killed", { names })];
}

/** Merges the concerns about definitions of checks in one file. */
function merged(found: readonly Concern[]): Concern[] {
  const ofChecks = Map.groupBy(
    found.filter(({ kind }) => kind === "checks"),
    ({ path }) => path,
  );
  return found.flatMap((one) => {
    if (one.kind !== "checks") return [one];
    const all = ofChecks.get(one.path) ?? [];
    if (all[0] !== one) return [];
    return [{ ...one, names: mergedNames(all), agreed: all.every(({ agreed }) => agreed) }];
  });
}

/**
 * Of `scripts.test` and `scripts.test: a → b`, keeps the more detailed name; of `jest.bail` and `jest: a → b`, the more
 * specific key.
 */
function mergedNames(all: readonly Concern[]): string[] {
  const names = [...new Set(all.flatMap((one) => one.names))];
  return names.filter((name) => {
    const [key = name] = name.split(": ", 1);
    return !names.some((other) => other !== name && (other.startsWith(`${name}: `) || other.startsWith(`${key}.`)));
  });
}

const WEAKER_CHECKS = new Set<Concern["kind"]>(["check does nothing", "check weaker"]);

/** Names of files and tests can contain anything, including hidden characters. */
function storable({ path, names, ...rest }: Concern): Concern {
  const kept = (text: string) => keptText(text.slice(0, MOST.name)).toWellFormed();
  return {
    ...rest,
    path: path === null ? null : kept(escapeHiddenCharacters(path)),
    names: names.slice(0, MOST.names).map(kept),
  };
}
