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
  ["checks", "Makefile", "tox.ini", "noxfile.py", "pytest.ini", "jest.config.js", "vitest.config.mts"],
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
  ["checks", "pytest.py", "unittest/__main__.py", "node_modules/mocha/bin/mocha.js", ".mocharc.cjs"],
  ["vendored", "vendor/mocha-10.8.2.tgz", "vendor/six-1.16.whl", "third_party/a/package.json"],
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
    { ...file, path: "src/check.sh", change: "modified", mark: "not executable" },
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
    "not executable: src/check.sh",
    "submodule: sub",
  ]);
});

test("of a Makefile only targets of checks count, and no settings of examples and fixtures", async () => {
  const makefile = "build:\n\tgo build\n\ntest:\n\tgo test ./...\n";
  const held = (after: string) => ({ files: { Makefile: [makefile, after] as [string, string] } });
  const changes: ChangedFile[] = [{ path: "Makefile", change: "modified", addedLines: 1, removedLines: 1 }];
  expect(await told(changes, held(makefile.replace("go build", "go build ./...")))).toEqual(["not planned: Makefile"]);
  expect(await told(changes, held(makefile.replace("go test", "go test -short")))).toEqual(["checks: Makefile"]);
  expect(await told(changes, held(makefile.replace("test:\n\tgo test ./...\n", "")))).toEqual(["checks: Makefile"]);
  const examples = added("examples/web/vite.config.js", "test/fixtures/a/jest.config.js", "examples/package.json");
  expect(await told(examples)).toEqual([
    "not planned: examples/web/vite.config.js",
    "not planned: examples/package.json",
  ]);
});

test("another repository or a link in the place of protected files is agreed to by no plan", async () => {
  const file = { addedLines: 1, removedLines: 0, change: "added" as const };
  const changes: ChangedFile[] = [
    { ...file, path: ".github/workflows", mark: "submodule" },
    { ...file, path: ".claude", mark: "link" },
    { ...file, path: "lib/other", mark: "submodule" },
  ];
  const planned = [...PLANNED, ...changes.map(({ path }) => path)];
  expect(await told(changes, { planned })).toEqual([
    "submodule: .github/workflows",
    "link: .claude",
    "submodule: lib/other, agreed",
    "dot folder: .github/workflows, agreed",
  ]);
});

test("names and words with letters of other scripts are told, also where the plan names the file", async () => {
  const path = "src/\u0441hunk.js";
  expect(await told(added(path), { planned: [...PLANNED, path] })).toEqual([
    `look-alike: ${path}, \u0441hunk (U+0441 = c?)`,
  ]);
  const files = { "src/a.js": ["is();\n", "is();\nis\u0410dmin();\n"] as [string, string] };
  const changes: ChangedFile[] = [{ path: "src/a.js", change: "modified", addedLines: 1, removedLines: 0 }];
  expect(await told(changes, { files })).toEqual(["look-alike: src/a.js, is\u0410dmin (U+0410 = A?)"]);
});

test("code that runs before tests is told by what it does: by its name, or since a runner's settings load it", async () => {
  const fixture = "import pytest\n\n\n@pytest.fixture\ndef five():\n    return 5\n";
  const hook = "def pytest_runtest_makereport(item, call):\n    return None\n";
  expect(await told(added("tests/conftest.py"), { files: { "tests/conftest.py": [null, fixture] } })).toEqual([]);
  expect(await told(added("tests/conftest.py"), { files: { "tests/conftest.py": [null, hook] } })).toContain(
    "test setup: tests/conftest.py, def pytest_runtest_makereport(item, call):",
  );
  const patch = 'import assert from "node:assert";\nassert.ok = () => {};\n';
  const settings = '{"require": ["./test/begin.mjs"]}';
  const files = {
    ".mocharc.json": [settings, settings] as [string, string],
    "test/begin.mjs": ["", "reset();\n"] as [string, string],
    "test/more.mjs": ["", patch] as [string, string],
  };
  expect((await told(added("test/begin.mjs", "test/more.mjs"), { files })).toSorted()).toEqual([
    "assertion void: test/more.mjs, assert.ok = () => {}",
    "test setup: test/begin.mjs, reset();",
  ]);
});

test("what a snapshot expected before is told where it is gone, and new entries are not; nor what stands in for another module", async () => {
  const path = "test/__snapshots__/total.test.js.snap";
  const changed: ChangedFile = { path, change: "modified", addedLines: 1, removedLines: 1 };
  const before = "exports[`total 1`] = `3`;\n";
  const snapshot = (after: string) => ({ files: { [path]: [before, after] as [string, string] } });
  expect(await told([changed], snapshot("exports[`total 1`] = `4`;\n"))).toContain(
    `expectation changed: ${path}, total 1`,
  );
  const named = { ...snapshot("exports[`total 1`] = `4`;\n"), planned: ["src/total.ts", "test/total.test.js"] };
  expect(await told([changed], named)).toContain(`expectation changed: ${path}, agreed, total 1`);
  const more = await told([changed], snapshot(`${before}exports[\`total 2\`] = \`5\`;\n`));
  expect(more.filter((one) => one.startsWith("expectation"))).toEqual([]);
  const patch = 'import * as shop from "../src/shop.ts";\nshop.total = () => 3;\n';
  expect(await told(added("test/a.test.ts"), { files: { "test/a.test.ts": [null, patch] } })).toContain(
    "test setup: test/a.test.ts, shop.total = () => 3;",
  );
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
    [{ dependencies: { a: "2", b: "1" } }, ["dependencies: package.json, b"]],
    [{ dependencies: { a: "2" } }, ["dependency versions: package.json, a"]],
    [{ dependencies: { a: "git+https://x.example/a.git" } }, ["dependencies: package.json, a"]],
    [{ version: "2.0.0", exports: "./a.js", files: ["a.js"] }, ["not planned: package.json"]],
    [{ scripts: { test: "node --test", lint: "eslint .", check: "node --check a.js" } }, ["not planned: package.json"]],
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
    expect(await held({ scripts: more }, ["npm test"])).toEqual([]);
    expect(await held({ scripts: { ...more, pretest: "x" } }, ["npm test"])).toEqual([
      "checks: package.json, scripts.pretest",
    ]);
    expect(await held({ scripts: { ...more, postinstall: "x" } }, ["npm test"])).toEqual([
      "checks: package.json, scripts.postinstall",
    ]);
  });

  test("Python's by its sections, and what cannot be read as a whole", () => {
    const toml =
      '[project]\nname = "x"\n# note\n[tool.pytest.ini_options]\naddopts = "-q"\n[tool.poetry.dependencies]\na = "1"\n';
    const keys = (text: string) => changedKeys("pyproject.toml", toml, text);
    expect(keys(toml.replace("-q", "--co"))).toEqual({
      checks: ["tool.pytest.ini_options"],
      isReplaced: true,
    });
    expect(keys(toml.replace("# note", "# other")).checks).toEqual([]);
    expect(changedKeys("package.json", "{}", "{").checks).toEqual(["*"]);
    expect(changedKeys("package.json", null, '{"scripts":{"test":"x"}}').checks).toEqual([]);
  });
});
