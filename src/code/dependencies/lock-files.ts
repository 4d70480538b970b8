import type { Dependency } from "./dependency.ts";
import { composerLock, npmLock, nugetLock, pipfileLock } from "./json-locks.ts";
import {
  gemfileLock,
  goMod,
  goSum,
  gradleLock,
  packageTables,
  pnpmLock,
  requirements,
  yarnLock,
} from "./text-locks.ts";

/** The changed versions of one package, before and after; `[]` if it was or is not there. */
export interface DependencyChange {
  /** The lock file with this change. */
  path: string;
  name: string;
  before: readonly string[];
  after: readonly string[];
  /** From the new lock file; null if it has none. */
  licence: string | null;
}

type Reader = (text: string) => Dependency[];

const json =
  (read: (document: unknown) => Dependency[]): Reader =>
  (text) => {
    const document: unknown = JSON.parse(text);
    return read(document);
  };
const lines =
  (read: (all: readonly string[]) => Dependency[]): Reader =>
  (text) =>
    read(text.split(/\r?\n/));

const READERS: readonly (readonly [name: RegExp, read: Reader])[] = [
  [/^(?:package-lock|npm-shrinkwrap)\.json$/, json(npmLock)],
  [/^composer\.lock$/, json(composerLock)],
  [/^Pipfile\.lock$/, json(pipfileLock)],
  [/^packages\.lock\.json$/, json(nugetLock)],
  [/^pnpm-lock\.yaml$/, lines(pnpmLock)],
  [/^yarn\.lock$/, lines(yarnLock)],
  [/^Cargo\.lock$/, lines((all) => packageTables(all, { localWithoutSource: true }))],
  [/^(?:poetry|uv)\.lock$/, lines((all) => packageTables(all, { localWithoutSource: false }))],
  [/^go\.mod$/, lines(goMod)],
  [/^go\.sum$/, lines(goSum)],
  [/^Gemfile\.lock$/, lines(gemfileLock)],
  [/^(?:[\w.-]*-)?requirements(?:[-_.][\w.-]*)?\.txt$|^constraints\.txt$/, lines(requirements)],
  [/^(?:buildscript-)?gradle\.lockfile$/, lines(gradleLock)],
];

/** Whether a file pins dependencies in a form that `dependencyChanges` reads. */
export function isLockFile(path: string): boolean {
  return readerOf(path) !== undefined;
}

/**
 * How two versions of a lock file differ: new packages first, then other versions, then removed packages (R-WORK-11).
 * `null` stands for a missing file. Null if a version cannot be parsed as its name suggests. Linear in both lengths.
 */
export function dependencyChanges(
  path: string,
  { before, after }: { before: string | null; after: string | null },
): DependencyChange[] | null {
  const [old, now] = [versionsIn(path, before), versionsIn(path, after)];
  if (old === null || now === null) return null;
  const changes = [...new Set([...now.keys(), ...old.keys()])].flatMap((name) => {
    const [had = [], has = []] = [old.get(name), now.get(name)];
    const change = { path, name, before: versionsOf(had), after: versionsOf(has) };
    if (change.before.join(" ") === change.after.join(" ")) return [];
    return [{ ...change, licence: has.find(({ licence }) => licence !== null)?.licence ?? null }];
  });
  const rank = (one: DependencyChange): number => (one.before.length === 0 ? 0 : one.after.length === 0 ? 2 : 1);
  return changes.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

function versionsOf(all: readonly Dependency[]): string[] {
  return [...new Set(all.map(({ version }) => version))].toSorted();
}

function versionsIn(path: string, text: string | null): Map<string, Dependency[]> | null {
  if (text === null) return new Map();
  try {
    return Map.groupBy(readerOf(path)?.(text) ?? [], ({ name }) => name);
  } catch {
    return null;
  }
}

function readerOf(path: string): Reader | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return READERS.find(([pattern]) => pattern.test(name))?.[1];
}
