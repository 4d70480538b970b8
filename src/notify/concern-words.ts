import { type Concern, type ConcernKind, byKind } from "../domain/concern.ts";
import { code, inRow } from "../domain/text/comment-markdown.ts";
import { type PhraseKey, phrases } from "../i18n/phrases.ts";

/** The words of each kind; their slots are the `numbers` of a concern. */
const WORDS: Record<ConcernKind, PhraseKey<"concerns">> = {
  "scan failed": "scan_failed",
  "agent killed": "agent_killed",
  "no planned file": "no_planned_file",
  "check program": "check_program",
  "check does nothing": "check_does_nothing",
  "counts contradict": "counts_contradict",
  "no tests told": "no_tests_told",
  "fewer tests": "fewer_tests",
  "tests missing": "tests_missing",
  "test ends run": "test_ends_run",
  "acts under test": "acts_under_test",
  "fix unproven": "fix_unproven",
  "assertion void": "assertion_void",
  "test setup": "test_setup",
  "test alone": "test_alone",
  "test skipped": "test_skipped",
  "test removed": "test_removed",
  "assertion removed": "assertion_removed",
  "assertion inverted": "assertion_inverted",
  "check weaker": "check_weaker",
  "expectation changed": "expectation_changed",
  "test rewritten": "test_rewritten",
  "test skipped sometimes": "test_skipped_sometimes",
  "more skipped": "more_skipped",
  "new test skipped": "new_test_skipped",
  unproven: "unproven",
  "much more": "much_more",
  deleted: "deleted",
  "look-alike": "look_alike",
  opened: "opened",
  listed: "listed",
  submodule: "submodule",
  "agent instructions": "agent_instructions",
  owners: "owners",
  bots: "bots",
  checks: "checks",
  vendored: "vendored",
  dependencies: "dependencies",
  build: "build",
  toolchain: "toolchain",
  policies: "policies",
  "dot folder": "dot_folder",
  link: "link",
  executable: "executable",
  "not executable": "not_executable",
  binary: "binary",
  "new dependency": "new_dependency",
  "dependency versions": "dependency_versions",
  "not planned": "not_planned",
};

/** Characters for the files of one kind, and for what is named in one file. */
const ROOM = { files: 900, names: 300 };
const MOST_FILES = 60;

/** One line of Markdown for each kind of concern, the gravest first: what it is, and in which files (R-WORK-11). */
export function concernLines(concerns: readonly Concern[], language: string): string[] {
  return byKind(concerns).map(({ kind, all }) => {
    const items = all.flatMap((one) => itemOf(one, language) ?? []);
    const listed = items.length === 0 ? "" : `: ${inRow(items.slice(0, MOST_FILES), ROOM.files, items.length)}`;
    return `**${concernWords({ kind, numbers: all[0]?.numbers ?? {} }, language)}**${listed}`;
  });
}

/** What a kind of concern is, in that language. */
export function concernWords({ kind, numbers }: Pick<Concern, "kind" | "numbers">, language: string): string {
  return phrases("concerns", language)(WORDS[kind], numbers);
}

/** The file, and what of it; null where the words of the kind say all. */
function itemOf({ path, names, agreed }: Concern, language: string): string | null {
  const shown = names.map((name) => code(name, 120));
  const named = inRow(shown, ROOM.names, names.length);
  if (path === null) return named === "" ? null : named;
  const more = [named, agreed ? phrases("concerns", language)("agreed") : ""].filter((part) => part !== "");
  return `${code(path, 200)}${more.length === 0 ? "" : ` (${more.join("; ")})`}`;
}
