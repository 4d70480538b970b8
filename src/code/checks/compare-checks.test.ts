import { expect, test } from "vitest";
import { checkChanges } from "./compare-checks.ts";
import { cannotFail, startedBy } from "./shell.ts";

type Texts = Record<string, string>;
const COMMANDS = ["npm run lint", "npm test", "make check", "tox"];

/** What is found between two states of some files, as `kind path name`. */
async function found(before: Texts, after: Texts, commands = COMMANDS): Promise<string[]> {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = paths.filter((path) => before[path] !== after[path]);
  const read = async (path: string, at: "base" | "head") =>
    await Promise.resolve((at === "base" ? before : after)[path] ?? null);
  const all = await checkChanges(commands, changed, read);
  return all.map(({ kind, path, name }) => `${kind}: ${path} ${name}`.trim());
}

function manifest(scripts: Record<string, string>, more: object = {}): string {
  return JSON.stringify({ name: "shop", scripts, ...more }, null, 2);
}

const PACKAGE = {
  test: "npm run unit && npm run types",
  unit: "node --test",
  types: "tsc",
  lint: "eslint .",
  start: "node .",
};

test.each([
  ["does nothing", { test: "exit 0" }, "scripts.test"],
  ["does nothing", { test: "echo ok" }, "scripts.test"],
  ["does nothing", { test: "" }, "scripts.test"],
  ["does nothing", { unit: "node --test || true" }, "scripts.unit"],
  ["does nothing", { unit: "node --test; exit 0" }, "scripts.unit"],
  ["does nothing", { unit: "node --test | cat" }, "scripts.unit"],
  ["does nothing", { unit: "node -e ''" }, "scripts.unit"],
  ["does nothing", { types: "tsc --version" }, "scripts.types"],
  ["does nothing", { lint: ":" }, "scripts.lint"],
  ["weaker", { lint: "eslint . --ignore test" }, "scripts.lint"],
  ["changed", { lint: "eslint src" }, "scripts.lint"],
  ["changed", { unit: "node --test test/one.test.js" }, "scripts.unit"],
])("%s: %j", async (kind, scripts, name) => {
  const after = manifest({ ...PACKAGE, ...scripts });
  expect(await found({ "package.json": manifest(PACKAGE) }, { "package.json": after })).toEqual([
    `${kind}: package.json ${name}`,
  ]);
});

test("scripts that no check leads to, and the other fields of a manifest, are nothing", async () => {
  const before = { "package.json": manifest(PACKAGE) };
  expect(await found(before, { "package.json": manifest({ ...PACKAGE, start: "exit 0" }) })).toEqual([]);
  expect(await found(before, { "package.json": manifest(PACKAGE, { dependencies: { a: "1" } }) })).toEqual([]);
  expect(await found(before, { "package.json": manifest({ ...PACKAGE, build: "tsc -b" }) })).toEqual([]);
});

test("a script that is gone checks nothing; what runs before and after a check belongs to it", async () => {
  const { unit: _unit, ...left } = PACKAGE;
  const before = { "package.json": manifest({ ...PACKAGE, pretest: "npm run build", build: "tsc -b" }) };
  expect(
    await found(before, { "package.json": manifest({ ...left, pretest: "npm run build", build: "tsc -b" }) }),
  ).toEqual(["does nothing: package.json scripts.unit"]);
  expect(
    await found(before, { "package.json": manifest({ ...PACKAGE, pretest: "npm run build", build: "true" }) }),
  ).toEqual(["does nothing: package.json scripts.build"]);
});

test("the settings of tools in a manifest count: an empty run that passes", async () => {
  const jest = (more: object) => ({
    "package.json": manifest(PACKAGE, { jest: { testMatch: ["**/*.test.js"], ...more } }),
  });
  expect(await found(jest({}), jest({ passWithNoTests: true }))).toEqual(["weaker: package.json jest"]);
  expect(await found(jest({}), jest({ testMatch: ["**/one.test.js"] }))).toEqual(["weaker: package.json jest"]);
  expect(await found(jest({}), jest({ verbose: true }))).toEqual(["changed: package.json jest"]);
});

const MAKEFILE =
  "CHECKS = unit\n\ncheck: $(CHECKS) lint\n\nunit:\n\tgo test ./...\n\nlint:\n\tgolangci-lint run\n\ninstall:\n\tgo install\n";

test.each([
  ["does nothing: Makefile target unit", "\tgo test ./...", "\t-go test ./..."],
  ["does nothing: Makefile target unit", "\tgo test ./...", "\t@true"],
  ["does nothing: Makefile target lint", "\tgolangci-lint run", "\t# golangci-lint run"],
  ["changed: Makefile target unit", "go test ./...", "go test ./cart"],
  ["changed: Makefile target check", "check: $(CHECKS) lint", "check: $(CHECKS)"],
  ["changed: Makefile $(CHECKS)", "CHECKS = unit", "CHECKS ="],
])("%s", async (change, from, to) => {
  const makefile = MAKEFILE.replace("check: $(CHECKS)", "check: unit $(CHECKS)");
  const source = from.startsWith("check:") ? MAKEFILE : makefile;
  expect(source).toContain(from);
  expect(await found({ Makefile: source }, { Makefile: source.replace(from, () => to) })).toContain(change);
});

test("other targets are nothing", async () => {
  expect(await found({ Makefile: MAKEFILE }, { Makefile: MAKEFILE.replace("go install", "true") })).toEqual([]);
});

test.each<[string, string, string, string]>([
  ["does nothing", "tox.ini", "[testenv]\ncommands = pytest\n", "[testenv]\ncommands = true\n"],
  ["weaker", "setup.cfg", "[flake8]\nmax-line-length = 90\n", "[flake8]\nmax-line-length = 90\nexclude = src\n"],
  ["weaker", "pytest.ini", "[pytest]\ntestpaths = tests\n", "[pytest]\ntestpaths = tests/unit\n"],
  ["weaker", "pyproject.toml", '[tool.ruff]\nignore = ["E1"]\n', '[tool.ruff]\nignore = ["E1", "F"]\n'],
  [
    "weaker",
    "pyproject.toml",
    "[tool.coverage.report]\nfail_under = 90\n",
    "[tool.coverage.report]\nfail_under = 10\n",
  ],
  [
    "changed",
    "pyproject.toml",
    '[tool.pytest.ini_options]\naddopts = "-q"\n',
    '[tool.pytest.ini_options]\naddopts = "-x"\n',
  ],
  ["weaker", "vitest.config.ts", 'test: {\n  include: ["test/**"],\n}', 'test: {\n  include: ["test/a.test.ts"],\n}'],
  ["weaker", "vitest.config.ts", "test: {\n  exclude: [\n  ],\n}", 'test: {\n  exclude: [\n    "test/**",\n  ],\n}'],
  ["weaker", "eslint.config.js", 'rules: {\n  "no-undef": "error",\n}', 'rules: {\n  "no-undef": "off",\n}'],
  ["weaker", ".eslintignore", "dist\n", "dist\nsrc\n"],
  ["weaker", "Cargo.toml", '[lib]\npath = "a.rs"\n', '[lib]\npath = "a.rs"\ntest = false\n'],
  ["weaker", "pom.xml", "<a/>\n", "<a/>\n<skipTests>true</skipTests>\n"],
  ["weaker", "build.gradle", "test {\n}\n", "test {\n  ignoreFailures = true\n}\n"],
  ["weaker", "tsconfig.json", '{"include": ["src", "test"]}', '{"include": ["src"]}'],
  [
    "weaker",
    ".c8rc.json",
    '{"check-coverage":true,"branches":80,"lines":100}',
    '{"check-coverage":true,"branches":80,"lines":9}',
  ],
  ["weaker", "vitest.config.ts", "test: {\n}", "test: {\n  retry: 3,\n}"],
  ["weaker", "pytest.ini", "[pytest]\naddopts = -q\n", "[pytest]\naddopts = -q --reruns 3\n"],
  ["weaker", ".npmrc", "", "script-shell=/bin/true\n"],
  [
    "weaker",
    "phpunit.xml",
    "<testsuite>\n</testsuite>\n",
    "<testsuite>\n<exclude>tests/A.php</exclude>\n</testsuite>\n",
  ],
])("%s: %s", async (kind, path, before, after) => {
  expect((await found({ [path]: before }, { [path]: after }))[0]).toMatch(new RegExp(`^${kind}: `));
});

test("stricter settings, comments, versions and other sections are no weaker check", async () => {
  const rows: [string, string, string][] = [
    ["pyproject.toml", '[project]\nversion = "1"\n', '[project]\nversion = "2"\n'],
    ["pyproject.toml", '[project]\ndependencies = ["a"]\n', '[project]\ndependencies = ["b"]\n'],
    ["Cargo.toml", '[dependencies]\na = "1"\n', '[dependencies]\na = "2"\n'],
    ["pom.xml", "<version>1</version>\n", "<version>2</version>\n"],
    ["eslint.config.js", "rules: {}\n", "// why\nrules: {}\n"],
    ["tsconfig.json", '{\n"strict": false\n}', '{\n"strict": true\n}'],
    ["tsconfig.json", '{"include": [\n"src",\n"test"\n]}', '{"include": ["src", "test"]}'],
    ["tsconfig.json", '{"include": ["../payload.ts"]}', '{"include": ["../client/payload.ts"]}'],
    ["pyproject.toml", '[tool.ruff]\ntarget-version = "py38"\n', '[tool.ruff]\ntarget-version = "py39"\n'],
  ];
  for (const [path, before, after] of rows) expect(await found({ [path]: before }, { [path]: after })).toEqual([]);
  expect(await found({ "setup.cfg": "[flake8]\nexclude = a,b\n" }, { "setup.cfg": "[flake8]\nexclude = a\n" })).toEqual(
    ["changed: setup.cfg [flake8] exclude"],
  );
});

test("files that a command starts belong to the check, also by another script", async () => {
  const before = {
    "scripts/ci.sh": "set -e\n./scripts/unit.sh\n",
    "scripts/unit.sh": "npm test\n",
    "scripts/other.sh": "a\n",
  };
  const after = { ...before, "scripts/unit.sh": "npm test\nexit 0\n", "scripts/other.sh": "b\n" };
  expect(await found(before, after, ["sh scripts/ci.sh"])).toEqual(["does nothing: scripts/unit.sh"]);
});

test.each(["node_modules/.bin/node", "vendor/bin/phpunit", ".venv/bin/pytest", "web/node_modules/jest/index.js"])(
  "a program in the place of a real one is told: %s",
  async (path) => {
    expect(await found({}, { [path]: "#!/bin/sh\nexit 0\n" })).toEqual([`program: ${path}`]);
  },
);

test("a command of the shell that cannot fail is known", () => {
  const idle = [
    "",
    "exit 0",
    "true",
    ":",
    "echo 'done'; true",
    "# tests later",
    "npm test || true",
    "(exit 0)".slice(1, -1),
    "jest & ",
  ];
  const working = [
    "npm test",
    "echo start && npm test",
    "a || b",
    "npm test; npm run lint",
    'echo "a || true"; npm test',
    "a | tee log | grep b",
    "set -e\nnpm test",
  ];
  expect(idle.filter((command) => !cannotFail(command))).toEqual([]);
  expect(working.filter(cannotFail)).toEqual([]);
});

test("what a command line starts is read from its words", () => {
  expect(startedBy("npm ci && npm run -s lint && yarn unit && run-s a b && make -j2 check").scripts).toEqual([
    "lint",
    "unit",
    "a",
    "b",
  ]);
  expect(startedBy("make -j2 check").targets).toEqual(["check"]);
  const { files } = startedBy(
    "bash scripts/ci.sh && node tools/lint.mjs; ./bin/check | tee a/log && eslint --config lint/main.js src",
  );
  expect(files).toEqual(["scripts/ci.sh", "tools/lint.mjs", "bin/check", "lint/main.js"]);
  expect(
    startedBy("node --check src/cart.js && node --test test/a.test.js && php -l src/a.php && eslint src/a.js").files,
  ).toEqual([]);
});
