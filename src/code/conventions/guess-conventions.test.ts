import { expect, test } from "vitest";
import { plainFiles } from "../../../test/support/plain-files.ts";
import { conventionsSchema } from "../../domain/conventions.ts";
import { guessConventions } from "./guess-conventions.ts";
import { conventionsOf } from "./conventions.ts";
import { versionsOf } from "./versions.ts";

async function guessed(files: Record<string, string>) {
  return conventionsSchema.parse(await guessConventions(plainFiles(files)));
}

const scripts = (all: Record<string, string>) => JSON.stringify({ name: "x", scripts: all });
const ALL = scripts({ lint: "eslint .", build: "vite build", typecheck: "tsc", test: "vitest" });

test.each([
  ["npm", { "package.json": ALL }],
  ["pnpm", { "package.json": ALL, "pnpm-lock.yaml": "" }],
  ["yarn", { "package.json": ALL, "yarn.lock": "" }],
  ["pnpm", { "package.json": ALL.replace("{", '{"packageManager":"pnpm@9.1.0",'), "package-lock.json": "{}" }],
  [
    "node .yarn/releases/yarn-4.1.0.cjs",
    {
      "package.json": ALL,
      "yarn.lock": "",
      ".yarnrc.yml": "yarnPath: .yarn/releases/yarn-4.1.0.cjs\n",
      ".yarn/releases/yarn-4.1.0.cjs": "",
    },
  ],
])("a package's scripts are run by %s", async (runner, files) => {
  expect(await guessed(files)).toMatchObject({
    lint_command: `${runner} run lint`,
    build_command: `${runner} run build`,
    type_check_command: `${runner} run typecheck`,
    test_commands: [`${runner} test`],
  });
});

const workspace = { workspaces: ["packages/*"] };

test.each([
  [[], { "package.json": scripts({ test: 'echo "Error: no test specified" && exit 1' }) }],
  [["bun run test"], { "package.json": ALL, "bun.lock": "" }],
  [
    ["npm test --workspaces --if-present"],
    { "package.json": JSON.stringify(workspace), "packages/a/package.json": scripts({ test: "node --test" }) },
  ],
  [
    ["pnpm --recursive test"],
    {
      "package.json": "{}",
      "pnpm-lock.yaml": "",
      "pnpm-workspace.yaml": "packages: [a]",
      "a/package.json": scripts({ test: "vitest" }),
    },
  ],
  [[], { "package.json": JSON.stringify(workspace), "packages/a/package.json": scripts({ build: "tsc" }) }],
])("a package's tests are %j", async (commands, files) => {
  expect((await guessed(files)).test_commands).toEqual(commands);
});

const RUFF = '[project]\nname = "x"\n[dependency-groups]\ndev = ["ruff==0.6"]\n[tool.ruff]\n[tool.mypy]\n';

test.each([
  ["Cargo", { "Cargo.toml": "[package]\nname = 'x'\n" }, "cargo check --all-targets", "cargo build"],
  ["Clippy", { "Cargo.toml": "[lints.clippy]\nall = 'warn'\n" }, "cargo clippy --all-targets", "cargo build"],
  ["Go", { "go.mod": "module x\n" }, "go vet ./...", "go build ./..."],
  ["Python", { "pyproject.toml": RUFF }, "ruff check .", ""],
  ["a linter that is configured and nowhere installed", { "pyproject.toml": "[tool.ruff]\n" }, "", ""],
  [
    "Make",
    { Makefile: "CC := x\n.PHONY: lint\nlint: all\n\tx\nbuild:\n\tx\n", "go.mod": "module x\n" },
    "make lint",
    "make build",
  ],
  ["make in C", { Makefile: "all: x\ncheck: all\n" }, "", "make all"],
  ["Maven", { "pom.xml": "<project/>", mvnw: "" }, "", "./mvnw --batch-mode compile"],
  ["Gradle", { "build.gradle.kts": "", gradlew: "" }, "", "./gradlew assemble"],
  ["Composer", { "composer.json": scripts({ lint: "phpcs" }) }, "composer run lint", ""],
  [".NET", { "Shop.sln": "", "Shop.Tests/Shop.Tests.csproj": "" }, "", "dotnet build"],
])("%s tells its own commands", async (_, files, lint, build) => {
  expect(await guessed(files)).toMatchObject({ lint_command: lint, build_command: build });
});

test.each([
  ["", { dependencies: { typescript: "5" } }, {}],
  ["", {}, { "tsconfig.json": "{}" }],
  ["npx tsc --noEmit", { devDependencies: { typescript: "5" } }, { "tsconfig.json": "{}" }],
  ["npx vue-tsc --noEmit", { devDependencies: { typescript: "5", "vue-tsc": "2" } }, { "tsconfig.json": "{}" }],
  ["npm run types", { scripts: { types: "x" }, devDependencies: { typescript: "5" } }, { "tsconfig.json": "{}" }],
])("types are checked by “%s”, as the package says and installs", async (command, manifest, files) => {
  const found = await guessed({ "package.json": JSON.stringify(manifest), ...files });
  expect(found.type_check_command).toBe(command);
});

test("a repository that tells nothing has no commands, and a package that cannot be read tells nothing", async () => {
  const nothing = {
    lint_command: "",
    build_command: "",
    type_check_command: "",
    test_commands: [],
    style_guide: "standard",
  };
  expect(await guessed({ "a.txt": "a" })).toMatchObject({ ...nothing, setup_commands: [] });
  expect(await guessed({ "package.json": "{" })).toMatchObject(nothing);
  expect(await guessed({ "pyproject.toml": "[[[", "tox.ini": "[testenv", "noxfile.py": "@nox.session" })).toMatchObject(
    nothing,
  );
  expect(await guessed({ "package.json": "[]", "CONTRIBUTING.md": "x" })).toMatchObject({
    ...nothing,
    style_guide: "CONTRIBUTING.md",
  });
});

const GET_PNPM = (version: string) => `command -v pnpm || npm install --global pnpm@${version}`;

test.each([
  [["npm ci"], { "package.json": "{}", "package-lock.json": "{}" }],
  [
    [GET_PNPM("10"), "pnpm install --frozen-lockfile"],
    { "package.json": "{}", "pnpm-lock.yaml": "lockfileVersion: '9.0'\n" },
  ],
  [
    [GET_PNPM("9.1.0"), "pnpm install --frozen-lockfile"],
    { "package.json": '{"packageManager":"pnpm@9.1.0+sha512.ab"}', "pnpm-lock.yaml": "", "yarn.lock": "" },
  ],
  [
    ["command -v yarn || npm install --global yarn@1", "yarn install --frozen-lockfile"],
    { "package.json": "{}", "yarn.lock": "# yarn lockfile v1\n" },
  ],
  [
    ["yarn --version | grep -q '^[2-9]' || npm install --global @yarnpkg/cli-dist@4.1.0", "yarn install --immutable"],
    { "package.json": '{"packageManager":"yarn@4.1.0"}', "yarn.lock": "__metadata:\n  version: 8\n" },
  ],
  [["npm install --no-package-lock"], { "package.json": '{"devDependencies":{"ajv":"8"}}' }],
  [["npm install --no-package-lock"], { "package.json": '{"workspaces":["a"]}' }],
  [["npm install --no-package-lock"], { "package.json": '{"scripts":{"prepare":"node make.js"}}' }],
  [["npm install --no-package-lock"], { "package.json": "{" }],
  [[], { "package.json": '{"dependencies":{},"scripts":{"test":"node --test"}}' }],
  [["bundle install"], { Gemfile: "gem 'rubocop'" }],
  [["go mod download"], { Gemfile: "gem 'jekyll'", "go.mod": "module x\n" }],
  [["composer install --no-interaction"], { "composer.json": "{}" }],
  [["dotnet restore src/Shop.sln"], { "src/Shop.sln": "" }],
  [[], { "src/A.sln": "", "src/B.sln": "" }],
  [[], { "package-lock.json": "{}", "a.txt": "" }],
])("dependencies are brought in by %j", async (commands, files) => {
  expect((await guessed(files)).setup_commands).toEqual(commands);
});

test.each([
  ["./gradlew test", { "settings.gradle": "", gradlew: "" }],
  ["mvn --batch-mode test", { "pom.xml": "" }],
  ["bundle exec rspec", { Gemfile: "gem 'rspec'", "spec/a_spec.rb": "" }],
  ["bundle exec rake test", { Gemfile: "", Rakefile: "Rake::TestTask.new(:test)", "test/a_test.rb": "" }],
  ["bin/rails test", { Gemfile: "", "bin/rails": "", "test/models/a_test.rb": "" }],
  ["composer run test", { "composer.json": scripts({ test: "phpunit" }) }],
  ["vendor/bin/phpunit", { "composer.json": '{"require-dev":{"phpunit/phpunit":"11"}}', "phpunit.xml.dist": "" }],
  ["dotnet test", { "Shop.sln": "", "tests/Shop.Tests.csproj": "" }],
  ["make test", { "go.mod": "module x\n", Makefile: "build test: x\n" }],
  ["just test", { justfile: "test *args:\n  x\n" }],
  ["make check", { Makefile: "all: x\ncheck: all\n" }],
])("tests are run by “%s”", async (command, files) => {
  expect((await guessed(files)).test_commands).toEqual([command]);
});

test("each language has its tests, those that its package writes down and those that it brings", async () => {
  const files = { "package.json": ALL, "Cargo.toml": "[package]\n", "Cargo.lock": "" };
  expect(await guessed(files)).toMatchObject({
    test_commands: ["npm test", "cargo test"],
    setup_commands: ["cargo fetch --locked"],
  });
});

const workflow = (job: string) => `on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n${job}`;

test.each([
  [
    ["cmake -B build", "cmake --build build"],
    ["ctest --test-dir build"],
    {
      ".github/workflows/ci.yml": workflow(
        "      - uses: actions/checkout@v4\n      - run: |\n          cmake -B build\n          cmake --build build\n      - run: ctest --test-dir build\n",
      ),
    },
  ],
  [
    ["zig build"],
    ["zig build test"],
    {
      ".gitlab-ci.yml":
        "build:\n  script: make\ntest:\n  stage: test\n  before_script: [zig build]\n  script:\n    - zig build test\n",
    },
  ],
  // What only CI has or may do is no command of the repository.
  [[], [], { ".github/workflows/ci.yml": workflow("      - run: sudo make install\n      - run: ./test.sh\n") }],
  [[], [], { ".github/workflows/ci.yml": workflow("      - run: ./test.sh ${{ secrets.KEY }}\n") }],
  [[], [], { ".github/workflows/ci.yml": workflow("      - run: ./test.sh $KEY\n") }],
  [[], [], { ".github/workflows/ci.yml": workflow("      - run: ./test.sh && ./deploy.sh\n") }],
  [[], ["npm test"], { ".github/workflows/ci.yml": workflow("      - run: ./test.sh\n"), "package.json": ALL }],
])("where nothing else tells, CI does: %j, %j", async (setup, tests, files) => {
  expect(await guessed(files)).toMatchObject({ setup_commands: setup, test_commands: tests });
});

test("what `.relay.yml` names replaces what is found, also by nothing; the rest is found", async () => {
  const code = plainFiles({ "package.json": ALL, "package-lock.json": "{}" });
  expect(await conventionsOf(code, { test_commands: ["make it"] })).toMatchObject({
    setup_commands: ["npm ci"],
    test_commands: ["make it"],
    lint_command: "npm run lint",
  });
  expect(await conventionsOf(code, { setup_commands: [], lint_command: "" })).toMatchObject({
    setup_commands: [],
    test_commands: ["npm test"],
    lint_command: "",
  });
});

test("versions that a repository asks for are told with their file, one for each language", async () => {
  const code = plainFiles({
    ".nvmrc": "v18.2\n",
    "package.json": '{"engines":{"node":">=20"}}',
    "go.mod": "module x\n\ngo 1.22\n",
    "pyproject.toml": "[project]\nrequires-python = '>=3.12'\n",
    "rust-toolchain": "$(touch x)",
  });
  expect(await versionsOf(code)).toEqual(["Node 18.2 (.nvmrc)", "Python >=3.12 (pyproject.toml)", "Go 1.22 (go.mod)"]);
});

test("a wrapper that may not be run as it is, is given to a shell", async () => {
  const files = { "build.gradle": "", gradlew: "" };
  expect(await guessConventions(plainFiles(files, "gradlew"))).toMatchObject({ test_commands: ["sh gradlew test"] });
});

test("projects below a top without a manifest are set up and tested in their folders; examples and tests are no projects", async () => {
  const files = {
    "README.md": "",
    "web/package.json": ALL,
    "web/package-lock.json": "{}",
    "web/src/package.json": "{}",
    "services/api/go.mod": "module x\n",
    "docs/package.json": ALL,
    "services/examples/package.json": ALL,
  };
  expect(await guessed(files)).toMatchObject({
    setup_commands: ["cd services/api && go mod download", "cd web && npm ci"],
    test_commands: ["cd services/api && go test ./...", "cd web && npm test"],
    lint_command: "(cd services/api && go vet ./...) && (cd web && npm run lint)",
    type_check_command: "cd web && npm run typecheck",
  });
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`part${n}/go.mod`, "module x\n"]));
  expect(await guessed(many)).toMatchObject({ setup_commands: [], test_commands: [] });
  expect(await guessed({ ...files, Makefile: "test:\n\ttrue\n" })).toMatchObject({ test_commands: ["make test"] });
});
