import { z } from "zod";

/** The changed keys of a manifest that have commands or settings of checks. */
export interface ChangedKeys {
  checks: string[];
  /** Whether an existing command or setting was replaced or removed, or a script added that runs by itself. */
  isReplaced: boolean;
}

const JSON_MANIFEST = /(?:^|\/)(?:package|composer|deno)\.json$/;
const SECTIONED = /(?:^|\/)(?:pyproject\.toml|setup\.cfg)$/;

/** Whether a manifest can be compared key by key. */
export function isManifest(path: string): boolean {
  return JSON_MANIFEST.test(path) || SECTIONED.test(path);
}

/**
 * The keys that differ between two versions of a manifest; null stands for a missing one. If one cannot be read,
 * everything counts as changed.
 */
export function changedKeys(path: string, before: string | null, after: string | null): ChangedKeys {
  const keysOf = SECTIONED.test(path) ? sections : jsonKeys;
  const [old, now] = [keysOf(before), keysOf(after)];
  if (old === null || now === null) return { checks: ["*"], isReplaced: true };
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key));
  const checks = changed.filter((key) => isCheckKey(key) && (!key.startsWith("scripts.") || decides(key, old)));
  return {
    checks,
    isReplaced: checks.some((key) => old.has(key) || /^scripts\.(?:pre|post)/.test(key) || RUNS_BY_ITSELF.test(key)),
  };
}

/** Whether a key has commands or settings of checks: a key of a JSON manifest, or a section of a Python one. */
export function isCheckKey(key: string): boolean {
  return CHECKS.test(key);
}

const CHECKS =
  /^(?:scripts|tasks|scripts-aux|jest|vitest|mocha|ava|tap|nyc|c8|eslintConfig|eslintIgnore|xo|stylelint|prettier|babel|lint|test|fmt|lint-staged|husky|simple-git-hooks|pre-commit|wireit|commitlint|standard|release)(?:\.|$)|^tool[.:](?!poetry\b|setuptools|hatch\.(?:metadata|build|version)|flit|pdm\.(?:dev-dep|build|version)|uv|$)|^(?:flake8|mypy|pycodestyle|pydocstyle|coverage|isort|pylint|tox|testenv|aliases|yapf)\b/;
/** Scripts that a package manager runs by itself: at an installation, or when a package is built or published. */
const RUNS_BY_ITSELF =
  /^scripts\.(?:(?:pre|post)?(?:install|prepare|pack|publish)|prepublishOnly|dependencies|(?:pre|post)(?:uninstall|version)|(?:pre|post)-[\w-]+)$/;
/** Scripts that are checks according to their names. */
const NAMED_AS_CHECK =
  /^scripts\.(?:pre|post)?(?:test|tests|lint|check|checks|typecheck|type-check|types|verify|validate|ci|spec|unit|e2e|coverage)(?:[:_-].*)?$/;

/** Whether a changed script matters: a new one that nothing runs by itself checks nothing yet. */
function decides(key: string, old: ReadonlyMap<string, string>): boolean {
  if (RUNS_BY_ITSELF.test(key)) return true;
  const around = /^scripts\.(?:pre|post)(.+)$/.exec(key)?.[1];
  return NAMED_AS_CHECK.test(key) && (old.has(key) || (around !== undefined && old.has(`scripts.${around}`)));
}

const objects = z.record(z.string(), z.unknown());

/** The keys of an object and of its direct child objects; null if the text is not an object. */
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

/** The commands of a manifest's scripts; empty if the manifest is missing or cannot be read. */
export function scriptsIn(manifest: string | null): string[] {
  const scripts = manifest === null ? null : objects.safeParse(parsed(manifest)?.["scripts"]).data;
  return Object.values(scripts ?? {}).filter((command) => typeof command === "string");
}

/** Settings with the language version that a tool assumes. */
const OF_VERSION = /^\s*(?:target-version|python[_-]?[vV]ersion|py-version)\s*=/;

/** The lines of each section, without comments. */
function sections(text: string | null): Map<string, string> {
  const found = new Map<string, string>();
  let name = "";
  for (const line of (text ?? "").split(/\r?\n/)) {
    const head = /^\s*\[{1,2}([^[\]]+)\]{1,2}\s*(?:#.*)?$/.exec(line)?.[1];
    if (head !== undefined) name = head.trim().replaceAll('"', "");
    else if (/^\s*[^#;\s]/.test(line) && !OF_VERSION.test(line))
      found.set(name, `${found.get(name) ?? ""}${line.trim()}\n`);
  }
  return found;
}
