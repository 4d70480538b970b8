import { baseOf, below, folderOf, foldersAround, joined } from "../known-paths.ts";
import type { Tree } from "../tree.ts";

const LONGEST_PATH = 30;
const STANDARD = new Set(["std", "core", "alloc", "proc_macro", "test"]);

/** Rust: the file of the longest beginning of the path that is a module; what is re-exported leads to who does it. */
export function resolveRust(tree: Tree, from: string, specifier: string): string | null {
  if (specifier.startsWith("./")) return tree.paths.first([joined(folderOf(from), specifier) ?? ""]);
  const names = specifier.split("::");
  const first = names[0] ?? "";
  if (names.length > LONGEST_PATH || names.some((name) => !/^[\w*]+$/.test(name))) return null;
  if (first === "crate") return deepest(tree, crateFolder(tree, from), names.slice(1));
  const own = moduleFolder(tree, from);
  if (first === "self") return deepest(tree, own, names.slice(1));
  if (first === "super") {
    let folder = own;
    let up = 0;
    for (; names[up] === "super"; up += 1) {
      if (folder === "") return null;
      folder = folderOf(folder);
    }
    return deepest(tree, folder, names.slice(up));
  }
  if (STANDARD.has(first)) return null;
  const crate = tree.rustCrate(first, from);
  if (crate !== null) return deepest(tree, folderOf(crate), names.slice(1)) ?? crate;
  return moduleAt(tree, below(own, first)) === null ? null : deepest(tree, own, names);
}

/** From the names below a module's folder; that module's own file where none of them is one. */
function deepest(tree: Tree, folder: string, names: readonly string[]): string | null {
  for (let count = names.length; count > 0; count -= 1) {
    const found = moduleAt(tree, below(folder, names.slice(0, count).join("/")));
    if (found !== null) return found;
  }
  return tree.paths.first([`${folder}.rs`, below(folder, "mod.rs"), below(folder, "lib.rs"), below(folder, "main.rs")]);
}

function moduleAt(tree: Tree, path: string): string | null {
  return tree.paths.first([`${path}.rs`, `${path}/mod.rs`]);
}

/** Where the modules of a file lie: beside `lib.rs`, `main.rs`, `mod.rs` and the roots of tests, else in a folder of its name. */
function moduleFolder(tree: Tree, from: string): string {
  const folder = folderOf(from);
  const base = baseOf(from);
  if (base === "mod.rs" || base === "lib.rs" || base === "main.rs" || base === "build.rs") return folder;
  return isRootFolder(tree, folder) ? folder : from.replace(/\.rs$/, "");
}

/** `tests/`, `examples/`, `benches/` beside a Cargo.toml and `src/bin/`: each file in them is a crate. */
function isRootFolder(tree: Tree, folder: string): boolean {
  const name = baseOf(folder);
  if (name === "bin") return baseOf(folderOf(folder)) === "src";
  if (name !== "tests" && name !== "examples" && name !== "benches") return false;
  return tree.manifests.has(below(folderOf(folder), "Cargo.toml"));
}

function crateFolder(tree: Tree, from: string): string {
  for (const folder of foldersAround(from)) {
    if (isRootFolder(tree, folder)) return folder;
    if (tree.paths.has(below(folder, "lib.rs")) || tree.paths.has(below(folder, "main.rs"))) return folder;
    if (!tree.manifests.has(below(folder, "Cargo.toml"))) continue;
    return folderOf(tree.rustRoot(folder) ?? below(folder, "src/lib.rs"));
  }
  return folderOf(from);
}
