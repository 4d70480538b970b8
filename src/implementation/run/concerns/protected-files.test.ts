import { describe, expect, test } from "vitest";
import { orderOf, planOf } from "../../../../test/support/run-fixture.ts";
import { NO_RULES } from "../../../../test/support/workspace-fixture.ts";
import type { ChangedFile } from "../../../domain/work.ts";
import { concernsOf } from "./concerns.ts";
import { changedKeys } from "./manifest-keys.ts";

const PLANNED = ["src/total.ts"];

function added(...paths: string[]): ChangedFile[] {
  return paths.map((path) => ({ path, change: "added", addedLines: 1, removedLines: 0 }));
}

interface Held {
  planned?: readonly string[];
  tests?: string[];
  reviewed?: string[];
  files?: Record<string, [before: string | null, after: string | null]>;
}

async function told(changes: ChangedFile[], { planned = PLANNED, tests = [], reviewed = [], files = {} }: Held = {}) {
  const all = await concernsOf({
    order: orderOf({ plan: planOf(planned), commands: { setup: [], checks: [], tests } }),
    facts: [],
    changes: [...added("src/total.ts"), ...changes],
    rules: { ...NO_RULES, reviewed },
    read: async (path, at) => await Promise.resolve(files[path]?.[at === "base" ? 0 : 1] ?? null),
  });
  return all.map(({ kind, path, agreed, names }) =>
    [`${kind}: ${path}`, ...(agreed ? ["agreed"] : []), ...names].join(", "),
  );
}

test.each([
  ["agent instructions", "AGENTS.md", "web/CLAUDE.md", ".github/copilot-instructions.md", ".cursorrules", "GEMINI.md"],
  ["owners", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS", "OWNERS"],
  ["bots", ".github/dependabot.yml", "renovate.json", ".renovaterc.json5", ".mergify.yml", ".snyk"],
  ["checks", "Makefile", "tox.ini", "noxfile.py", "pytest.ini", "conftest.py", "jest.config.js", "vitest.config.mts"],
  [
    "checks",
    ".eslintrc.json",
    "eslint.config.mjs",
    ".golangci.yml",
    "tsconfig.build.json",
    ".rspec",
    "phpunit.xml.dist",
  ],
  [
    "dependencies",
    "package-lock.json",
    "go.mod",
    "Cargo.lock",
    "requirements-dev.txt",
    "Gemfile",
    "pom.xml",
    "web/yarn.lock",
  ],
  ["build", "Dockerfile", "Dockerfile.prod", "docker-compose.yml", "infra/main.tf", "Procfile"],
  ["toolchain", ".nvmrc", ".tool-versions", "rust-toolchain.toml", ".mvn/extensions.xml", "gradlew", ".bazelrc"],
  [
    "checks",
    "pytest.py",
    "unittest/__main__.py",
    "node_modules/mocha/bin/mocha.js",
    ".mocharc.cjs",
    "tests/conftest.py",
  ],
  ["dependencies", "vendor/mocha-10.8.2.tgz", "vendor/six-1.16.whl"],
  ["policies", "SECURITY.md", "LICENSE", "CONTRIBUTING.md"],
  ["dot folder", ".custom/x.json", ".github/ISSUE_TEMPLATE/bug.md"],
])("files of the class %s are named by it, wherever they may stand: %s", async (kind, ...paths) => {
  expect(await told(added(...paths))).toEqual(paths.map((path) => `${kind}: ${path}`));
});

test("ordinary files that nobody planned are just that; fixtures stand for other projects", async () => {
  expect(await told(added("src/makefile.ts", "README.md", "test/fixtures/app/package.json"))).toEqual([
    "not planned: src/makefile.ts",
    "not planned: README.md",
  ]);
});

test("what the plan names is named and agreed; a lock file beside its planned manifest goes without words", async () => {
  const planned = [...PLANNED, "Makefile", "go.mod"];
  expect(await told(added("Makefile", "go.mod", "go.sum"), { planned })).toEqual([
    "checks: Makefile, agreed",
    "dependencies: go.mod, agreed",
  ]);
});

test("the operator adds files, takes some off, and has those named that only the configuration allows", async () => {
  const reviewed = ["billing/**", "!Makefile"];
  const changes = added("billing/tax.ts", "Makefile", ".github/workflows/ci.yml");
  expect((await told(changes, { reviewed })).toSorted()).toEqual([
    "listed: billing/tax.ts",
    "not planned: Makefile",
    "opened: .github/workflows/ci.yml",
  ]);
  expect(await told(changes, { planned: [...PLANNED, ...changes.map(({ path }) => path)] })).toEqual([
    "checks: Makefile, agreed",
    "opened: .github/workflows/ci.yml, agreed",
  ]);
});

test("files that the checks of this run are, by their commands or the scripts that they start, define checks", async () => {
  const manifest = '{"scripts":{"lint":"node ./scripts/lint.js --all","test":"bash -c \'ci/test.sh\'"}}';
  const files = { "package.json": [manifest, manifest] as [string, string] };
  const changes = added("scripts/lint.js", "ci/test.sh", "check.sh");
  expect(await told(changes, { tests: ["npm test", "sh check.sh"], files })).toEqual([
    "checks: scripts/lint.js",
    "checks: ci/test.sh",
    "checks: check.sh",
  ]);
  const given = added("src/a.js", "test/a.js");
  const tests = [
    "node scripts/lint.js src/a.js",
    "node --test test/a.js",
    "node --check src/a.js && python3 -m x src/a.js",
    "CI=1 ./check.sh test/a.js",
  ];
  expect(await told(given, { tests, planned: ["src/total.ts", "src/a.js", "test/a.js"] })).toEqual([]);
  expect(await told(added("check.sh"), { tests })).toEqual(["checks: check.sh"]);
  expect(await told(changes, { tests: ["make"], files })).toEqual(changes.map(({ path }) => `not planned: ${path}`));
});

test("deleted files, links, programs and binaries are named, also where the plan names the file", async () => {
  const file = { addedLines: 0, removedLines: 3 };
  const changes: ChangedFile[] = [
    { ...file, path: "src/gone.ts", change: "deleted" },
    { ...file, path: "go.mod", change: "deleted" },
    { ...file, path: "src/run", change: "modified", mark: "executable" },
    { ...file, path: "src/link", change: "added", mark: "link" },
    { ...file, path: "src/blob.dat", change: "added", mark: "binary" },
    { ...file, path: "sub", change: "added", mark: "submodule" },
  ];
  expect((await told(changes, { planned: [...PLANNED, "src/gone.ts", "src/run"] })).toSorted()).toEqual([
    "binary: src/blob.dat",
    "deleted: go.mod",
    "deleted: src/gone.ts",
    "dependencies: go.mod",
    "executable: src/run, agreed",
    "link: src/link",
    "submodule: sub",
  ]);
});

describe("a manifest that defines checks too is told by its keys", () => {
  const before = JSON.stringify({
    version: "1.0.0",
    scripts: { test: "node --test", lint: "eslint ." },
    dependencies: { a: "1" },
    jest: { bail: true },
  });
  const changed: ChangedFile = { path: "package.json", change: "modified", addedLines: 1, removedLines: 1 };
  const after = (change: object) => JSON.stringify({ ...JSON.parse(before), ...change });

  test.each([
    [{ scripts: { test: "exit 0", lint: "eslint ." } }, ["checks: package.json, scripts.test"]],
    [{ scripts: { test: "node --test" } }, ["checks: package.json, scripts.lint"]],
    [{ jest: { bail: false } }, ["checks: package.json, jest.bail"]],
    [{ dependencies: { a: "2", b: "1" } }, ["dependencies: package.json, dependencies.a, dependencies.b"]],
    [{ version: "2.0.0" }, ["not planned: package.json"]],
  ])("%j", async (change, expected) => {
    expect(await told([changed], { files: { "package.json": [before, after(change)] } })).toEqual(expected);
  });

  test("a yes to a change of the manifest is none to other commands of this run's checks, nor to scripts that run at set-up", async () => {
    const planned = [...PLANNED, "package.json"];
    const held = (change: object, tests: string[]) =>
      told([changed], { planned, tests, files: { "package.json": [before, after(change)] } });
    const scripts = { test: "exit 0", lint: "eslint ." };
    expect(await held({ scripts }, ["npm test"])).toEqual([
      "check does nothing: package.json, scripts.test: node --test → exit 0",
    ]);
    expect(await held({ scripts }, ["make test"])).toEqual(["checks: package.json, agreed, scripts.test"]);
    const more = { test: "node --test", lint: "eslint .", format: "prettier ." };
    expect(await held({ scripts: more }, ["npm test"])).toEqual(["checks: package.json, agreed, scripts.format"]);
    expect(await held({ scripts: { ...more, postinstall: "x" } }, ["npm test"])).toEqual([
      "checks: package.json, scripts.format, scripts.postinstall",
    ]);
  });

  test("Python's by its sections, and what cannot be read as a whole", () => {
    const toml =
      '[project]\nname = "x"\n# note\n[tool.pytest.ini_options]\naddopts = "-q"\n[tool.poetry.dependencies]\na = "1"\n';
    const keys = (text: string) => changedKeys("pyproject.toml", toml, text);
    expect(keys(toml.replace("-q", "--co"))).toEqual({
      checks: ["tool.pytest.ini_options"],
      dependencies: [],
      isReplaced: true,
    });
    expect(keys(toml.replace('"1"', '"2"')).dependencies).toEqual(["tool.poetry.dependencies"]);
    expect(keys(toml.replace("# note", "# other")).checks).toEqual([]);
    expect(changedKeys("package.json", "{}", "{").checks).toEqual(["*"]);
    expect(changedKeys("package.json", null, '{"scripts":{"test":"x"}}').checks).toEqual(["scripts.test"]);
  });
});
