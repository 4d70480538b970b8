import { below, folderOf, foldersAround, joined, nearest } from "../../imports/known-paths.ts";
import type { PackageManifest, PathMapping } from "../../imports/manifests.ts";
import type { Tree } from "../../imports/tree.ts";
import { builtOrSource, exportTargets, looksBuilt, matchPattern, probe } from "./package-files.ts";

/** Resolves a module like Node, the TypeScript compiler and bundlers combined. */
export function resolveEcmascript(tree: Tree, from: string, written: string): string | null {
  const specifier = plain(written);
  if (specifier === "") return null;
  if (/^\.{1,2}(?:\/|$)/.test(specifier)) {
    const path = joined(folderOf(from), specifier);
    return probe(tree, path) ?? (path !== null && looksBuilt(path) ? sourceOf(tree, path) : null);
  }
  if (specifier.startsWith("node:")) return null;
  if (specifier.startsWith("/")) return fromRoots(tree, from, specifier.slice(1));
  if (specifier.startsWith("#")) {
    const owner = packageAround(tree, from);
    const internal = owner && firstTarget(tree, owner, exportTargets(owner.imports, specifier));
    if (internal) return internal;
  }
  return mapped(tree, from, specifier) ?? fromPackages(tree, from, specifier) ?? byConvention(tree, from, specifier);
}

/** Strips a bundler's loader prefix and query suffix. */
function plain(specifier: string): string {
  const loaded = specifier.slice(specifier.lastIndexOf("!") + 1);
  return loaded.replace(/(?<=.)[?#][^]*$/, "");
}

/** The probable source of a build output. */
function sourceOf(tree: Tree, path: string): string | null {
  const owner = packageAround(tree, path);
  if (!owner || path.length <= owner.folder.length) return null;
  const inside = owner.folder === "" ? path : path.slice(owner.folder.length + 1);
  return /^(?:\.{1,2}\/|$)/.test(inside) ? null : builtOrSource(tree, owner.folder, inside);
}

function fromRoots(tree: Tree, from: string, path: string): string | null {
  for (const folder of foldersAround(from)) {
    if (folder !== "" && !tree.manifests.has(below(folder, "package.json"))) continue;
    const found = probe(tree, joined(folder, path)) ?? probe(tree, joined(below(folder, "public"), path));
    if (found !== null) return found;
  }
  return null;
}

function packageAround(tree: Tree, from: string): PackageManifest | null {
  for (const folder of foldersAround(from)) {
    const manifest = tree.manifests.package(below(folder, "package.json"));
    if (manifest) return manifest;
  }
  return null;
}

function firstTarget(tree: Tree, owner: PackageManifest, targets: readonly string[]): string | null {
  for (const target of targets) {
    const found = builtOrSource(tree, owner.folder, target);
    if (found !== null) return found;
  }
  return null;
}

function fromPackages(tree: Tree, from: string, specifier: string): string | null {
  const [name, rest] = packageOf(specifier);
  const owners = tree.packagesNamed(name);
  if (owners.length === 0) return null;
  const [manifestPath] = nearest(
    owners.map((owner) => below(owner.folder, "package.json")),
    from,
  );
  const owner = owners.find(({ folder }) => below(folder, "package.json") === manifestPath);
  if (!owner) return null;
  const exported = firstTarget(tree, owner, exportTargets(owner.exports, rest === "" ? "." : `./${rest}`));
  if (exported !== null) return exported;
  if (rest !== "") {
    return (
      probe(tree, joined(owner.folder, rest)) ??
      probe(tree, joined(below(owner.folder, "src"), rest)) ??
      builtOrSource(tree, owner.folder, rest)
    );
  }
  const entries = [owner.source, owner.module, owner.main, owner.types, owner.style].filter(
    (entry) => entry !== undefined,
  );
  return firstTarget(tree, owner, entries) ?? probe(tree, below(owner.folder, "src")) ?? probe(tree, owner.folder);
}

/** Conventional aliases of build tools, which no parsed file declares. */
function byConvention(tree: Tree, from: string, specifier: string): string | null {
  const found = /^(?:[@~]\/|\$lib(?:\/|$)|(?=src\/))/.exec(specifier);
  if (!found) return null;
  const rest = specifier.slice(found[0].length);
  const roots = found[0].startsWith("$lib") ? ["src/lib"] : found[0] === "" ? [""] : ["src", "app", ""];
  for (const folder of foldersAround(from)) {
    if (folder !== "" && !tree.manifests.has(below(folder, "package.json"))) continue;
    for (const root of roots) {
      const path = probe(tree, joined(below(folder, root), rest));
      if (path !== null) return path;
    }
  }
  return null;
}

/** By `paths` and `baseUrl` of the surrounding tsconfig and jsconfig files, the nearest first. */
function mapped(tree: Tree, from: string, specifier: string): string | null {
  for (const mapping of mappings(tree, from)) {
    for (const target of targetsOf(mapping, specifier)) {
      const found = probe(tree, joined(mapping.folder, target));
      if (found !== null) return found;
    }
    const found = mapping.baseUrl === null ? null : probe(tree, joined(mapping.baseUrl, specifier));
    if (found !== null) return found;
  }
  return null;
}

function targetsOf(mapping: PathMapping, specifier: string): readonly string[] {
  const exact = mapping.exact.get(specifier);
  if (exact) return exact;
  for (const [pattern, targets] of mapping.patterns) {
    const part = matchPattern(pattern, specifier);
    if (part !== null) return targets.map((target) => target.replace("*", () => part));
  }
  return [];
}

function mappings(tree: Tree, from: string): readonly PathMapping[] {
  const folder = folderOf(from);
  const known = tree.pathMappings.get(folder);
  if (known) return known;
  const all = foldersAround(from)
    .flatMap((around) => tree.compilerConfigs(around))
    .map((path) => tree.manifests.mapping(path, (at, name) => extendedConfig(tree, at, name)))
    .filter((mapping) => mapping !== null)
    .filter(({ baseUrl, exact, patterns }) => baseUrl !== null || exact.size + patterns.length > 0);
  tree.pathMappings.set(folder, all);
  return all;
}

function extendedConfig(tree: Tree, from: string, name: string): string | null {
  if (name.length > 300 || name.includes("\0")) return null;
  const candidates: string[] = [];
  if (name.startsWith(".")) {
    const path = joined(folderOf(from), name);
    if (path !== null) candidates.push(path, `${path}.json`, below(path, "tsconfig.json"));
  } else {
    const [owner, rest] = packageOf(name);
    const folder = tree.packagesNamed(owner)[0]?.folder;
    if (folder !== undefined) {
      candidates.push(below(folder, rest), below(folder, `${rest}.json`), below(folder, "tsconfig.json"));
    }
  }
  return candidates.find((path) => tree.manifests.has(path)) ?? null;
}

/** Splits `@scope/pkg/a/b` into `@scope/pkg` and `a/b`. */
function packageOf(specifier: string): [name: string, rest: string] {
  const first = specifier.indexOf("/");
  const slash = specifier.startsWith("@") && first !== -1 ? specifier.indexOf("/", first + 1) : first;
  return slash === -1 ? [specifier, ""] : [specifier.slice(0, slash), specifier.slice(slash + 1)];
}
