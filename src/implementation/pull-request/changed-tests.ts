import { classify } from "../../code/classify.ts";
import { significantWords } from "../../domain/text/significant-words.ts";
import { type PatchedFile, patchedFiles } from "./patch.ts";

/** A test, or a group of tests, with added lines. */
export interface ChangedTest {
  path: string;
  name: string;
  /** Its name is new. */
  isNew: boolean;
  isGroup: boolean;
  /** The words of its name; and those of the added lines as well. */
  named: Set<string>;
  all: Set<string>;
}

/** Tests that are read. */
const MOST_TESTS = 2_000;

/** Test names in strings: `test("…")`, `it.each(…)("…")`, `scenario "…" do`. */
const NAMED_BY_STRING =
  /\b(test|it|describe|context|scenario|specify|example|example_group|feature)\b[^"'`]{0,80}(["'`])((?:(?!\2).){2,300})\2/;
const GROUPS = new Set(["describe", "context", "example_group", "feature"]);
/** Test names as functions: `def test_rounding`, `func TestRounding`, `void roundsHalf()`. */
const NAMED_BY_FUNCTION =
  /\b(?:def|func|fun|fn|function|void|Task|(class))\s+(?:\([^)]{0,80}\)\s*)?`?([\p{L}_][\p{L}\p{N}_ ]{2,200})`?\s*[(:{<]/u;

/** The tests of a patch with added lines; lines before the first name of a file are skipped. */
export function changedTests(patch: string): ChangedTest[] {
  return patchedFiles(patch)
    .filter(({ path }) => classify(path).role === "test")
    .flatMap(testsOf)
    .slice(0, MOST_TESTS);
}

function testsOf({ path, lines }: PatchedFile): ChangedTest[] {
  const tests: ChangedTest[] = [];
  let current: Pick<ChangedTest, "name" | "isNew" | "isGroup"> | null = null;
  let open: ChangedTest | null = null;
  for (const { text, isAdded } of lines) {
    const found = nameIn(text);
    if (found !== null) {
      current = { ...found, isNew: isAdded };
      open = null;
    }
    // What closes a block at the margin ends its test.
    else if (/^(?:[\])}]+;?|end)\s*$/.test(text)) current = open = null;
    if (!isAdded || current === null || text.trim() === "") continue;
    if (open === null) {
      const named = significantWords(current.name);
      open = { path, ...current, named, all: new Set(named) };
      tests.push(open);
    }
    if (open.all.size < 500) for (const word of significantWords(text)) open.all.add(word);
  }
  return tests;
}

function nameIn(text: string): { name: string; isGroup: boolean } | null {
  const [, keyword = "", , inString] = NAMED_BY_STRING.exec(text) ?? [];
  if (inString !== undefined) return { name: inString, isGroup: GROUPS.has(keyword) };
  const [, group, name] = NAMED_BY_FUNCTION.exec(text) ?? [];
  return name === undefined ? null : { name, isGroup: group !== undefined };
}
