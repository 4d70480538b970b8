import type { Tree } from "../tree.ts";
import { below, folderOf, foldersAround, joined } from "../known-paths.ts";
import type { PathMapping } from "../manifests.ts";
import { matchPattern } from "./package-exports.ts";
import { probe } from "./probe.ts";

/** By `paths` and `baseUrl` of the tsconfig and jsconfig files around, the nearest first. */
export function mapped(tree: Tree, from: string, specifier: string): string | null {
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

/** `@scope/pkg/a/b` is `@scope/pkg` and `a/b`. */
export function packageOf(specifier: string): [name: string, rest: string] {
  const first = specifier.indexOf("/");
  const slash = specifier.startsWith("@") && first !== -1 ? specifier.indexOf("/", first + 1) : first;
  return slash === -1 ? [specifier, ""] : [specifier.slice(0, slash), specifier.slice(slash + 1)];
}
