import { posix } from "node:path";

/** Files with settings of test runners, next to a `package.json` or at the root. */
export const RUNNER_SETTINGS: readonly string[] = [
  "package.json jest.config.json vitest.workspace.ts karma.conf.js .nycrc .nycrc.json bunfig.toml .rspec".split(" "),
  "phpunit.xml phpunit.xml.dist pytest.ini pyproject.toml tox.ini setup.cfg conftest.py".split(" "),
  ["json", "jsonc", "js", "cjs", "mjs", "yml", "yaml"].map((ending) => `.mocharc.${ending}`),
  ["jest", "vitest", "vite", "ava", "playwright", "cypress"].flatMap((name) =>
    ["js", "ts", "mjs", "cjs", "mts"].map((ending) => `${name}.config.${ending}`),
  ),
].flat();

const SETTINGS =
  /(?:\b(?:setupFiles\w*|globalSetup|globalTeardown|require|file|testEnvironment|testRunner|runner|transform|snapshotSerializers|reporters?|bootstrap|supportFile|preload|pytest_plugins|environment)["']?\s*[:=]|--(?:require|import|loader|experimental-loader|preload|file)[= ]|(?<=\s)-[rp][= ])\s*((?:-\s+[^\n]{1,300}\n?\s*)+|\[[^\]]{0,2000}\]|\{[^}]{0,2000}\}|["'][^"'\n]{1,300}["']|[^\s"',;<>]{1,300})/g;

/** Files that the settings of a runner in that folder load before the tests, as paths without extensions. */
export function setupFilesIn(text: string, folder: string): string[] {
  return [...text.slice(0, LONGEST).matchAll(SETTINGS)].flatMap(([, value = ""]) =>
    (value.match(/[\w@./<>-]+/g) ?? []).flatMap((word) => {
      const plain = word.replace(/^(?:<rootDir>\/?|\.\/)+/, "");
      const dotted = /^\w+(?:\.\w+)+$/.test(plain) ? [plain.replaceAll(".", "/")] : [];
      return [plain, ...dotted].map((path) => withoutEnding(posix.join(folder, path)));
    }),
  );
}
const LONGEST = 200_000;

/** `test/setup` for `test/setup.mjs` and `test/setup/index.ts`. */
export function withoutEnding(path: string): string {
  return path.replace(/\.[cm]?[jt]sx?$|\.(?:py|rb|php|json)$/, "").replace(/\/(?:index|__init__)$/, "");
}
