import { baseOf, below, folderOf, foldersAround, joined } from "../imports/known-paths.ts";
import type { SiteList } from "../imports/site-list.ts";
import type { Tree } from "../imports/tree.ts";
import type { Grammar, Language } from "./language.ts";

const MACRO = "(macro_invocation (token_tree) @again)";

const GRAMMAR: Grammar = {
  name: "rust",
  patterns: [
    "(attribute_item) @lead",
    "(impl_item type: (type_identifier) @name) @scope",
    "(impl_item type: (generic_type type: (type_identifier) @name)) @scope",
    "(impl_item type: (generic_type type: (scoped_type_identifier name: (_) @name))) @scope",
    "(impl_item type: (scoped_type_identifier name: (_) @name)) @scope",
    "(impl_item type: (reference_type (type_identifier) @name)) @scope",
    "(impl_item body: (declaration_list (function_item name: (_) @name) @method))",
    "(trait_item body: (declaration_list [(function_item name: (_) @name) (function_signature_item name: (_) @name)] @method))",
    "(function_item name: (_) @name) @function",
    "(function_signature_item name: (_) @name) @function",
    "(struct_item name: (_) @name) @struct",
    "(union_item name: (_) @name) @struct",
    "(enum_item name: (_) @name) @enum",
    "(trait_item name: (_) @name) @trait",
    "(type_item name: (_) @name) @type",
    "(associated_type name: (_) @name) @type",
    "(mod_item name: (_) @name) @module",
    "(const_item name: (_) @name) @constant",
    "(static_item name: (_) @name) @variable",
    "(macro_definition name: (_) @name) @macro",
    "(field_declaration name: (_) @name) @property",
    "(macro_rule right: (token_tree) @again)",
    `(source_file ${MACRO})`,
    `(source_file (expression_statement ${MACRO}))`,
    `(declaration_list ${MACRO})`,
  ].join("\n"),
};

export const RUST: Language = {
  names: ["rust"],
  grammar: () => GRAMMAR,
  scanImports: scanRust,
  resolveImport: resolveRust,
};

const VISIBLE = String.raw`(?:pub(?:[ \t]{0,9}\([^()\n]{0,80}\))?[ \t]{1,9})?`;
const ATTRIBUTES = String.raw`(?:#\[[^\]\n]{0,200}\][ \t]{0,9}){0,5}`;
const TOKEN = new RegExp(
  String.raw`^[ \t]*\/\*|^([ \t]*)${ATTRIBUTES}${VISIBLE}(?:use[ \t\n]+|extern[ \t]+crate[ \t]+([\w]{1,100})|mod[ \t]+(?:r#)?([\w]{1,100})[ \t\n]{0,20}([;{]))|\binclude(?:_str|_bytes)?![ \t]{0,9}\([ \t\n]{0,40}"([^"\n]{1,300})"`,
  "gm",
);
const PATH_ATTRIBUTE =
  /#\[path[ \t]{0,9}=[ \t]{0,9}"([^"\n]{1,280})"\]\s*(?:#\[[^\]\n]{0,200}\]\s*){0,9}(?:pub[^\n]{0,90})?$/;
const COMMENT = /\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)/g;
const LONGEST_TREE = 20_000;
const DEEPEST_TREE = 20;

/** An inline module, from its brace to the `}` at the indentation of its `mod`. */
interface InlineModule {
  indent: string;
  end: number;
}

/**
 * Rust: `use a::{b, c::d}` is `a::b` and `a::c::d`; `mod x;` is `self::x`, or `./y.rs` where an attribute says so.
 * In an inline module one `super::` is removed, so that paths are relative to the file.
 */
function scanRust(list: SiteList): void {
  const { text } = list;
  let inline: InlineModule[] = [];
  let semicolon = -1;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found && !list.full; found = TOKEN.exec(text)) {
    const at = found.index;
    const end = TOKEN.lastIndex;
    const [whole, indent = "", crate, module, opening, included] = found;
    if (whole.endsWith("/*")) {
      const close = text.indexOf("*/", end);
      if (close === -1) return;
      TOKEN.lastIndex = close + 2;
      continue;
    }
    inline = inline.filter((around) => around.end > at);
    if (included !== undefined) {
      if (!list.commentedOut(at)) list.add(`./${included}`, at);
    } else if (crate !== undefined) list.add(crate, at + indent.length);
    else if (opening === "{") {
      if (inline.every((around) => around.indent.length < indent.length)) {
        inline.push({ indent, end: indexOrEnd(text, `\n${indent}}`, end) });
      }
    } else if (module !== undefined) {
      const path = PATH_ATTRIBUTE.exec(text.slice(Math.max(0, at - 600), at + whole.lastIndexOf("mod")))?.[1];
      list.add(path === undefined ? `self::${module}` : `./${path}`, at + indent.length);
    } else {
      // Searched again only behind the last one, so that a text without any is not scanned for every `use`.
      if (semicolon < end) semicolon = indexOrEnd(text, ";", end);
      if (semicolon === text.length || semicolon - end > LONGEST_TREE) continue;
      TOKEN.lastIndex = semicolon;
      for (const path of useTree(text.slice(end, semicolon))) {
        const seen = seenFromFile(path, inline.length);
        if (seen !== null) list.add(seen, at + indent.length);
      }
    }
  }
}

function indexOrEnd(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from);
  return at === -1 ? text.length : at;
}

/** Rewrites a path of an inline module relative to the file; `null` for a path within the file. */
function seenFromFile(path: string, depth: number): string | null {
  if (depth === 0) return path;
  const names = path.split("::");
  const up = names.findIndex((name) => name !== "super");
  const supers = up === -1 ? names.length : up;
  if (supers === 0) return names[0] === "self" ? null : path;
  if (supers > depth) return names.slice(depth).join("::");
  return supers === depth && up !== -1 ? ["self", ...names.slice(depth)].join("::") : null;
}

/** Expands `a::{b, c::{self, d as e}, *}` to paths, without aliases. */
function useTree(written: string): string[] {
  const paths: string[] = [];
  const around: string[] = [""];
  let part = "";
  const finish = (): void => {
    const name = (part.split(/\sas\s/, 1)[0] ?? "").replace(/\s|r#/g, "");
    part = "";
    if (!/^[\p{L}\p{N}_:*]+$/u.test(name)) return;
    const path = `${around.at(-1) ?? ""}${name}`;
    paths.push(path.replace(/::(?:\*|self)$/, "").replace(/^::/, ""));
  };
  for (const character of written.replace(COMMENT, "")) {
    if (character === "{") {
      if (around.length > DEEPEST_TREE) return paths;
      around.push(`${around.at(-1) ?? ""}${part.replace(/\s|r#/g, "")}`.slice(0, 400));
      part = "";
    } else if (character === "}") {
      finish();
      if (around.length > 1) around.pop();
    } else if (character === ",") finish();
    else part += character;
  }
  finish();
  return paths;
}

const LONGEST_PATH = 30;
const STANDARD = new Set(["std", "core", "alloc", "proc_macro", "test"]);

/** Resolves to the module of the longest prefix of the path; a re-exported name leads to the re-exporting module. */
function resolveRust(tree: Tree, from: string, specifier: string): string | null {
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

/** The module of the longest prefix of the names below a folder; the folder's own module if no prefix is one. */
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

/**
 * The folder of a file's submodules: its own for `lib.rs`, `main.rs`, `mod.rs` and crate roots, else one of its name.
 */
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
