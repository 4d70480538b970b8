import { z } from "zod";

/** The named parts of a file that define checks and tests, with their text. */
export type Definitions = Map<string, string>;

interface Kind {
  path: RegExp;
  /**
   * Extracts the parts that define checks. If not `everyChange`, only changes that weaken a check count, as most of the
   * file is about something else.
   */
  read: (text: string) => Definitions;
  everyChange: boolean;
}

const INI =
  /(?:^|\/)(?:tox\.ini|setup\.cfg|pytest\.ini|\.?flake8|\.coveragerc|mypy\.ini|\.mypy\.ini|\.?pylintrc|\.isort\.cfg|\.pytest\.ini)$/;
const TOML =
  /(?:^|\/)(?:pyproject\.toml|Cargo\.toml|\.?ruff\.toml|\.?clippy\.toml|\.?rustfmt\.toml|\.?pytest\.toml|mise\.toml|\.mise\.toml|nextest\.toml|taplo\.toml)$/;
const WHOLE =
  /(?:^|\/)(?:(?:jest|vitest|karma|ava|playwright|cypress|eslint|prettier|stylelint|wdio|web-test-runner|commitlint|nightwatch|knip)(?:\.[\w-]+)?\.(?:config|conf|workspace|setup)\.[cm]?[jt]sx?(?:on)?|vitest\.workspace\.\w+|\.(?:mocharc|nycrc|c8rc|eslintrc|prettierrc|stylelintrc|taprc|jshintrc|swiftlint|oxlintrc)(?:\.\w+)?|\.(?:eslint|prettier|stylelint|test)ignore|biome\.jsonc?|tslint\.json|noxfile\.py|phpunit\.xml(?:\.dist)?|phpstan(?:-\w+)?\.neon(?:\.dist)?|psalm\.xml(?:\.dist)?|\.php-cs-fixer(?:\.dist)?\.php|\.rspec|\.rubocop(?:_todo)?\.yml|\.golangci\.ya?ml|[\w.-]+\.runsettings|\.pre-commit-config\.yaml|\.ktlint|detekt\.ya?ml|checkstyle\.xml|\.scalafmt\.conf|analysis_options\.yaml|\.credo\.exs)$/;
const MIXED =
  /(?:^|\/)(?:pom\.xml|build\.gradle(?:\.kts)?|gradle\.properties|build\.sbt|tsconfig(?:\.[\w-]+)?\.json|vite\.config\.\w+|[\w.-]+\.csproj|[\w.-]+\.fsproj|Directory\.Build\.props|\.npmrc|\.yarnrc(?:\.yml)?|\.bundle\/config|turbo\.json|nx\.json|lerna\.json|rakefile|Rakefile|justfile|Justfile|Taskfile\.ya?ml|mix\.exs|conftest\.py|spec_helper\.rb|rails_helper\.rb|test_helper\.rb|bunfig\.toml|\.cargo\/config(?:\.toml)?)$/;

const KINDS: readonly Kind[] = [
  { path: /(?:^|\/)package\.json$/, read: ofPackage, everyChange: true },
  { path: /(?:^|\/)(?:composer\.json|deno\.jsonc?)$/, read: ofManifest, everyChange: true },
  { path: /(?:^|\/)(?:GNU)?[Mm]akefile$|\.mk$/, read: ofMakefile, everyChange: true },
  { path: INI, read: (text) => ofSections(text), everyChange: true },
  { path: TOML, read: (text) => ofSections(text), everyChange: true },
  { path: WHOLE, read: (text) => new Map([["", laidOut(text)]]), everyChange: true },
  { path: MIXED, read: (text) => new Map([["", laidOut(text)]]), everyChange: false },
];

/** The parts of a file that define checks and tests; null if the file defines none. */
export function definitionsIn(path: string, text: string): { parts: Definitions; everyChange: boolean } | null {
  const kind = KINDS.find((one) => one.path.test(path));
  return kind === undefined ? null : { parts: kind.read(text), everyChange: kind.everyChange };
}

/** JSON with one value per line, whatever its original layout. */
function laidOut(text: string): string {
  if (!/^\s*(?:\/\/.*\s*)*\{/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text.replaceAll(/^[ \t]*\/\/.*$/gm, "")), null, 1);
  } catch {
    return text;
  }
}

const PACKAGE_KEYS = [
  "jest",
  "mocha",
  "ava",
  "nyc",
  "c8",
  "tap",
  "eslintConfig",
  "eslintIgnore",
  "xo",
  "prettier",
  "stylelint",
  "vitest",
];

function ofPackage(text: string): Definitions {
  const read = objectIn(text);
  return new Map([...textsIn(read["scripts"], "scripts"), ...PACKAGE_KEYS.flatMap((key) => part(key, read[key]))]);
}

function ofManifest(text: string): Definitions {
  const read = objectIn(text.replaceAll(/^[ \t]*\/\/.*$/gm, ""));
  return new Map([
    ...textsIn(read["scripts"], "scripts"),
    ...textsIn(read["tasks"], "tasks"),
    ...part("test", read["test"]),
    ...part("lint", read["lint"]),
  ]);
}

function textsIn(value: unknown, name: string): [string, string][] {
  return Object.entries(objectOf(value)).map(([key, script]) => [
    `${name}.${key}`,
    Array.isArray(script) ? script.join("\n") : typeof script === "string" ? script : JSON.stringify(script, null, 1),
  ]);
}

function part(key: string, value: unknown): [string, string][] {
  return value === undefined ? [] : [[key, JSON.stringify(value, null, 1)]];
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).catch({}).parse(value);
}

/** The rules by target, with their prerequisites, and the variables. */
function ofMakefile(text: string): Definitions {
  const found: Definitions = new Map();
  let open: string[] = [];
  for (const line of text.replaceAll(/\\\n/g, " ").split("\n")) {
    const [, names = "", after = ""] = /^([\w./%$(){} -]+?)\s*::?(?!=)\s*(.*)$/.exec(line) ?? [];
    const [, variable] = /^(?:export\s+)?([\w.]+)\s*[:?+!]{0,2}=/.exec(line) ?? [];
    if (variable !== undefined) {
      found.set(`$(${variable})`, line.trim());
      open = [];
    } else if (names !== "" && !line.startsWith("\t")) {
      open = names
        .trim()
        .split(/\s+/)
        .map((name) => `target ${name}`);
      const [prerequisites = "", recipe = ""] = after.split(/;(.*)/s);
      for (const name of open)
        found.set(
          name,
          [found.get(name) ?? prerequisites.trim(), ...(recipe === "" ? [] : [recipe.trim()])].join("\n"),
        );
    } else if (/^\s+\S/.test(line))
      for (const name of open) found.set(name, `${found.get(name) ?? ""}\n${line.trim()}`);
  }
  return found;
}

const SECTION =
  /^(?:tool:pytest|pytest|flake8|mypy|coverage|pylint|isort|tox|testenv|run|report|html|paths|tool\.(?:pytest|ruff|mypy|coverage|tox|hatch\.envs|pylint|flake8|black|isort|nox|pyright|poe|taskipy|pdm\.scripts|bandit|ty|tox-gh)|lib|test|bench|lints|profile\.test|workspace\.lints|tasks|lint|format|main|master|messages control|per-file-ignores)\b/i;

/** Keys by section, only in sections about checks; a value may span several lines. */
function ofSections(text: string): Definitions {
  const found: Definitions = new Map();
  let section = "";
  let key: string | null = null;
  for (const line of text.split("\n")) {
    const head = /^\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(line)?.[1];
    const pair = /^([\w."'-]+)\s*[=:]\s*(.*)$/.exec(line);
    if (head !== undefined) [section, key] = [head.trim(), null];
    else if ((section !== "" && !SECTION.test(section)) || /^\s*[#;]/.test(line) || line.trim() === "") continue;
    else if (pair?.[1] !== undefined && (section !== "" || /^[\w-]+$/.test(pair[1]))) {
      key = section === "" ? pair[1] : `[${section}] ${pair[1]}`;
      found.set(key, `${pair[1]} = ${pair[2] ?? ""}`);
    } else if (key !== null) found.set(key, `${found.get(key) ?? ""}\n${line.trim()}`);
  }
  return isOfChecks(found);
}

/** Leaves out versions and names of packages, which the same files contain. */
function isOfChecks(found: Definitions): Definitions {
  return new Map(
    [...found].filter(
      ([key]) =>
        !/(?:^|\] )(?:name|version|edition|deps|dependencies|description|authors|license|path|required-version|minversion|requires|rust-version|msrv|target-version|python_version|python-version|pythonVersion|py-version)$/.test(
          key,
        ),
    ),
  );
}
