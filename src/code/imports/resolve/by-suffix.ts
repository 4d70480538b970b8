import { folderOf, foldersAround, joined } from "../known-paths.ts";
import type { Tree } from "../tree.ts";
import { filesOfFolder } from "./folder-files.ts";

const LONGEST_NAME = 30;
/** Headers of one name that an include may mean, at most. */
const MOST_HEADERS = 8;

/** C, C++, Objective-C: beside the file, then wherever a path ends so, the nearest first. */
export function resolveInclude(tree: Tree, from: string, specifier: string): string[] {
  const angled = specifier.startsWith("<");
  const written = angled ? specifier.slice(1, -1) : specifier;
  const beside = angled ? null : joined(folderOf(from), written);
  if (beside !== null && tree.paths.has(beside)) return [beside];
  const suffix = written.replace(/^(?:\.{0,2}\/)+/, "");
  if (suffix === "" || /(?:^|\/)\.{1,2}\//.test(suffix)) return [];
  const found = tree.paths.endingIn(suffix, from);
  // `<string.h>` is the system's, unless a folder for headers has one.
  const bare = angled && !suffix.includes("/");
  return (bare ? found.filter((path) => /(?:^|\/)(?:include|inc|headers?)\/[^/]+$/.test(path)) : found).slice(
    0,
    MOST_HEADERS,
  );
}

/** C#: a namespace is the folder of its name, with the first names as the project's, if there is one. */
export function resolveNamespace(tree: Tree, from: string, specifier: string): string[] {
  const names = specifier.split(".");
  if (names.length > LONGEST_NAME || names[0] === "System" || names[0] === "Microsoft") return [];
  for (let joint = 1; joint <= names.length; joint += 1) {
    const suffix = [names.slice(0, joint).join("."), ...names.slice(joint)].join("/");
    const files = filesOfFolder(tree, suffix, from, /\.cs$/);
    if (files.length > 0) return files;
  }
  return [];
}

/** Ruby: beside the file, or below a `lib`, `app/*` or the root. */
export function resolveRuby(tree: Tree, from: string, specifier: string): string[] {
  const file = specifier.endsWith(".rb") ? specifier : `${specifier}.rb`;
  if (specifier.startsWith(".")) return known(tree, joined(folderOf(from), file));
  if (specifier.startsWith("/")) return [];
  const rest = file.length + 1;
  const roots = /(?:^|\/)(?:lib|app|app\/[^/]+|test|spec|src|ext)$/;
  const found = tree.paths.endingIn(file, from).find((path) => path === file || roots.test(path.slice(0, -rest)));
  return found === undefined ? [] : [found];
}

/** PHP: a class by the end of its path, as long as at least its last folder fits; a path beside the file or below the root. */
export function resolvePhp(tree: Tree, from: string, specifier: string): string[] {
  if (specifier.startsWith("./") || specifier.startsWith("../")) {
    const beside = known(tree, joined(folderOf(from), specifier));
    return beside.length > 0 ? beside : known(tree, joined("", specifier.replace(/^\.\//, "")));
  }
  const names = specifier.split("\\");
  if (names.length < 2 || names.length > LONGEST_NAME) return [];
  for (let first = 0; first < names.length - 1; first += 1) {
    const found = tree.paths.endingIn(`${names.slice(first).join("/")}.php`, from)[0];
    if (found !== undefined) return [found];
  }
  // The namespace of a package whose folder is its `src` or `lib` itself.
  const found = tree.paths
    .endingIn(`${names.at(-1) ?? ""}.php`, from)
    .find((path) => names.length <= 3 && /(?:^|\/)(?:src|lib|app)\/[^/]+$/.test(path));
  return found === undefined ? [] : [found];
}

/** Swift: a module is the folder of its name below `Sources` or `Tests`. */
export function resolveSwift(tree: Tree, from: string, specifier: string): string[] {
  const module = specifier.split(".", 1)[0] ?? "";
  if (module === "") return [];
  const files = filesOfFolder(tree, `Sources/${module}`, from, /\.swift$/);
  return files.length > 0 ? files : filesOfFolder(tree, `Tests/${module}`, from, /\.swift$/);
}

/** Shell: beside the file, below the folders around, or the nearest path that ends so where it names a folder. */
export function resolveShell(tree: Tree, from: string, specifier: string): string[] {
  if (specifier.startsWith("/") || specifier.startsWith("~")) return [];
  for (const folder of foldersAround(from)) {
    const found = known(tree, joined(folder, specifier));
    if (found.length > 0) return found;
  }
  const suffix = specifier.replace(/^(?:\.{1,2}\/)+/, "");
  return suffix.includes("/") ? tree.paths.endingIn(suffix, from).slice(0, 1) : [];
}

/** Elixir: the module's name in small letters with underscores, below `lib` or wherever a path ends so. */
export function resolveElixir(tree: Tree, from: string, specifier: string): string[] {
  const names = specifier.split(".").filter(Boolean).map(underscored);
  for (let count = Math.min(names.length, LONGEST_NAME); count > 0 && count >= names.length - 1; count -= 1) {
    const path = names.slice(0, count).join("/");
    const found = ["ex", "exs"].flatMap((ending) => tree.paths.endingIn(`${path}.${ending}`, from))[0];
    if (found !== undefined && (count > 1 || names.length === 1)) return [found];
  }
  return [];
}

function underscored(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_").toLowerCase();
}

/** Dart: beside the file, or below the `lib` of the package of that name. */
export function resolveDart(tree: Tree, from: string, specifier: string): string[] {
  if (specifier.startsWith("dart:")) return [];
  const found = /^package:([\w.]+)\/(.+)$/.exec(specifier);
  if (!found) return known(tree, joined(folderOf(from), specifier));
  const [, name = "", path = ""] = found;
  const candidates = tree.paths.endingIn(`lib/${path}`, from);
  const owned =
    candidates.find((at) => at.endsWith(`/${name}/lib/${path}`)) ?? candidates.find((at) => at === `lib/${path}`);
  return owned === undefined ? [] : [owned];
}

/** Lua: dots are folders; `a/b.lua` or `a/b/init.lua`, wherever a path ends so. */
export function resolveLua(tree: Tree, from: string, specifier: string): string[] {
  const path = specifier
    .replace(/\.lua$/, "")
    .replace(/\./g, "/")
    .replace(/^\/+/, "");
  if (path === "") return [];
  return [...tree.paths.endingIn(`${path}.lua`, from), ...tree.paths.endingIn(`${path}/init.lua`, from)].slice(0, 1);
}

/** Protocol buffers: by the end of the path. */
export function resolveProtobuf(tree: Tree, from: string, specifier: string): string[] {
  return tree.paths.endingIn(specifier, from).slice(0, 1);
}

function known(tree: Tree, path: string | null): string[] {
  return path !== null && tree.paths.has(path) ? [path] : [];
}
