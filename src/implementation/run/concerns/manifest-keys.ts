import { z } from "zod";

/** What a changed manifest changes: keys with the commands and settings of checks, and keys of dependencies. */
export interface ChangedKeys {
  checks: string[];
  dependencies: string[];
  /** Whether a command or setting that was there is another now, or gone. */
  isReplaced: boolean;
}

const JSON_MANIFEST = /(?:^|\/)(?:package|composer|deno)\.json$/;
const SECTIONED = /(?:^|\/)(?:pyproject\.toml|setup\.cfg)$/;

/** Whether the keys of a manifest can be told apart. */
export function isManifest(path: string): boolean {
  return JSON_MANIFEST.test(path) || SECTIONED.test(path);
}

/** What differs between two versions of a manifest; null is one that is not there. What cannot be read changes all. */
export function changedKeys(path: string, before: string | null, after: string | null): ChangedKeys {
  const keysOf = SECTIONED.test(path) ? sections : jsonKeys;
  const [old, now] = [keysOf(before), keysOf(after)];
  if (old === null || now === null) return { checks: ["*"], dependencies: [], isReplaced: true };
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key));
  const checks = changed.filter((key) => CHECKS.test(key));
  return {
    checks,
    dependencies: changed.filter((key) => DEPENDENCIES.test(key)),
    isReplaced: checks.some((key) => old.has(key) || HOOK.test(key)),
  };
}

/** Keys of JSON manifests, then sections of Python's. */
const CHECKS =
  /^(?:scripts|tasks|scripts-aux|jest|vitest|mocha|ava|tap|nyc|c8|eslintConfig|eslintIgnore|xo|stylelint|prettier|babel|lint|test|fmt|lint-staged|husky|simple-git-hooks|pre-commit|wireit|commitlint|standard|release)(?:\.|$)|^tool[.:](?!poetry\b|setuptools|hatch\.(?:metadata|build|version)|flit|pdm\.(?:dev-dep|build|version)|uv)|^(?:flake8|mypy|pycodestyle|pydocstyle|coverage|isort|pylint|tox|testenv|aliases|yapf)\b/;
const DEPENDENCIES =
  /^(?:dependencies|devDependencies|peerDependencies|peerDependenciesMeta|optionalDependencies|bundleDependencies|bundledDependencies|overrides|resolutions|pnpm|workspaces|packageManager|engines|volta|trustedDependencies|patchedDependencies|require|require-dev|repositories|autoload|autoload-dev|config|imports|importMap|links|bin|files|type|main|exports)(?:\.|$)|^(?:project|build-system|dependency-groups|options|metadata)\b|^tool[.:](?:poetry|setuptools|hatch\.(?:metadata|build|version)|flit|pdm\.(?:dev-dep|build|version)|uv)/;
/** Scripts that a package manager runs by itself, on each machine that installs the package, or around other scripts. */
const HOOK = /^scripts\.(?:pre|post|prepare|install|dependencies)/;

const objects = z.record(z.string(), z.unknown());

/** The keys of an object and of the objects directly in it; null for no object. */
function jsonKeys(text: string | null): Map<string, string> | null {
  const found = text === null ? {} : parsed(text);
  if (found === null) return null;
  return new Map(
    Object.entries(found).flatMap(([key, value]) => {
      const inner = objects.safeParse(value).data;
      return inner === undefined
        ? [[key, JSON.stringify(value)] as const]
        : Object.entries(inner).map(([name, one]) => [`${key}.${name}`, JSON.stringify(one)] as const);
    }),
  );
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return objects.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** The commands of a manifest's scripts; none of one that is not there or cannot be read. */
export function scriptsIn(manifest: string | null): string[] {
  const scripts = manifest === null ? null : objects.safeParse(parsed(manifest)?.["scripts"]).data;
  return Object.values(scripts ?? {}).filter((command) => typeof command === "string");
}

/** The lines of each section, without comments. */
function sections(text: string | null): Map<string, string> {
  const found = new Map<string, string>();
  let name = "";
  for (const line of (text ?? "").split(/\r?\n/)) {
    const head = /^\s*\[{1,2}([^[\]]+)\]{1,2}\s*(?:#.*)?$/.exec(line)?.[1];
    if (head !== undefined) name = head.trim().replaceAll('"', "");
    else if (/^\s*[^#;\s]/.test(line)) found.set(name, `${found.get(name) ?? ""}${line.trim()}\n`);
  }
  return found;
}
