import { type CodeFiles, type Commands, type Found, NOTHING, valueAt } from "../code-files.ts";
import { declaredIn, declares, managerOf, needsForWork, setUpPython } from "./install.ts";
import { type Needs, requirementName } from "./needs.ts";
import { noxSessions } from "./nox.ts";
import { type PythonProject, pythonProject } from "./project.ts";
import { hatchSessions, impliedTests, taskCommands, testSession } from "./tests.ts";
import { type Session, toxSessions } from "./tox.ts";

const PROJECT_FILE =
  /^(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|tox\.(?:ini|toml)|noxfile\.py|\.?pytest\.ini|manage\.py|requirements[\w.-]*\.(?:txt|in)|[\w.-]*requirements\.txt)$/;

/**
 * The commands of a Python project: what a session of tox, nox or Hatch runs, but in a virtual environment with what
 * that session installs. These programs would create environments of their own, which an agent would not find. Scripts
 * without any Python project file count only if there is no other kind of project.
 */
export async function pythonCommands(code: CodeFiles, { isAlone }: { isAlone: boolean }): Promise<Found> {
  const isPython = (path: string) => PROJECT_FILE.test(path) || (isAlone && path.endsWith(".py"));
  if (![...code.paths].some(isPython)) return NOTHING;
  const project = await pythonProject(code);
  const sessions = [...(await toxSessions(code)), ...(await noxSessions(code)), ...hatchSessions(project)];
  const session = testSession(sessions);
  const forWork = await needsForWork(code, project);
  const isManaged = managerOf(code, project) !== null;
  // A manager's lock file decides what is installed; what a session needs beyond that is added.
  const needs = session === null || isManaged ? forWork : session.needs;
  const listed = await declaredIn(needs, code, project);
  const known = [...listed, ...(await declaredIn(forWork, code, project)), ...everything(sessions, project)];
  const written = session?.commands ?? taskCommands(project);
  const implied = await impliedTests(code, project, (name) => declares(known, name));
  const checks = await checksOf(code, project, known);
  const tests = written.length > 0 ? written : implied === null ? [] : [implied];
  if (tests.length === 0 && Object.keys(checks).length === 0 && !isManaged && !installsAnything(needs)) return NOTHING;
  // The programs that these commands run must be installed too, unless they are already.
  const programs = [...tests, ...Object.values(checks)].flatMap((command) =>
    PROGRAMS.filter((name) => uses(command, name)),
  );
  const missing = programs.filter((name) => !declares(listed, name));
  const more = missing.map((name) => known.find((each) => declares([each], name)) ?? name);
  const beside = isManaged ? (session?.needs.requirements ?? []) : [];
  more.push(...beside.filter((each) => !declares(listed, requirementName(each))));
  return {
    setup: setUpPython(code, project, needs, [...new Set(more)]),
    written: written.length > 0 ? { tests: written } : {},
    implied: { ...checks, ...(implied === null ? {} : { tests: [implied] }) },
  };
}

/** Programs whose packages have the same names. */
const PROGRAMS = ["pytest", "ruff", "flake8", "pylint", "mypy", "pyright"] as const;

function uses(command: string, program: string): boolean {
  return command.split(/\s+/).includes(program);
}

/** All requirements of sessions, extras and groups: they show which tools the project uses, in which version. */
function everything(sessions: readonly Session[], { extras, groups }: PythonProject): string[] {
  return [
    ...sessions.flatMap(({ needs }) => needs.requirements),
    ...[...extras.values()].flat(),
    ...[...groups.values()].flat(),
  ];
}

function installsAnything(needs: Needs): boolean {
  return needs.installs || needs.files.length + needs.requirements.length + needs.groups.length > 0;
}

/** Linters and type checkers that the project configures and installs. */
async function checksOf(code: CodeFiles, project: PythonProject, known: readonly string[]): Promise<Commands> {
  const tox = await code.read("tox.ini");
  const { setupCfg, pyproject } = project;
  const configures = (tool: string, ...files: string[]) =>
    valueAt(pyproject, "tool", tool) !== undefined ||
    setupCfg.has(tool) ||
    new RegExp(String.raw`^\[${tool}\]`, "m").test(tox) ||
    code.first(...files) !== null;
  const used = (tool: string, ...files: string[]) => declares(known, tool) && configures(tool, ...files);
  const lint = used("ruff", "ruff.toml", ".ruff.toml") ? "ruff check ." : used("flake8", ".flake8") ? "flake8" : null;
  const isNamed = valueAt(pyproject, "tool", "mypy", "files") ?? valueAt(pyproject, "tool", "mypy", "packages");
  const types = !used("mypy", "mypy.ini", ".mypy.ini") ? null : isNamed === undefined ? "mypy ." : "mypy";
  return { ...(lint === null ? {} : { lint }), ...(types === null ? {} : { types }) };
}
