import { type CodeFiles, stringAt, valueAt } from "../code-files.ts";
import { shellCommand } from "../shell-words.ts";
import { type Needs, addRequirements, noNeeds, requirementName } from "./needs.ts";
import type { PythonProject } from "./project.ts";

/**
 * The system's own Python takes no packages where the distribution manages it (PEP 668). Relay names a folder outside of
 * the tree in this variable, and puts its programs first once the environment is there.
 */
const MAKE_ENVIRONMENT = 'python3 -m venv "$VIRTUAL_ENV"';

/** Extras and groups for those who work on a project. */
const FOR_WORK = /^(?:dev(?:el(?:op(?:ment|er)?)?)?|tests?|testing|unit-?tests?|pytest)$/i;
/** A lock file has the versions of these too. */
const FOR_CHECKS = /^(?:lint(?:ers?|ing)?|types?|typing|type-?check(?:s|ing)?|mypy|ruff|checks?|style|qa|ci)$/i;

const REQUIREMENTS = [
  /^(?:requirements[\w.-]*|[\w.-]*requirements)\.(?:txt|in|pip)$/,
  /^requirements\/[\w.-]+\.(?:txt|in|pip)$/,
  /^tests?\/requirements\.txt$/,
];
/** Of files of requirements: those for documents, releases and the like are left out. */
const FILE_FOR_WORK =
  /(?:^|[^a-z])(?:base|common|main|dev\w*|tests?|testing|local|ci|unit\w*|requirements)(?:[^a-z]|$)/;
const FILE_FOR_OTHERS = /doc|rtd|release|build|packag|prod|deploy|lint|bench|example|optional|extra|gpu|cuda|notebook/;

/** What people who work on the project install, where no session of tox, nox or Hatch says it. */
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

/** One file of each name: a locked `.txt` before the `.in` that it was made from. */
function requirementFiles(paths: ReadonlySet<string>): string[] {
  const all = [...paths].filter(
    (path) =>
      REQUIREMENTS.some((form) => form.test(path)) &&
      FILE_FOR_WORK.test(path.replace(/^requirements\//, "")) &&
      !FILE_FOR_OTHERS.test(path),
  );
  return all.filter((path) => path.endsWith(".txt") || !paths.has(path.replace(/\.\w+$/, ".txt"))).slice(0, 10);
}

/** Everything that the needs name, as requirements: with groups and files, one level deep. */
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

/** The commands that make an environment with what is needed, by the manager whose lock file there is, else by pip. */
export function setUpPython(code: CodeFiles, project: PythonProject, needs: Needs, more: readonly string[]): string[] {
  const managed = managerOf(code, project);
  const install = pipInstall(managed === null ? needs : noNeeds(), project, more);
  return [MAKE_ENVIRONMENT, ...(managed ?? []), ...(install === null ? [] : [install])];
}

const MOST_REQUIREMENTS = 100;

/** Null where nothing has to be installed. */
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

/** The commands of uv, Poetry, PDM or Pipenv for the same environment; null for a project of none of them. */
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

/** Gets the manager where the machine lacks it. */
function managedBy(tool: string, ...words: string[]): string[] {
  return [`command -v ${tool} || pip install ${tool}`, shellCommand([tool, ...words])];
}

function isLocked(name: string): boolean {
  return FOR_WORK.test(name) || FOR_CHECKS.test(name);
}

export function declares(requirements: readonly string[], name: string): boolean {
  return requirements.some((each) => requirementName(each) === name);
}
