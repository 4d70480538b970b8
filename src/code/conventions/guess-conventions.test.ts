import { expect, onTestFinished, test } from "vitest";
import { indexedRepository } from "../../../test/support/indexed-repository.ts";
import { conventionsSchema } from "../../domain/conventions.ts";
import { guessConventions } from "./guess-conventions.ts";

async function guessed(files: Record<string, string>) {
  const code = await indexedRepository([
    { files: Object.entries(files).map(([path, content]) => ({ path, content })) },
  ]);
  onTestFinished(async () => await code.remove());
  return conventionsSchema.parse(await guessConventions(code.index.repository));
}

const scripts = (all: Record<string, string>) => JSON.stringify({ name: "x", scripts: all });

test.each([
  [
    "npm",
    { "package.json": scripts({ lint: "eslint .", build: "vite build", typecheck: "tsc", test: "vitest" }) },
    "npm",
  ],
  [
    "pnpm",
    { "package.json": scripts({ lint: "x", build: "x", typecheck: "x", test: "x" }), "pnpm-lock.yaml": "" },
    "pnpm",
  ],
  ["yarn", { "package.json": scripts({ lint: "x", build: "x", typecheck: "x", test: "x" }), "yarn.lock": "" }, "yarn"],
])("a package's scripts are run by %s", async (_, files, runner) => {
  expect(await guessed(files)).toMatchObject({
    lint_command: `${runner} run lint`,
    build_command: `${runner} run build`,
    type_check_command: `${runner} run typecheck`,
    test_commands: [`${runner} test`],
  });
});

test.each([
  ["Cargo", { "Cargo.toml": "[package]\nname = 'x'\n" }, "cargo check --all-targets", "cargo build"],
  ["Clippy", { "Cargo.toml": "[lints.clippy]\nall = 'warn'\n" }, "cargo clippy --all-targets", "cargo build"],
  ["Go", { "go.mod": "module x\n" }, "go vet ./...", "go build ./..."],
  ["Python", { "pyproject.toml": "[build-system]\n[tool.ruff]\n[tool.mypy]\n" }, "ruff check .", ""],
  [
    "Make",
    { Makefile: "CC := x\n.PHONY: lint\nlint: all\n\tx\nbuild:\n\tx\n", "go.mod": "module x\n" },
    "make lint",
    "make build",
  ],
  ["Maven", { "pom.xml": "<project/>", mvnw: "" }, "", "./mvnw compile"],
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
  expect(await guessed({ "a.txt": "a" })).toMatchObject(nothing);
  expect(await guessed({ "package.json": "{" })).toMatchObject(nothing);
  expect(await guessed({ "package.json": "[]", "CONTRIBUTING.md": "x" })).toMatchObject({
    ...nothing,
    style_guide: "CONTRIBUTING.md",
  });
});

test.each([
  [["npm ci"], { "package.json": "{}", "package-lock.json": "{}" }],
  [["pnpm install --frozen-lockfile"], { "package.json": "{}", "pnpm-lock.yaml": "" }],
  [["npm install --no-package-lock"], { "package.json": '{"devDependencies":{"ajv":"8"}}' }],
  [["npm install --no-package-lock"], { "package.json": '{"workspaces":["a"]}' }],
  [["npm install --no-package-lock"], { "package.json": '{"scripts":{"prepare":"node make.js"}}' }],
  [["npm install --no-package-lock"], { "package.json": "{" }],
  [[], { "package.json": '{"dependencies":{},"scripts":{"test":"node --test"}}' }],
  [["uv sync --locked"], { "pyproject.toml": "", "uv.lock": "" }],
  [["bundle install", "go mod download"], { Gemfile: "", "go.mod": "module x\n" }],
  [[], { "package-lock.json": "{}", "a.txt": "" }],
])("dependencies are brought in by %j", async (commands, files) => {
  expect((await guessed(files)).setup_commands).toEqual(commands);
});
