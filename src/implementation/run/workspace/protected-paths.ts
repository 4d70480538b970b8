import { type ConcernKind, concernKind } from "../../../domain/concern.ts";
import { stripHiddenCharacters } from "../../../domain/text/hidden-characters.ts";
import { RelayError } from "../../../lib/errors.ts";
import { classify } from "../../../code/classify.ts";
import { compileGlob, expandBraces, type PathTest } from "../../../code/tools/glob.ts";
import { protectedPaths as secretPaths } from "../../../code/tools/protected-files.ts";
import PROTECTED from "./protected-paths.json" with { type: "json" };
import type { ChangeRules } from "./workspace.ts";

/**
 * `refused`: files that run with permissions of their own once pushed or cloned, when a folder is opened, or when a
 * program starts; and Relay's own configuration. `reviewed`: files that affect other people's work; the first matching
 * class counts (R-WORK-11).
 */
const { refused: REFUSED, reviewed: REVIEWED } = PROTECTED;

/**
 * Matches paths that no commit of a run may touch (R-WORK-6). Ignores case, and matches every spelling that a file
 * system treats as the same name. A link may not replace a folder with such files. Source code is never blocked just
 * for a name like `secrets.ts`; its content is checked instead. Throws `RelayError` `config` for an invalid glob.
 */
export function blockedPaths({ blocked, allowed }: Pick<ChangeRules, "blocked" | "allowed">): BlockTest {
  const isOurs = refusedByDefault();
  const isAllowed = anyOf(allowed);
  const isBlocked = anyOf(blocked);
  const isFolder = anyOf([...blocked, ...Object.values(REFUSED).flat()].flatMap(foldersIn));
  return (path, isLink = false) =>
    isBlocked(path) || (!isAllowed(path) && (isOurs(path) || (isLink && isFolder(path))));
}

/** Whether a run may not touch a path; `isLink`: whether the path is a link. */
export type BlockTest = (path: string, isLink?: boolean) => boolean;

/** The kind of thing that a forbidden path belongs to, as in “files of editors”. */
export function kindOfBlocked({ blocked }: Pick<ChangeRules, "blocked">): (path: string) => string {
  const isBlocked = anyOf(blocked.flatMap((glob) => [glob, ...foldersIn(glob)]));
  const classes = Object.entries(REFUSED).map(([kind, globs]) => ({
    kind,
    fits: anyOf([...globs, ...globs.flatMap(foldersIn)]),
  }));
  return (path) => {
    if (isBlocked(path)) return "the configuration’s list of blocked paths";
    return classes.find(({ fits }) => fits(path))?.kind ?? "secrets";
  };
}

/** Globs of the folders that a glob passes through: `.github` and `.github/workflows` for `.github/workflows/**`. */
function foldersIn(glob: string): string[] {
  const parts = glob.split("/");
  const named = parts.slice(0, -1).flatMap((part, at) => (part.includes("*") ? [] : [at + 1]));
  return named.map((length) => parts.slice(0, length).join("/"));
}

/**
 * The kind of concern if a change touches a file that a person must look at; null for none. `opened`: files that are
 * refused unless the operator allows them. `listed`: files of the operator's own list, in which a `!` before a glob
 * exempts files from Relay's list. Throws `RelayError` `config` for an invalid glob.
 */
export function reviewedPaths({ reviewed }: Pick<ChangeRules, "reviewed">): (path: string) => ConcernKind | null {
  const isListed = anyOf(reviewed.filter((glob) => !glob.startsWith("!")));
  const isExempt = anyOf(reviewed.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)));
  const isRefused = refusedByDefault();
  const classes = Object.entries(REVIEWED).map(([name, globs]) => ({
    kind: concernKind.parse(name),
    fits: anyOf(globs),
  }));
  return (path) => {
    if (isListed(path)) return "listed";
    if (isExempt(path)) return null;
    if (isRefused(path)) return "opened";
    return classes.find(({ fits }) => fits(path))?.kind ?? null;
  };
}

/** Matches settings of coding agents that are not allowed: left by one run of an agent, they would steer the next. */
export function agentSettings({ allowed }: Pick<ChangeRules, "allowed">): PathTest {
  const isSetting = anyOf(REFUSED["coding agents"]);
  const isAllowed = anyOf(allowed);
  return (path) => isSetting(path) && !isAllowed(path);
}

function refusedByDefault(): PathTest {
  const isSecret = secretPaths();
  const isRefused = anyOf(Object.values(REFUSED).flat());
  return (path) => isRefused(path) || (isSecret(path) && !isCode(path));
}

function isCode(path: string): boolean {
  const { role, language } = classify(path);
  return language !== null && (role === "source" || role === "test");
}

/**
 * Whether some glob matches. Plain names of files and folders are looked up in sets, since changes can have many
 * thousand files.
 */
function anyOf(globs: readonly string[]): PathTest {
  const names = new Set<string>();
  const folders = new Set<string>();
  const tests: PathTest[] = [];
  for (const glob of globs) {
    assertReadable(glob);
    for (const one of expandBraces(glob) ?? []) {
      const folder = /^\*\*\/([^/]+)\/\*\*$/.exec(one)?.[1];
      if (isPlain(one) && !one.includes("/")) names.add(one.toLowerCase());
      else if (folder !== undefined && isPlain(folder)) folders.add(folder.toLowerCase());
      else tests.push(assertReadable(one));
    }
  }
  const fits = (path: string): boolean => {
    const parts = path.toLowerCase().split("/");
    if (names.has(parts.at(-1) ?? "") || parts.slice(0, -1).some((part) => folders.has(part))) return true;
    return tests.some((test) => test(path));
  };
  return (path) => {
    const plain = stripHiddenCharacters(path).replaceAll(/[. ]+(?=\/|$)/g, "");
    return fits(path) || (plain !== path && fits(plain));
  };
}

function isPlain(glob: string): boolean {
  return glob !== "" && !/[*?[\]{}\\]/.test(glob);
}

function assertReadable(glob: string): PathTest {
  const made = compileGlob(glob, { ignoreCase: true });
  if (made.kind === "glob") return made.test;
  throw new RelayError("config", `cannot read the glob ${JSON.stringify(glob)} of paths: ${made.reason}`);
}
