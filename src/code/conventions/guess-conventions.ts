import type { Repository } from "../git/repository.ts";
import type { Conventions } from "../../domain/conventions.ts";
import { ciCommands } from "./ci.ts";
import { type CodeFiles, type Commands, type Found, codeFiles, NOTHING } from "./code-files.ts";
import { dotnetCommands, elixirCommands, goCommands, javaCommands, rustCommands } from "./compiled.ts";
import { makeCommands } from "./make.ts";
import { nodeCommands } from "./node.ts";
import { pythonCommands } from "./python/python.ts";
import { phpCommands, rubyCommands } from "./scripting.ts";

/** Style guides, the most specific first. */
const STYLE_GUIDES = [
  "CONTRIBUTING.md",
  ".github/CONTRIBUTING.md",
  "docs/CONTRIBUTING.md",
  "STYLEGUIDE.md",
  "CONTRIBUTING.rst",
  ".editorconfig",
];

/**
 * Looks up commands and the style guide in the files of a repository (R-FIX-1). Commands that the repository writes
 * down come first: package scripts, sessions of tox and nox, Makefile targets; then those implied by its language, or
 * by tools that it installs and configures; its CI only if there are no tests otherwise. Each language adds its own
 * tests. Empty if nothing is found: no command is made up.
 */
export async function guessConventions(repository: Pick<Repository, "files" | "readFile">): Promise<Conventions> {
  const code = await codeFiles(repository);
  const found = await guessIn(code);
  const commands = [...found.setup_commands, ...found.test_commands, found.lint_command, found.build_command];
  if (commands.some((command) => command !== "")) return found;
  return (await guessBelow(code, found)) ?? found;
}

/** For a repository without a manifest at the top: the commands of each project below it, run in its folder. */
async function guessBelow(code: CodeFiles, top: Conventions): Promise<Conventions | null> {
  const all: Conventions[] = [];
  for (const folder of projectsBelow(code)) {
    const found = await guessIn(filesBelow(code, folder));
    const inFolder = (command: string | null | undefined) =>
      command == null || command === "" ? "" : `cd ${folder} && ${command}`;
    all.push({
      ...found,
      setup_commands: found.setup_commands.map(inFolder),
      test_commands: found.test_commands.map(inFolder),
      lint_command: inFolder(found.lint_command),
      build_command: inFolder(found.build_command),
      type_check_command: inFolder(found.type_check_command),
    });
  }
  if (all.length === 0) return null;
  const each = (key: "lint_command" | "build_command" | "type_check_command") => {
    const commands = all.map((one) => one[key]).filter((command) => command !== "");
    return commands.length < 2 ? (commands[0] ?? "") : commands.map((command) => `(${command})`).join(" && ");
  };
  return {
    ...top,
    setup_commands: all.flatMap((one) => one.setup_commands),
    test_commands: all.flatMap((one) => one.test_commands),
    lint_command: each("lint_command"),
    build_command: each("build_command"),
    type_check_command: each("type_check_command"),
  };
}

async function guessIn(code: CodeFiles): Promise<Conventions> {
  const kinds = await kindsOf(code);
  const make = await makeCommands(code);
  const first = (key: "lint" | "build" | "types") => {
    const found = [...kinds.map(({ written }) => written), make, ...kinds.map(({ implied }) => implied)];
    return found.map((each) => each[key]).find((command) => command !== undefined) ?? "";
  };
  const ofKinds = kinds.flatMap(
    ({ written, implied }) => written.tests ?? (implied.tests && (make.tests ?? implied.tests)) ?? [],
  );
  const tests = ofKinds.length > 0 ? ofKinds : (make.tests ?? []);
  const setup = neededOf(kinds, make).flatMap((kind) => kind.setup);
  const ci = tests.length === 0 ? await ciCommands(code) : { setup: [], tests: [] };
  return {
    branch_prefix: {},
    setup_commands: setup.length > 0 ? setup : ci.setup,
    test_commands: [...new Set([...tests, ...ci.tests])],
    lint_command: first("lint"),
    build_command: first("build") || (setup.length + ofKinds.length === 0 ? (make.all ?? "") : ""),
    type_check_command: first("types"),
    style_guide: STYLE_GUIDES.find((path) => code.paths.has(path)) ?? "standard",
  };
}

/**
 * Leaves out kinds of project that no command needs, such as a Gemfile for documents in a Go project. Make targets may
 * need any kind.
 */
function neededOf(kinds: readonly Found[], make: Commands): readonly Found[] {
  const used = kinds.filter(({ written, implied }) => tells(written) || tells(implied));
  return used.length === 0 || tells(make) ? kinds : used;
}

function tells(commands: Commands): boolean {
  return Object.values(commands).some((command) => command !== undefined);
}

async function kindsOf(code: CodeFiles): Promise<Found[]> {
  const node = await nodeCommands(code);
  const others = [
    await rubyCommands(code),
    await phpCommands(code),
    await rustCommands(code),
    goCommands(code),
    elixirCommands(code),
    javaCommands(code),
    dotnetCommands(code),
  ];
  const python = await pythonCommands(code, { isAlone: [node, ...others].every((found) => found === NOTHING) });
  return [node, python, ...others];
}

const MANIFEST =
  /^((?:[\w@-][\w.@-]{0,60}\/){1,2})(?:package\.json|pyproject\.toml|setup\.py|setup\.cfg|requirements\.txt|go\.mod|Cargo\.toml|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs)$/;
/** Folders whose manifests do not belong to the product. */
const BESIDE =
  /^(?:docs?|website|examples?|samples?|demos?|tests?|fixtures?|testdata|e2e|bench(?:marks?)?|vendor|third_party|node_modules|tools|scripts|templates?)$/i;
/** With more folders, there would be a command for each of many packages. */
const MOST = 6;

/**
 * Folders with their own manifest, outermost first, for a repository without one at the top: `backend`, `packages/a`.
 * Empty if there are too many to run them one by one.
 */
function projectsBelow({ paths }: CodeFiles): string[] {
  const folders = [...paths].flatMap((path) => MANIFEST.exec(path)?.[1]?.slice(0, -1) ?? []);
  const wanted = [...new Set(folders)].filter((folder) => !folder.split("/").some((name) => BESIDE.test(name)));
  const outer = wanted.filter((folder) => !wanted.some((other) => folder.startsWith(`${other}/`)));
  return outer.length > MOST ? [] : outer.toSorted();
}

/** The files below a folder, as if it were the top of the repository. */
function filesBelow(code: CodeFiles, folder: string): CodeFiles {
  const below = (paths: ReadonlySet<string>) =>
    new Set([...paths].flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [])));
  const paths = below(code.paths);
  return {
    paths,
    executable: below(code.executable),
    first: (...wanted) => wanted.find((path) => paths.has(path)) ?? null,
    read: async (path) => await code.read(`${folder}/${path}`),
  };
}
