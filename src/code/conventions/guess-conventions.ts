import type { Repository } from "../git/repository.ts";
import type { Conventions } from "../../domain/conventions.ts";
import { z } from "zod";

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
 * Looks up commands and the style guide in the files of a repository: package scripts and Makefile targets first, then
 * what its language brings, or tools that it installs or configures. Empty if nothing is found.
 */
export async function guessConventions(repository: Pick<Repository, "files" | "readFile">): Promise<Conventions> {
  const paths = new Set((await repository.files()).map(({ path }) => path));
  const read = async (path: string) => (paths.has(path) ? await repository.readFile(path).catch(() => null) : null);
  const found: Commands[] = [];
  for (const manifest of manifests(paths)) {
    const text = await read(manifest.path);
    if (text !== null) found.push(manifest.read(text));
  }
  const first = (key: "lint" | "build" | "types") => found.map((each) => each[key]).find((each) => each !== undefined);
  return {
    branch_prefix: {},
    setup_commands: setUpCommands(paths, (await read("package.json")) ?? ""),
    test_commands: found.flatMap(({ tests }) => tests ?? []).slice(0, 1),
    lint_command: first("lint") ?? "",
    build_command: first("build") ?? "",
    type_check_command: first("types") ?? "",
    style_guide: STYLE_GUIDES.find((path) => paths.has(path)) ?? "standard",
  };
}

/**
 * The commands that install dependencies in a fresh clone, by the files at its top; exactly the locked versions if
 * there is a lock file. A package that depends on nothing needs none.
 */
function setUpCommands(paths: ReadonlySet<string>, manifest: string): string[] {
  return KINDS.flatMap((kind) => {
    const found = kind.find(([files]) => files.every((file) => paths.has(file)));
    return found && !(found[1] === UNLOCKED && needsNothing(manifest)) ? [found[1]] : [];
  });
}

/** What npm installs for, or runs when it installs. */
const INSTALLS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "workspaces"];
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];

/** Whether a manifest can be read, and neither names a package nor runs anything when it is installed. */
function needsNothing(text: string): boolean {
  const read = z.record(z.string(), z.unknown()).safeParse(jsonOf(text));
  const scripts = scriptsOf(manifestOf(text));
  return (
    read.success &&
    INSTALLS.every((key) => Object.keys(Object(read.data[key])).length === 0) &&
    !INSTALL_SCRIPTS.some((script) => scripts.has(script))
  );
}

const UNLOCKED = "npm install --no-package-lock";

/** One list for each ecosystem; the first entry whose files all exist applies. */
const KINDS: readonly (readonly [files: readonly string[], command: string][])[] = [
  [
    [["package.json", "pnpm-lock.yaml"], "pnpm install --frozen-lockfile"],
    [["package.json", "yarn.lock", ".yarnrc.yml"], "yarn install --immutable"],
    [["package.json", "yarn.lock"], "yarn install --frozen-lockfile"],
    [["package.json", "bun.lock"], "bun install --frozen-lockfile"],
    [["package.json", "bun.lockb"], "bun install --frozen-lockfile"],
    [["package.json", "package-lock.json"], "npm ci"],
    [["package.json", "npm-shrinkwrap.json"], "npm ci"],
    [["package.json"], UNLOCKED],
  ],
  [
    [["uv.lock"], "uv sync --locked"],
    [["poetry.lock"], "poetry sync"],
    [["Pipfile.lock"], "pipenv sync --dev"],
    [["requirements.txt", "requirements-dev.txt"], "pip install -r requirements.txt -r requirements-dev.txt"],
    [["requirements.txt"], "pip install -r requirements.txt"],
    [["pyproject.toml"], "pip install -e ."],
    [["setup.py"], "pip install -e ."],
  ],
  [[["Gemfile"], "bundle install"]],
  [[["composer.json"], "composer install --no-interaction"]],
  [
    [["Cargo.toml", "Cargo.lock"], "cargo fetch --locked"],
    [["Cargo.toml"], "cargo fetch"],
  ],
  [[["go.mod"], "go mod download"]],
  [[["mix.exs"], "mix deps.get"]],
];

/** Commands found in one file. */
interface Commands {
  lint?: string;
  types?: string;
  build?: string;
  tests?: string[];
}

/** A top-level file that implies commands. */
interface Manifest {
  path: string;
  read: (text: string) => Commands;
}

/** The manifests of a repository, the most specific first. */
function manifests(paths: ReadonlySet<string>): Manifest[] {
  const gradle = paths.has("gradlew") ? "./gradlew" : "gradle";
  const maven = paths.has("mvnw") ? "./mvnw" : "mvn";
  const all: Manifest[] = [
    { path: "package.json", read: (text) => ofPackage(text, paths) },
    { path: "Makefile", read: (text) => ofTargets(text, "make") },
    { path: "justfile", read: (text) => ofTargets(text, "just") },
    { path: "composer.json", read: ofComposer },
    {
      path: "Cargo.toml",
      read: (text) => ({
        lint: usesClippy(paths, text) ? "cargo clippy --all-targets" : "cargo check --all-targets",
        build: "cargo build",
        tests: ["cargo test"],
      }),
    },
    { path: "go.mod", read: () => ({ lint: "go vet ./...", build: "go build ./...", tests: ["go test ./..."] }) },
    { path: "pyproject.toml", read: ofPyproject },
    { path: "tox.ini", read: (text) => (/^\[testenv:(?:lint|linting)\]/m.test(text) ? { lint: "tox -e lint" } : {}) },
    { path: "setup.cfg", read: (text) => (/^\[flake8\]/m.test(text) ? { lint: "flake8" } : {}) },
    { path: "build.gradle", read: () => ofGradle(gradle) },
    { path: "build.gradle.kts", read: () => ofGradle(gradle) },
    {
      path: "pom.xml",
      read: () => ({ build: `${maven} compile`, tests: [`${maven} test`] }),
    },
    {
      path: "mix.exs",
      read: () => ({
        ...(paths.has(".formatter.exs") ? { lint: "mix format --check-formatted" } : {}),
        build: "mix compile",
        tests: ["mix test"],
      }),
    },
    { path: "Gemfile", read: (text) => (/rubocop/.test(text) ? { lint: "bundle exec rubocop" } : {}) },
  ];
  return all.filter(({ path }) => paths.has(path));
}

function runnerOf(paths: ReadonlySet<string>): string {
  if (paths.has("pnpm-lock.yaml")) return "pnpm";
  if (paths.has("yarn.lock")) return "yarn";
  return paths.has("bun.lock") || paths.has("bun.lockb") ? "bun" : "npm";
}

/** Clippy is a component that a toolchain may lack. */
function usesClippy(paths: ReadonlySet<string>, manifest: string): boolean {
  return paths.has("clippy.toml") || paths.has(".clippy.toml") || /^\[(?:workspace\.)?lints\.clippy\]/m.test(manifest);
}

const byName = z.record(z.string(), z.unknown()).optional();
const packageSchema = z.object({ scripts: byName, dependencies: byName, devDependencies: byName });

/** An invalid manifest implies no commands. */
function manifestOf(text: string): z.output<typeof packageSchema> {
  return packageSchema.safeParse(jsonOf(text)).data ?? {};
}

/** Undefined where it is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

function scriptsOf({ scripts = {} }: z.output<typeof packageSchema>): ReadonlySet<string> {
  return new Set(Object.keys(scripts));
}

/** The type checker that a package installs and configures. */
function typeCheckerOf(
  { dependencies = {}, devDependencies = {} }: z.output<typeof packageSchema>,
  paths: ReadonlySet<string>,
): string | undefined {
  if (!paths.has("tsconfig.json")) return undefined;
  const installs = (tool: string) => Object.hasOwn(dependencies, tool) || Object.hasOwn(devDependencies, tool);
  return installs("vue-tsc") ? "npx vue-tsc --noEmit" : installs("typescript") ? "npx tsc --noEmit" : undefined;
}

function ofPackage(text: string, paths: ReadonlySet<string>): Commands {
  const manifest = manifestOf(text);
  const scripts = scriptsOf(manifest);
  const runner = runnerOf(paths);
  const named = (...names: string[]) => names.find((name) => scripts.has(name));
  const lint = named("lint", "eslint", "lint:js", "lint:check", "check:lint", "check");
  const script = named("type-check", "typecheck", "check-types", "check:types", "types", "tsc", "lint:types");
  const types = script === undefined ? typeCheckerOf(manifest, paths) : `${runner} run ${script}`;
  const build = named("build", "compile", "bundle");
  const tests = named("test", "test:unit", "unit");
  return {
    ...(lint === undefined ? {} : { lint: `${runner} run ${lint}` }),
    ...(types === undefined ? {} : { types }),
    ...(build === undefined ? {} : { build: `${runner} run ${build}` }),
    ...(tests === undefined ? {} : { tests: [tests === "test" ? `${runner} test` : `${runner} run ${tests}`] }),
  };
}

function ofTargets(text: string, runner: string): Commands {
  const targets = new Set(
    [...text.matchAll(/^([A-Za-z][\w.-]{0,60})(?:\s+[\w.-]+)*\s*:(?!=)/gm)].map(([, name]) => name),
  );
  const named = (...names: string[]) => names.find((name) => targets.has(name));
  const lint = named("lint", "check", "style", "style-check");
  const types = named("typecheck", "type-check", "types", "type-checking", "mypy");
  const build = named("build", "compile", "all");
  const tests = named("test", "tests", "check-test");
  return {
    ...(lint === undefined ? {} : { lint: `${runner} ${lint}` }),
    ...(types === undefined ? {} : { types: `${runner} ${types}` }),
    ...(build === undefined ? {} : { build: `${runner} ${build}` }),
    ...(tests === undefined ? {} : { tests: [`${runner} ${tests}`] }),
  };
}

function ofComposer(text: string): Commands {
  const scripts = scriptsOf(manifestOf(text));
  const lint = ["lint", "cs-check", "cs", "phpcs"].find((name) => scripts.has(name));
  return {
    ...(lint === undefined ? {} : { lint: `composer run ${lint}` }),
    ...(scripts.has("test") ? { tests: ["composer run test"] } : {}),
  };
}

function ofPyproject(text: string): Commands {
  const has = (tool: string) => new RegExp(String.raw`^\[tool\.${tool}[\].]`, "m").test(text);
  const lint = has("ruff") ? "ruff check ." : has("flake8") ? "flake8" : has("pylint") ? "pylint ." : undefined;
  return {
    ...(lint === undefined ? {} : { lint }),
    ...(has("mypy") ? { types: "mypy ." } : {}),
    ...(has("pytest") ? { tests: ["pytest"] } : {}),
  };
}

function ofGradle(runner: string): Commands {
  return { build: `${runner} assemble`, tests: [`${runner} test`] };
}
