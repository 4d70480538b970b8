import { type CodeFiles, stringAt, valueAt } from "../code-files.ts";
import { shellCommand } from "../shell-words.ts";
import { type Needs, addRequirements, noNeeds, requirementName } from "./needs.ts";
import type { PythonProject } from "./project.ts";

/**
 * Where the distribution manages the system's Python, it accepts no packages (PEP 668). Relay sets this variable to a
 * folder outside the tree, and puts its programs first in PATH once the environment exists.
 */
const MAKE_ENVIRONMENT = 'python3 -m venv "$VIRTUAL_ENV"';

/** Names of extras and dependency groups for people who work on a project. */
const FOR_WORK = /^(?:dev(?:el(?:op(?:ment|er)?)?)?|tests?|testing|unit-?tests?|pytest)$/i;
/** With a lock file, these are installed too, since it pins their versions. */
const FOR_CHECKS = /^(?:lint(?:ers?|ing)?|types?|typing|type-?check(?:s|ing)?|mypy|ruff|checks?|style|qa|ci)$/i;

const REQUIREMENTS = [
  /^(?:requirements[\w.-]*|[\w.-]*requirements)\.(?:txt|in|pip)$/,
  /^requirements\/[\w.-]+\.(?:txt|in|pip)$/,
  /^tests?\/requirements\.txt$/,
];
/** Excludes requirement files for documents, releases and the like. */
const FILE_FOR_WORK =
  /(?:^|[^a-z])(?:base|common|main|dev\w*|tests?|testing|local|ci|unit\w*|requirements)(?:[^a-z]|$)/;
const FILE_FOR_OTHERS = /doc|rtd|release|build|packag|prod|deploy|lint|bench|example|optional|extra|gpu|cuda|notebook/;

/** What people who work on the project install, if no session of tox, nox or Hatch says so. */
export async function needsForWork(code: CodeFiles, project: PythonProject): Promise<Needs> {
  const needs = noNeeds();
  needs.files = requirementFiles(code.paths);
  const isManaged = managerOf(code, project) !== null;
  const isWanted = (name: string) => (isManaged ? isLocked(name) : FOR_WORK.test(name));
  needs.extras = [...project.extras.keys()].filter(isWanted);
  needs.groups = [...project.groups.keys()].filter(isWanted);
  const texts = await Promise.all(needs.files.map(code.read));
  const isInFile = texts.some((text) => /^(?:-e|--editable)[ =]\.(?:[\s[]|$)|^\.(?:\[|$)/m.test(text));
  needs.installs = needs.extras.length > 0 || (project.mustInstall && !isInFile);
  return needs;
}

/** One file per name: a locked `.txt` wins over the `.in` that it was made from. */
function requirementFiles(paths: ReadonlySet<string>): string[] {
  const all = [...paths].filter(
    (path) =>
      REQUIREMENTS.some((form) => form.test(path)) &&
      FILE_FOR_WORK.test(path.replace(/^requirements\//, "")) &&
      !FILE_FOR_OTHERS.test(path),
  );
  return all.filter((path) => path.endsWith(".txt") || !paths.has(path.replace(/\.\w+$/, ".txt"))).slice(0, 10);
}

/** All requirements behind the needs, with those in groups and files, one level deep. */
export async function declaredIn(needs: Needs, code: CodeFiles, project: PythonProject): Promise<string[]> {
  const texts = await Promise.all(needs.files.map(code.read));
  const lines = texts.flatMap((text) => text.split(/\r?\n/)).map((line) => line.replace(/(?:^|\s)#.*$/, "").trim());
  const listed = noNeeds();
  for (const line of lines) addRequirements(listed, [line]);
  return [
    ...needs.requirements,
    ...listed.requirements,
    ...[...needs.extras, ...listed.extras].flatMap((name) => project.extras.get(name) ?? []),
    ...needs.groups.flatMap((name) => project.groups.get(name) ?? []),
  ];
}

/** The commands that create an environment with everything needed: by the manager with a lock file, else by pip. */
export function setUpPython(code: CodeFiles, project: PythonProject, needs: Needs, more: readonly string[]): string[] {
  const managed = managerOf(code, project);
  const install = pipInstall(managed === null ? needs : noNeeds(), project, more);
  return [MAKE_ENVIRONMENT, ...(managed ?? []), ...(install === null ? [] : [install])];
}

const MOST_REQUIREMENTS = 100;

/** Null if nothing has to be installed. */
function pipInstall(needs: Needs, project: PythonProject, more: readonly string[]): string | null {
  const extras = [...new Set(needs.extras)].filter((name) => project.extras.has(name));
  const groups = needs.groups.flatMap((name) => project.groups.get(name) ?? []);
  const own = extras.length === 0 ? "." : `.[${extras.join(",")}]`;
  const installs = project.isPackage && needs.installs && (project.mustInstall || extras.length > 0);
  const requirements = [...new Set([...needs.requirements, ...groups, ...more])].slice(0, MOST_REQUIREMENTS);
  const words = [
    ...[...new Set(needs.files)].flatMap((file) => ["-r", file]),
    ...(installs ? ["-e", own] : []),
    ...requirements,
    ...[...new Set(needs.constraints)].flatMap((file) => ["-c", file]),
  ];
  return words.length === 0 ? null : shellCommand(["pip", "install", ...words]);
}

/** The same set-up by uv, Poetry, PDM or Pipenv; null if the project uses none of them. */
export function managerOf({ paths }: CodeFiles, { pyproject, extras, groups }: PythonProject): string[] | null {
  const has = (tool: string) => valueAt(pyproject, "tool", tool) !== undefined;
  const names = { extras: [...extras.keys()].filter(isLocked), groups: [...groups.keys()].filter(isLocked) };
  const flags = (extra: string, group: string) => [
    ...names.extras.flatMap((name) => [extra, name]),
    ...names.groups.flatMap((name) => [group, name]),
  ];
  if (paths.has("uv.lock") || (has("uv") && !paths.has("poetry.lock"))) {
    const locked = paths.has("uv.lock") ? ["--locked"] : [];
    return managedBy("uv", "sync", ...locked, "--inexact", ...flags("--extra", "--group"));
  }
  if (paths.has("poetry.lock") || stringAt(pyproject, "tool", "poetry", "name") !== undefined) {
    return managedBy("poetry", "install", "--no-interaction", ...flags("--extras", "--with"));
  }
  if (paths.has("pdm.lock") || has("pdm")) {
    return managedBy("pdm", paths.has("pdm.lock") ? "sync" : "install", ...flags("--group", "--group"));
  }
  if (paths.has("Pipfile.lock")) return managedBy("pipenv", "sync", "--dev");
  return paths.has("Pipfile") ? managedBy("pipenv", "install", "--dev", "--skip-lock") : null;
}

/** Installs the manager if the machine lacks it. */
function managedBy(tool: string, ...words: string[]): string[] {
  return [`command -v ${tool} || pip install ${tool}`, shellCommand([tool, ...words])];
}

function isLocked(name: string): boolean {
  return FOR_WORK.test(name) || FOR_CHECKS.test(name);
}

export function declares(requirements: readonly string[], name: string): boolean {
  return requirements.some((each) => requirementName(each) === name);
}
