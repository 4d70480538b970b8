import { classify } from "../../code/classify.ts";
import { patchedFiles, type PatchedFile } from "./patch.ts";
import { scenariosOf, type Scenario } from "./scenarios.ts";
import { shared, significantWords } from "../../domain/text/significant-words.ts";

/** The part of a change that matches a scenario by its words; null without a match. */
export interface Coverage {
  scenario: string;
  by: { kind: "test"; path: string; name: string } | { kind: "change"; path: string } | null;
}

interface Test {
  path: string;
  name: string;
  named: Set<string>;
  /** The name's words and those of the added lines. */
  all: Set<string>;
}

/** Tests that are compared. */
const MOST_TESTS = 2_000;
/** Share and number of the words that must be found. */
const ENOUGH = 0.6;
const FEWEST = 4;

/**
 * For each scenario of the spec, the test of the patch that matches it, or else the changed file. Compares words only:
 * nothing is run, and weak matches are not claimed.
 */
export function scenarioCoverage(spec: string, patch: string): Coverage[] {
  const scenarios = scenariosOf(spec);
  if (scenarios.length === 0) return [];
  const files = patchedFiles(patch);
  const tests = files
    .filter(({ path }) => isTest(path))
    .flatMap(testsOf)
    .slice(0, MOST_TESTS);
  const sources = files
    .filter(({ path }) => !isTest(path))
    .map((file) => ({ path: file.path, all: significantWords(`${file.path}\n${addedTo(file)}`) }));
  return scenarios.map((scenario) => ({ scenario: scenario.name, by: coveredBy(scenario, tests, sources) }));
}

function coveredBy(
  { name, steps }: Scenario,
  tests: readonly Test[],
  sources: readonly { path: string; all: Set<string> }[],
): Coverage["by"] {
  const title = significantWords(name);
  const whole = significantWords(`${name}\n${steps}`);
  const titled = best(tests, ({ named }) => {
    const found = shared(title, named);
    return found >= Math.min(2, title.size) && found >= title.size * ENOUGH ? found : 0;
  });
  // A test's name says what comes out, seldom the circumstances and the command.
  const outcome = significantWords(/\bTHEN\b[\s\S]*/.exec(steps)?.[0] ?? "");
  const test =
    titled ??
    best(tests, ({ all }) => enoughOf(whole, all)) ??
    best(tests, ({ named }) => enoughOf(named, whole)) ??
    best(tests, ({ all }) => enoughOf(outcome, all));
  if (test) return { kind: "test", path: test.path, name: test.name };
  const source = best(sources, ({ all }) => enoughOf(whole, all));
  return source ? { kind: "change", path: source.path } : null;
}

/** Number of the words that are also among the others; 0 if they are too few. */
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

/** Test names in strings: `test("…")`, `it.each(…)("…")`, `scenario "…" do`. */
const NAMED_BY_STRING =
  /\b(?:test|it|describe|context|scenario|specify|example|example_group|feature)\b[^"'`]{0,80}(["'`])((?:(?!\1).){2,300})\1/;
/** Test names as functions: `def test_rounding`, `func TestRounding`, `void roundsHalf()`. */
const NAMED_BY_FUNCTION =
  /\b(?:def|func|fun|fn|function|void|Task|class)\s+(?:\([^)]{0,80}\)\s*)?`?([\p{L}_][\p{L}\p{N}_ ]{2,200})`?\s*[(:{<]/u;

/** Tests with added lines; lines before the first test name are skipped. */
function testsOf({ path, lines }: PatchedFile): Test[] {
  const tests: Test[] = [];
  let name = "";
  let open: Test | null = null;
  for (const { text, isAdded } of lines) {
    const found = NAMED_BY_STRING.exec(text)?.[2] ?? NAMED_BY_FUNCTION.exec(text)?.[1];
    if (found !== undefined) {
      name = found;
      open = null;
    }
    if (!isAdded || name === "") continue;
    if (!open) {
      const named = significantWords(name);
      open = { path, name, named, all: new Set(named) };
      tests.push(open);
    }
    if (open.all.size < 500) for (const word of significantWords(text)) open.all.add(word);
  }
  return tests;
}

function addedTo({ lines }: PatchedFile): string {
  return lines.flatMap(({ text, isAdded }) => (isAdded ? [text] : [])).join("\n");
}

function isTest(path: string): boolean {
  return classify(path).role === "test";
}
