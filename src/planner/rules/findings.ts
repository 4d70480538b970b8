import { codeSpan } from "../../lib/text.ts";
import { type Finding, type FindingSource, FINDINGS_PER_ISSUE, NOTES } from "../../domain/finding.ts";
import { isForbidden, isNamed } from "../../domain/statements/file-names.ts";
import type { Translate } from "../../i18n/phrases.ts";
import type { Repository } from "../../code/git/repository.ts";
import { type NewFinding, describe } from "./describe.ts";
import { likelyFiles } from "../../code/search/likely-files.ts";
import type { OpenIndex } from "../../code/index/explorer.ts";
import { type Wished, placesNamed } from "./wished.ts";
import { type Decided, type DecidedPlace, decidedPlaces, decidedTests } from "./decided.ts";
import { notesOn, usersOf } from "./notes.ts";
import { FIXTURE, isTestOf, testByName } from "./test-of.ts";
import { type Located, PINPOINTING, isPinpointed } from "../../code/search/rank-files.ts";

const MOST_FINDINGS = 5;
const MOST_PLACES = 4;

interface Look {
  code: Repository;
  index: OpenIndex;
  say: Translate<"questions">;
  aboutDocs: boolean;
  /** What the reporter proposes to change. */
  proposal: string | null;
  /** The issue's own title and text. */
  report: string;
  /** What decisions name. */
  decided: Decided;
  /** What later wishes say of places, each with its own look at the code. */
  wished: readonly Wished[];
  /** Files and folders that nobody is to touch. */
  forbidden: readonly string[];
}

/**
 * What a look at the code changes in the findings (R-PLAN-12): if it leads elsewhere, its findings replace those of the
 * rules' last look; what only comes after those is added to them. They have `path:line` sources with their code, in the
 * order of the search and with its reasons (R-SPEC-19). Files covered by a model's findings are skipped.
 */
export async function changedFindings(
  located: Located[],
  known: Finding[],
  look: Look,
): Promise<{ add: NewFinding[]; remove: string[] }> {
  const own = known.filter(isOfRules);
  const covered = known
    .filter((finding) => !isOfRules(finding))
    .flatMap((finding) => finding.sources.map((source) => pathOf(source.location)));
  const add = await newFindings(located, new Set(covered), look);
  const same = own.length <= add.length && startsOf(add.slice(0, own.length)) === startsOf(own);
  return same ? { add: add.slice(own.length), remove: [] } : { add, remove: own.map(({ id }) => id) };
}

async function newFindings(located: Located[], covered: ReadonlySet<string>, look: Look): Promise<NewFinding[]> {
  const { code, say, report, wished, forbidden } = look;
  const spared = wished.flatMap(({ meant }) => meant.spared);
  const named = wished.map((wish) => ({ ...wish, places: placesNamed(wish) }));
  const isSpared = ({ path }: Located) => isNamed(path, spared) || isForbidden(path, forbidden);
  const findings = await foundAt(
    isMoved(located, named, look) ? [] : located.filter((one) => !isSpared(one)),
    covered,
    { ...look, orAnyTest: !located.some((one) => one.role === "test" && isSpared(one)) },
  );
  for (const { located: all, places, meant } of named) {
    const kept = await withTest(
      places.filter((one) => !isSpared(one)),
      all.filter((one) => one.role === "test" && !isSpared(one)),
      { index: look.index, orAnyTest: false },
    );
    const words = `${report}\n${meant.text}`;
    for (const place of kept.filter(({ path }) => !covered.has(path))) {
      const finding = await describe(place, { report: words, symbols: [] }, code, say);
      const start = finding?.sources[0]?.location;
      const isKnown = findings.some(({ sources: [first] }) => first?.location === start && !isNote(first));
      if (finding && !isKnown && findings.length < FINDINGS_PER_ISSUE) findings.push(finding);
    }
  }
  return findings;
}

/**
 * Whether the work moves to a place that a wish names, away from the first one, so that what was found for that is
 * void.
 */
function isMoved(
  located: Located[],
  named: readonly (Wished & { places: Located[] })[],
  issue: Pick<Look, "aboutDocs" | "proposal">,
): boolean {
  const naming = named.filter(({ places }) => places.length > 0);
  if (naming.some(({ meant }) => meant.corrects && meant.spared.length === 0)) return true;
  const [first, ...others] = likelyFiles(located, issue);
  const spared = naming.flatMap(({ meant }) => meant.spared);
  const isSpared = ({ path }: Located) => isNamed(path, spared);
  return first !== undefined && isSpared(first) && !others.some((one) => isPinpointed(one) && !isSpared(one));
}

async function foundAt(
  located: Located[],
  covered: ReadonlySet<string>,
  { code, index, say, report, orAnyTest, ...issue }: Look & { orAnyTest: boolean },
): Promise<NewFinding[]> {
  const findings: NewFinding[] = [];
  const places = decidedPlaces(issue.decided, located, index);
  const kept = await worthKeeping(located, places, issue, { index, orAnyTest });
  for (const found of kept) {
    if (findings.length >= MOST_FINDINGS) break;
    const decided = places.find(({ place }) => place === found);
    const told = { report, symbols: decided?.symbols ?? [] };
    const finding = covered.has(found.path) ? null : await describe(found, told, code, say);
    if (finding) findings.push(finding);
  }
  const [first] = findings[0]?.sources ?? [];
  if (first === undefined || issue.aboutDocs) return findings;
  const subject = { path: pathOf(first.location), symbol: first.kind ?? null };
  const place = codeSpan(subject.symbol ?? subject.path);
  const all = await notesOn(index, subject);
  // Callers of a place that only shares words with the issue tell nothing.
  const isSure = PINPOINTING.has(kept[0]?.reasons[0]?.kind ?? "words");
  const notes = all.filter(({ kind }) => isSure || kind === "tests");
  return [...findings, ...notes.map(({ kind, sources }) => ({ synthesis: say(`found_${kind}`, { place }), sources }))];
}

function isNote(source: FindingSource | undefined): boolean {
  return NOTES.some((kind) => kind === source?.found_by);
}

function isOfRules({ sources }: Pick<Finding, "sources">): boolean {
  return sources[0]?.found_by !== undefined;
}

/** Where findings begin; of a stack trace, each line that it names counts. */
function startsOf(findings: readonly Pick<Finding, "sources">[]): string {
  return findings
    .flatMap(({ sources }) => (sources[0]?.found_by === "frame" ? sources : sources.slice(0, 1)))
    .map(({ location }) => location)
    .join("\n");
}

/** The places that decisions name, the likely files, and the test that decisions name, else that of the first of them. */
async function worthKeeping(
  located: Located[],
  decided: readonly DecidedPlace[],
  issue: Pick<Look, "aboutDocs" | "proposal" | "decided">,
  tests: TestSearch,
): Promise<Located[]> {
  const first = decided.map(({ place }) => place).filter(({ role }) => !issue.aboutDocs || role === "docs");
  const likely = likelyFiles(located, issue).filter((one) => !first.includes(one));
  const chosen = [...first, ...(first.length > 0 ? likely.slice(0, Math.max(1, MOST_PLACES - first.length)) : likely)];
  if (issue.aboutDocs) return chosen;
  const [test] = decidedTests(issue.decided, tests.index);
  if (test !== undefined) return [...chosen, located.find(({ path }) => path === test.path) ?? test];
  return await withTest(
    chosen,
    located.filter(({ role }) => role === "test"),
    tests,
  );
}

interface TestSearch {
  index: OpenIndex;
  /** Where no test is one of these files, the first is better than none. */
  orAnyTest: boolean;
}

/** With the test of the first file that has one. */
async function withTest(
  chosen: Located[],
  candidates: readonly Located[],
  { index, orAnyTest }: TestSearch,
): Promise<Located[]> {
  // A fixture is no test to write.
  const tests = candidates.filter(({ language, path }) => language !== null && !FIXTURE.test(path));
  const [subject] = chosen;
  const users = new Set(
    subject === undefined ? [] : (await usersOf(index, { path: subject.path, symbol: null })).users,
  );
  const named = subject === undefined ? [] : tests.filter((found) => isTestOf(found, subject));
  const test =
    named.find(({ path }) => users.has(path)) ??
    tests.find(({ path }) => users.has(path)) ??
    chosen.flatMap((one) => tests.find((found) => isTestOf(found, one)) ?? [])[0] ??
    (subject && testByName(index, subject)) ??
    (orAnyTest && subject !== undefined ? tests[0] : tests.find(isPinpointed));
  return [...chosen, ...(test ? [test] : [])];
}

function pathOf(location: string): string {
  return location.replace(/:\d+(?:-\d+)?$/, "");
}
