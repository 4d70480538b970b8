import { dependencyChanges, isLockFile } from "../../../code/dependencies/lock-files.ts";
import { recordIn } from "../../../code/conventions/code-files.ts";
import { isCheckKey } from "./manifest-keys.ts";
import { isRecord } from "../../../lib/text.ts";

/** What a change of a manifest or lock file does to the dependencies of a package. */
export interface DependencyShift {
  /** `dependencies`: new ones, other sources for them, or code that runs at set-up. `versions`: other versions only. */
  kind: "dependencies" | "versions";
  names: string[];
}

/**
 * Null if the change leaves the dependencies alone, and only affects the package's own name, version, files or entry
 * points.
 */
export function dependencyShift(path: string, before: string | null, after: string | null): DependencyShift | null {
  const [old, now] = [before ?? "", after ?? ""];
  if (isLockFile(path)) return ofLock(path, old, now);
  const format = FORMATS.find(([name]) => name.test(path))?.[1];
  return format === undefined ? ofLines(path, old, now) : ofDocument(path, format, [old, now]);
}

function ofLock(path: string, before: string, after: string): DependencyShift | null {
  const changes = dependencyChanges(path, { before: before || null, after: after || null });
  const added = addedLines(before, after);
  const isFromElsewhere =
    hostsIn(added).some((host) => !before.includes(host)) || added.some((line) => OTHER_PLACE.test(line));
  const isNew = changes?.some((one) => one.before.length === 0) ?? true;
  // The same version with another checksum is another package.
  const isOther = changes?.length === 0 && added.some((line) => CHECKSUM.test(line)) && !path.endsWith("go.sum");
  if (isFromElsewhere || isNew || isOther) return { kind: "dependencies", names: [] };
  return changes?.length === 0 ? null : { kind: "versions", names: [] };
}

const OTHER_PLACE = /=>|^\s*replace\b|^\s*-{1,2}[a-z]|git\+|\bfile:|\blink:/;
const CHECKSUM = /\b(?:integrity|checksum|sha\d+|hash|hashes|resolved)\b/;

function hostsIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.match(/\bhttps?:\/\/[^/\s"',)#]+/g) ?? []);
}

/** Manifests that are parsed, with their formats. */
const FORMATS: readonly (readonly [RegExp, "json" | "toml" | "yaml"])[] = [
  [/(?:^|\/)(?:package|composer|bower|component|jsr|deno|import_map|vcpkg)\.json$/, "json"],
  [/(?:^|\/)(?:pyproject|Cargo|Project|gleam)\.toml$|(?:^|\/)Pipfile$/, "toml"],
  [/(?:^|\/)(?:pubspec|shard|pnpm-workspace|environment)\.ya?ml$/, "yaml"],
];
/** Keys that have dependencies below them. */
const BELOW =
  /^(?:\w*dependencies|dev[-_]dependencies|build-dependencies|optional-dependencies|dependency[-_](?:groups|overrides)|require|require-dev|requires|overrides|resolutions|repositories|catalogs?|patch|replace|pnpm|packageManager|workspaces|trustedDependencies|patchedDependencies|build-backend|backend-path|index|sources?|minimum-stability|allow-plugins)$/i;
/** Keys with the project's own data below them. */
const OWN = /^(?:peerDependenciesMeta|exports|provide|conflict|engines|dynamic|classifiers|keywords|urls)$/;
/** Keys that say where other packages come from, or what builds this one. */
const PLACES =
  /^(?:repositories|patch|replace|packageManager|build-backend|backend-path|index|sources?|allow-plugins|patchedDependencies|trustedDependencies)\b/;

function ofDocument(
  path: string,
  format: "json" | "toml" | "yaml",
  [before, after]: [string, string],
): DependencyShift | null {
  const [old, now] = [pinsIn(recordIn(before, format), path), pinsIn(recordIn(after, format), path)];
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
  const isBroken = after.trim() !== "" && Object.keys(recordIn(after, format)).length === 0;
  if (isBroken) return { kind: "dependencies", names: [] };
  const fresh = changed.filter((name) => {
    const spec = now.get(name);
    return spec !== undefined && (PLACES.test(name) || old.get(name) === undefined || !isVersion(spec));
  });
  if (fresh.length > 0) return { kind: "dependencies", names: fresh };
  return changed.length === 0 ? null : { kind: "versions", names: changed };
}

/** A version range in the usual registry, or another package of the same workspace. */
function isVersion(spec: string): boolean {
  return (
    spec.startsWith("workspace:") ||
    !/[:/]|\b(?:git|path|url|registry|file)\b/.test(spec.replaceAll(/"[\w-]+":(?=["\d[tf])/g, ""))
  );
}

/** Dependencies by name, with their version or source. */
function pinsIn(document: Record<string, unknown>, path: string): Map<string, string> {
  const pins = new Map<string, string>();
  const put = (name: string, spec: string) => pins.set(name, `${pins.get(name) ?? ""}${spec}`);
  const visit = (value: unknown, keys: readonly string[], inside: string | null): void => {
    if (Array.isArray(value)) {
      if (inside === null) return;
      for (const one of value) {
        const text = typeof one === "string" ? one : JSON.stringify(one);
        const name = /^@?[\w./-]+/.exec(text)?.[0] ?? text;
        put(PLACES.test(inside) ? inside : name, text.slice(name.length));
      }
    } else if (isRecord(value)) {
      for (const [key, inner] of Object.entries(value)) {
        const at = [...keys, key];
        if (OWN.test(key) || (inside === null && isCheckKey(at.join(".")))) continue;
        const isBelow =
          BELOW.test(key) ||
          (key === "packages" && path.endsWith("Pipfile")) ||
          (key === "imports" && !path.endsWith("package.json"));
        if (inside !== null && !Array.isArray(inner) && !isBelow)
          put(PLACES.test(inside) ? `${inside}.${key}` : key, textOf(inner));
        else visit(inner, at, isBelow ? key : inside);
      }
    } else if (inside !== null) put(inside, textOf(value));
  };
  visit(document, [], null);
  return pins;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Lines of unparsed manifests (many are programs) that only describe the package itself. */
const TELLS =
  /^(?:#.*|\/\/.*|[)\]},;]*|<!--.*-->|\w*version\w*\s*[=:(]?\s*["'][\w.+-]+["'],?|(?:name|description|long_description\w*|summary|author\w*|maintainer\w*|license\w*|url|homepage|keywords|platforms|packages|py_modules|python_requires|zip_safe|include_package_data|package_data|group|classifiers)\s*=\s*[^()]*,?|["'][^"']* :: [^"']*["'],?|(?:include|recursive-include|graft|prune|exclude|global-include|global-exclude)\s.*|<\/?(?:Compile|None|Content|EmbeddedResource|Folder|SubType|DependentUpon|Link|ItemGroup|(?:Assembly|File|Package)?Version(?:Prefix|Suffix)?|Description|Copyright|Authors|Title|PackageTags|PackageReleaseNotes)\b.*|(?:\w+\.)?(?:version|authors?|summary|description|homepage|license|files|email)\s*=\s*[^`$]*)$/;

function ofLines(path: string, before: string, after: string): DependencyShift | null {
  const isIni = path.endsWith(".cfg");
  const [old, now] = isIni ? [ofPackage(before), ofPackage(after)] : [before, after];
  const [added, gone] = [addedLines(old, now), addedLines(now, old)];
  const had = new Set(gone.map(withoutNumbers));
  const isSaid = (line: string) =>
    had.has(withoutNumbers(line)) && /\d/.test(line) && !hostsIn([line]).some((host) => !before.includes(host));
  if (added.filter(isOfPackages).some((line) => !isSaid(line))) return { kind: "dependencies", names: [] };
  return [...added, ...gone].some(isOfPackages) ? { kind: "versions", names: [] } : null;
}

/** Whether a line may concern dependencies, or execute something. */
function isOfPackages(line: string): boolean {
  return !TELLS.test(line.trim());
}

function withoutNumbers(line: string): string {
  return line.trim().replaceAll(/\d+(?:\.\d+)*/g, "0");
}

/** The sections of a `setup.cfg` about the package itself, without those of tools. */
function ofPackage(text: string): string {
  let isOwn = true;
  return text
    .split("\n")
    .filter((line) => {
      const head = /^\[([^\]]+)\]/.exec(line)?.[1];
      if (head !== undefined) isOwn = /^(?:metadata|options)/.test(head);
      return isOwn;
    })
    .join("\n");
}

/** Lines of the new text that the old one does not have, anywhere. */
function addedLines(before: string, after: string): string[] {
  const had = new Set(before.split(/\r?\n/));
  return after.split(/\r?\n/).filter((line) => line.trim() !== "" && !had.has(line));
}
