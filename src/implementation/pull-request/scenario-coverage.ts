import type { ChangedTest } from "../../code/tests/changed-tests.ts";
import { shared, significantWords } from "../../domain/text/significant-words.ts";

import { type Scenario, scenariosOf } from "./scenarios.ts";

/** A scenario of the spec, and the test that covers it; null if none was found. */
export interface Coverage {
  scenario: Scenario;
  test: Pick<ChangedTest, "path" | "name"> | null;
}

/** A test with the words of its name, and with those of all its code. */
interface Worded {
  test: ChangedTest;
  named: Set<string>;
  all: Set<string>;
}

/** How many characters of a test are read. */
const READ = 20_000;
/** Share and minimum number of the words that must be found. */
const ENOUGH = 0.6;
const FEWEST = 4;

/**
 * The scenarios of a spec, each with the test that covers it. `proving` are tests that fail without the change, so
 * running them has shown that they test it. Which scenario a test is about is guessed from its words; weak matches are
 * dropped.
 */
export function scenarioCoverage(spec: string, proving: readonly ChangedTest[]): Coverage[] {
  const tests = proving.map((test) => {
    const named = significantWords(test.name);
    return { test, named, all: new Set([...named, ...significantWords(test.body.slice(0, READ))]) };
  });
  return scenariosOf(spec).map((scenario) => ({ scenario, test: coveredBy(scenario, tests)?.test ?? null }));
}

function coveredBy({ name, steps }: Scenario, tests: readonly Worded[]): Worded | null {
  const title = significantWords(name);
  const whole = significantWords(`${name}\n${steps}`);
  const titled = best(tests, ({ named }) => {
    const found = shared(title, named);
    return found >= Math.min(2, title.size) && found >= title.size * ENOUGH ? found : 0;
  });
  // A test's name states the outcome, seldom the circumstances and the command.
  const outcome = significantWords(/\bTHEN\b[\s\S]*/.exec(steps)?.[0] ?? "");
  return (
    titled ??
    best(tests, ({ all }) => enoughOf(whole, all)) ??
    best(tests, ({ named }) => enoughOf(named, whole)) ??
    best(tests, ({ all }) => enoughOf(outcome, all))
  );
}

/** How many of the words are also among the others; 0 if too few. */
function enoughOf(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  const found = shared(words, others);
  return found >= FEWEST && found >= words.size * ENOUGH ? found : 0;
}

/** The first candidate with the highest score; null if all scores are 0. */
function best<T>(candidates: readonly T[], scoreOf: (candidate: T) => number): T | null {
  let found: { candidate: T; score: number } | null = null;
  for (const candidate of candidates) {
    const score = scoreOf(candidate);
    if (score > (found?.score ?? 0)) found = { candidate, score };
  }
  return found?.candidate ?? null;
}
