import { expect, test } from "vitest";
import { setupFilesIn } from "./setup-files.ts";

test.each([
  ['{"require": ["./test/setup.mjs"]}', "", "test/setup"],
  ["require:\n  - ts-node/register\n  - ./test/hooks.js\n", "", "test/hooks"],
  ['setupFilesAfterEnv: ["<rootDir>/test/env.ts"],', "web/", "web/test/env"],
  ["test: { setupFiles: './vitest/start.ts' }", "", "vitest/start"],
  ['"test": "mocha --require test/init.js"', "", "test/init"],
  ['"test": "node --import ./test/hook.mjs --test"', "", "test/hook"],
  ["addopts = -q -p tools.plug", "", "tools/plug"],
  ['pytest_plugins = ["tests.fixtures.db"]', "", "tests/fixtures/db"],
  ['<phpunit bootstrap="tests/boot.php">', "", "tests/boot"],
  ["globalSetup: require.resolve('./global.js'),\nglobalTeardown: './down'", "", "down"],
])("what the settings of a runner load is read from %s", (text, folder, path) => {
  expect(setupFilesIn(text, folder)).toContain(path);
});

test("files that tests are about are none", () => {
  expect(setupFilesIn('const total = require("./src/total.js");\ninclude: ["src/a.ts"]', "")).toEqual([]);
});
