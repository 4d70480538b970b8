import { expect, test } from "vitest";
import { setupCause, tellingLine } from "./setup-failure.ts";

const MANAGED = `error: externally-managed-environment

× This environment is externally managed
╰─> To install Python packages system-wide, try apt install
    python3-xyz, where xyz is the package you are trying to install.

note: If you believe this is a mistake, please contact your Python installation or OS distribution provider.
hint: See PEP 668 for the detailed specification.`;
const NO_VENV = `The virtual environment was not created successfully because ensurepip is not
available.  On Debian/Ubuntu systems, you need to install the python3-venv
package using the following command.`;
const OUT_OF_SYNC = `npm error code EUSAGE
npm error
npm error \`npm ci\` can only install packages when your package.json and package-lock.json are in sync.
npm error
npm error Missing: ajv@8.17.1 from lock file
npm error A complete log of this run can be found in: …/npm/_logs/x.log`;
const NO_INDEX = `WARNING: Retrying (Retry(total=0)) after connection broken by 'ProxyError'
ERROR: Could not find a version that satisfies the requirement hatchling (from versions: none)
ERROR: No matching distribution found for hatchling`;

test.each([
  ["composer install", "sh: 1: composer: not found", { kind: "program", program: "composer" }],
  ["composer install", "bash: line 1: composer: command not found", { kind: "program", program: "composer" }],
  ["a && bundle install", "sh: bundle: not found", { kind: "program", program: "bundle" }],
  ["make lint", "make: golangci-lint: No such file or directory", { kind: "program", program: "golangci-lint" }],
  ["php a.php", "/usr/bin/env: ‘php’: No such file or directory", { kind: "program", program: "php" }],
  ["command -v pnpm || npm install --global pnpm@9", "npm error code ENOTFOUND", { kind: "program", program: "pnpm" }],
  // A script's program comes with the packages.
  ["npm ci", "sh: 1: husky: not found", null],
  ["pip install -r requirements.txt", MANAGED, { kind: "managed_python" }],
  ['python3 -m venv "$VIRTUAL_ENV"', NO_VENV, { kind: "no_venv" }],
  ["npm ci", OUT_OF_SYNC, null],
  ["npm ci", "", null],
] as const)("what the machine lacks for “%s” is known by what it prints", (command, output, cause) => {
  expect(setupCause({ command, output })).toEqual(cause);
});

test.each([
  [MANAGED, "error: externally-managed-environment"],
  [
    OUT_OF_SYNC,
    "npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.",
  ],
  [NO_INDEX, "ERROR: Could not find a version that satisfies the requirement hatchling (from versions: none)"],
  ["sh: 1: composer: not found", "sh: 1: composer: not found"],
  [
    "Traceback:\n  x\nModuleNotFoundError: No module named 'setuptools'",
    "ModuleNotFoundError: No module named 'setuptools'",
  ],
  [
    "Fetching gems\nCould not find gem 'rack-test' in rubygems repository",
    "Could not find gem 'rack-test' in rubygems repository",
  ],
  [
    "go: downloading a\ngo: example.org/a@v1: dial tcp: lookup example.org: no such host",
    "go: example.org/a@v1: dial tcp: lookup example.org: no such host",
  ],
  ["only this", "only this"],
  ["", ""],
])("the line that tells most is found", (output, line) => {
  expect(tellingLine(output)).toBe(line);
});
