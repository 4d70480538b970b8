import { type CodeFiles, recordAt, stringAt, stringsAt, valueAt } from "../code-files.ts";
import { shellCommand, shellWords } from "../shell-words.ts";
import { addRequirements, noNeeds } from "./needs.ts";
import type { PythonProject } from "./project.ts";
import type { Session } from "./tox.ts";

/** A command that runs tests; those before and after it clean up or report. */
const RUNS_TESTS =
  /(?:^|[\s/=])(?:pytest|py\.test|unittest|trial|nosetests|nose2|zope-testrunner|green|stestr|manage\.py\s+test|runtests(?:\.py)?|run_tests(?:\.py)?|tests?\.py|setup\.py\s+test|slipcover|ward)(?:\s|$)|\s-m\s+test\b/;

function runsTests(command: string): boolean {
  return RUNS_TESTS.test(command);
}

const TEST_SESSIONS = /^(?:testenv|tests?|py3?|python|unit(?:[-_]?tests?)?|pytest|hatch-test|default|py3\d+|py3?\{.*)$/;

/** The session that runs the tests, with only its test commands; null for none. */
export function testSession(sessions: readonly Session[]): Session | null {
  for (const session of sessions.filter(({ name }) => TEST_SESSIONS.test(name))) {
    const commands = session.commands.filter(runsTests);
    if (commands.length > 0) return { ...session, commands };
  }
  return null;
}

/** Hatch environments with a script for the tests. */
export function hatchSessions({ pyproject }: PythonProject): Session[] {
  const environments = recordAt(pyproject, "tool", "hatch", "envs");
  return Object.entries(environments).map(([name, own]) => {
    const needs = noNeeds();
    const base = recordAt(environments, stringAt(own, "template") ?? "default");
    for (const from of new Set([base, own])) {
      for (const key of ["dependencies", "extra-dependencies"]) {
        for (const one of stringsAt(from, key)) addRequirements(needs, [one]);
      }
      needs.extras.push(...stringsAt(from, "features"));
    }
    needs.installs = valueAt(own, "skip-install") !== true && valueAt(own, "detached") !== true;
    const scripts = recordAt(own, "scripts");
    return { name, needs, commands: ["test", "tests", "unit"].flatMap((key) => scriptLines(scripts[key])) };
  });
}

/** A test script of a task runner: PDM, Poe or Taskipy. */
export function taskCommands({ pyproject }: PythonProject): string[] {
  const tool = recordAt(pyproject, "tool");
  const tasks = [recordAt(tool, "pdm", "scripts"), recordAt(tool, "poe", "tasks"), recordAt(tool, "taskipy", "tasks")];
  const commands = tasks.flatMap((each) => ["test", "tests"].flatMap((key) => scriptLines(each[key])));
  return commands.filter(runsTests).slice(0, 1);
}

function scriptLines(script: unknown): string[] {
  const text = [script, valueAt(script, "cmd"), valueAt(script, "shell")].find((each) => typeof each === "string");
  return (text === undefined ? stringsAt(script) : [text]).flatMap((line) => {
    const plain = line.replaceAll(/\{args:?([^}]*)\}/g, "$1").trim();
    const words = /[{}$&|;<>`]/.test(plain) ? null : shellWords(plain);
    return words === null || words.length === 0 ? [] : [shellCommand(words)];
  });
}

const MOST_READ = 40;
/** Names that pytest and unittest look for. */
const TEST_FILE = /(?:^|\/)(?:test\w*|\w+_tests?)\.py$/;

/** How to run tests if this is not written down: by Django, by pytest if it is used, or by unittest. */
export async function impliedTests(code: CodeFiles, project: PythonProject, declares: (name: string) => boolean) {
  const files = [...code.paths].filter((path) => TEST_FILE.test(path) && !/(?:^|\/)\./.test(path));
  const usesPytest =
    declares("pytest") ||
    (project.pyproject["tool"] !== undefined && valueAt(project.pyproject, "tool", "pytest") !== undefined) ||
    project.setupCfg.has("tool:pytest") ||
    /^\[pytest\]/m.test(await code.read("tox.ini")) ||
    code.first("pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py") !== null;
  if (code.paths.has("manage.py") && !usesPytest) return files.length === 0 ? null : "python manage.py test";
  if (files.length === 0) return null;
  if (usesPytest) return "python -m pytest";
  const texts = await Promise.all(files.slice(0, MOST_READ).map(async (path) => await code.read(path)));
  const imports = (name: string) =>
    texts.some((text) => new RegExp(String.raw`^\s*(?:from ${name}\b|import\b[^#]*\b${name}\b)`, "m").test(text));
  if (imports("pytest")) return "python -m pytest";
  if (!imports("unittest")) return null;
  return unittestFor(code, files);
}

/** Runs `discover` in the innermost folder with all tests, since it only enters packages below. */
function unittestFor({ paths }: CodeFiles, files: readonly string[]): string {
  const folders = files.map((path) => path.split("/").slice(0, -1));
  const [first = []] = folders;
  const shared = first.findIndex((name, at) => folders.some((names) => names[at] !== name));
  const common = shared === -1 ? first : first.slice(0, shared);
  const isPackage = common.every((_, at) => paths.has([...common.slice(0, at + 1), "__init__.py"].join("/")));
  const start = common.length === 0 ? [] : ["-s", common.join("/"), ...(isPackage ? ["-t", "."] : [])];
  const isSuffixed = files.every((path) => !/(?:^|\/)test\w*\.py$/.test(path));
  const pattern = isSuffixed ? ["-p", "*_test*.py"] : [];
  return shellCommand(["python", "-m", "unittest", "discover", ...start, ...pattern]);
}
