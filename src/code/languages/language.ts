import type { SymbolKind } from "../code-index.ts";
import type { SiteList } from "../imports/site-list.ts";
import type { Tree } from "../imports/tree.ts";

/**
 * How the explorer reads one language. Without `grammar` and `definitions`, definitions are recognized line by line.
 */
export interface Language {
  /** As `classify` names it; similar dialects share an entry. */
  names: readonly string[];
  /** The tree-sitter grammar of a file. */
  grammar?(path: string): Grammar;
  /** Finds definitions without a grammar; `null` leaves the file to the grammar. */
  definitions?(text: string, path: string): FoundDefinition[] | Promise<FoundDefinition[]> | null;
  /** Splits a page into its scripts and elements. */
  markup?(text: string): Markup;
  /** Collects the imports of a text, in the order of their lines. */
  scanImports?(list: SiteList): void;
  /** The files of the tree that `specifier` refers to in the file `from`. */
  resolveImport?(tree: Tree, from: string, specifier: string): readonly string[] | string | null;
}

/** The grammars of `@vscode/tree-sitter-wasm` that Relay uses. */
export type GrammarName =
  | "bash"
  | "c-sharp"
  | "cpp"
  | "css"
  | "go"
  | "ini"
  | "java"
  | "php"
  | "powershell"
  | "python"
  | "ruby"
  | "rust"
  | "tsx"
  | "typescript";

/**
 * Tree-sitter patterns for the definitions of a language. Captures: a kind of symbol or `scope` (the whole definition),
 * `name`, `owner` (see `FoundDefinition`), `part` (one definition of a shared statement), `lead` (an attribute of the
 * next definition), `again` (code that the grammar leaves unparsed, such as macro bodies), `wrapper` with `wrapped` (a
 * node that belongs to the definition in it, such as `export`), `target` (what is assigned to). `#set! name` names an
 * anonymous definition; `#set! outside` excludes definitions inside functions, `#set! wrapped` those without a wrapper.
 * When two patterns match the same name, the first one gives the kind and the wider one the range.
 */
export interface Grammar {
  name: GrammarName;
  patterns: string;
  /** What an assignment to a `target` defines, given its text and the kind of the pattern; `null` if nothing. */
  assignedTo?: (target: string, kind: FoundDefinition["kind"]) => Assigned | null;
}

export type Assigned = Pick<FoundDefinition, "kind" | "name" | "owner">;

/** A definition in a text; offsets are UTF-16 units, `to` excluded. */
export interface FoundDefinition {
  name: string;
  /** A `scope` is a container but no symbol itself, such as `impl Foo` in Rust. */
  kind: SymbolKind | "scope";
  from: number;
  to: number;
  /** The owner that the code names explicitly: `Foo` of `Foo.prototype.bar = …`. */
  owner: string | null;
  /** Excluded inside functions, where it is local. */
  outside?: boolean;
}

/** A script in a page, at an offset of its text. */
export interface Script {
  text: string;
  from: number;
  language: "typescript" | "javascript";
}

export interface Markup {
  scripts: Script[];
  /** Elements with an id, and the custom blocks of a Vue component. */
  elements: FoundDefinition[];
}
