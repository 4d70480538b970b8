import { isRecord } from "../../../lib/text.ts";
import { below, joined, type KnownPaths } from "../../imports/known-paths.ts";
import type { Tree } from "../../imports/tree.ts";

const ENDINGS = [
  ".ts",
  ".tsx",
  ".js",
  ".jsx",
  ".mts",
  ".mjs",
  ".cts",
  ".cjs",
  ".d.ts",
  ".vue",
  ".svelte",
  ".astro",
  ".json",
];
/** Extensions of built files and of their possible sources. */
const SOURCES: readonly [ending: RegExp, sources: readonly string[]][] = [
  [/\.d\.[mc]?ts$/, [".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs"]],
  [/\.js$/, [".ts", ".tsx", ".d.ts", ".jsx", ".mjs"]],
  [/\.jsx$/, [".tsx"]],
  [/\.mjs$/, [".mts", ".d.mts", ".ts", ".js"]],
  [/\.cjs$/, [".cts", ".d.cts", ".ts", ".js"]],
];
/** Longer targets in a manifest are ignored. */
const LONGEST_TARGET = 300;
const BUILT = /(?:^|\/)(?:dist|build|out|lib|esm|cjs|es|umd|dist-[\w-]+|types)(?:\/|$)/;

/** Whether a path goes through a usual build output folder. */
export function looksBuilt(path: string): boolean {
  return BUILT.test(path);
}

/** Resolves a path without an extension, with the extension of a built file, or of a folder. */
export function probe(tree: Tree, path: string | null): string | null {
  if (path === null) return null;
  const found = probeFile(tree.paths, path);
  if (found !== null) return found;
  const manifest = tree.manifests.package(below(path, "package.json"));
  const main = manifest?.main ?? manifest?.module;
  return main === undefined ? null : builtOrSource(tree, path, main);
}

function probeFile(paths: KnownPaths, path: string): string | null {
  if (path !== "") {
    if (paths.has(path)) return path;
    for (const ending of ENDINGS) if (paths.has(path + ending)) return path + ending;
    for (const [ending, sources] of SOURCES) {
      if (!ending.test(path)) continue;
      const stem = path.replace(ending, "");
      for (const source of sources) if (paths.has(stem + source)) return stem + source;
    }
  }
  const index = below(path, "index");
  for (const ending of ENDINGS) if (paths.has(index + ending)) return index + ending;
  return null;
}

/** Resolves a target of a manifest, or for a build output its probable source. */
export function builtOrSource(tree: Tree, folder: string, target: string): string | null {
  const path = target.length > LONGEST_TARGET ? null : joined(folder, target);
  if (path === null || path === folder) return null;
  const found = probeFile(tree.paths, path);
  if (found !== null) return found;
  const start = folder === "" ? "" : `${folder}/`;
  if (!path.startsWith(start)) return null;
  const inside = path.slice(start.length);
  if (!BUILT.test(inside)) return null;
  for (const source of ["src", ""]) {
    const moved = joined(folder, inside.replace(BUILT, `/${source}/`));
    const built = moved === null ? null : probeFile(tree.paths, moved);
    if (built !== null) return built;
  }
  return null;
}

const DEEPEST = 8;
const MOST_TARGETS = 20;
const MOST_PATTERNS = 200;

/** The part that the `*` of a pattern matches; `""` for an exact match, `null` for none. */
export function matchPattern(pattern: string, name: string): string | null {
  const star = pattern.indexOf("*");
  if (star === -1) return pattern === name ? "" : null;
  const after = pattern.slice(star + 1);
  const fits = name.length >= pattern.length - 1 && name.startsWith(pattern.slice(0, star)) && name.endsWith(after);
  return fits ? name.slice(star, name.length - after.length) : null;
}

/**
 * The targets of a name (`.`, `./sub`, `#internal`) in `exports` or `imports` of a package.json, under any condition
 * and in its order.
 */
export function exportTargets(field: unknown, name: string): string[] {
  const targets: string[] = [];
  if (!isRecord(field) || !Object.keys(field).some((key) => /^[.#]/.test(key))) {
    if (name === ".") gather(field, "", targets, 0);
    return targets;
  }
  if (Object.hasOwn(field, name)) gather(field[name], "", targets, 0);
  else {
    const patterns = Object.keys(field)
      .filter((key) => key.includes("*"))
      .slice(0, MOST_PATTERNS);
    // The longest prefix decides, as in Node.
    patterns.sort((a, b) => b.indexOf("*") - a.indexOf("*"));
    for (const pattern of patterns) {
      const part = matchPattern(pattern, name);
      if (part === null) continue;
      gather(field[pattern], part, targets, 0);
      break;
    }
  }
  return targets;
}

function gather(value: unknown, part: string, targets: string[], depth: number): void {
  if (depth > DEEPEST || targets.length >= MOST_TARGETS) return;
  if (typeof value === "string") {
    if (value.startsWith("./") && value.length <= 300) targets.push(value.replaceAll("*", () => part));
  } else if (Array.isArray(value)) {
    for (const entry of value) gather(entry, part, targets, depth + 1);
  } else if (isRecord(value)) {
    for (const entry of Object.values(value)) gather(entry, part, targets, depth + 1);
  }
}
