import type { SymbolKind } from "../code-index.ts";
import type { SiteList } from "../imports/site-list.ts";
import type { Tree } from "../imports/tree.ts";

/** What the explorer knows about one language. Without `grammar` and `definitions`, its lines are read by their looks. */
export interface Language {
  /** As `classify` names it; dialects that read alike share an entry. */
  names: readonly string[];
  /** The tree-sitter grammar of a file. */
  grammar?(path: string): Grammar;
  /** Finds definitions without a grammar; `null` leaves the file to the grammar. */
  definitions?(text: string, path: string): Found[] | Promise<Found[]> | null;
  /** Splits a page into its scripts and elements. */
  markup?(text: string): Markup;
  /** Collects the imports of a text, in the order of their lines. */
  scanImports?(list: SiteList): void;
  /** The files of the tree that `specifier` means in the file `from`. */
  resolveImport?(tree: Tree, from: string, specifier: string): readonly string[] | string | null;
}

/** Names of the grammars that `@vscode/tree-sitter-wasm` carries and Relay uses. */
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
 * What a language defines and where the name stands, as tree-sitter patterns. Captures:
 * a kind of symbol or `scope` (the whole definition), `name`, `owner` (see `Found`), `part` (the piece of a group
 * of definitions that is this one's alone), `lead` (an attribute that belongs to the definition after it),
 * `again` (code that the grammar does not look into). `#set! name` names what has none; `#set! outside` leaves out
 * what stands in a function.
 * Where two patterns name the same thing, the earlier gives the kind and the wider the range.
 */
export interface Grammar {
  name: GrammarName;
  patterns: string;
}

/** A definition as a reader of one language found it; offsets are UTF-16 units of the text, `to` excluded. */
export interface Found {
  name: string;
  /** A scope names what is in it, and is no symbol: `impl Foo` in Rust. */
  kind: SymbolKind | "scope";
  from: number;
  to: number;
  /** Who owns it by the code's own words, wherever it stands: `Foo` of `Foo.prototype.bar = …`. */
  owner: string | null;
  /** In a function it is local, and no symbol. */
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
  elements: Found[];
}

/**
 * One pattern for a definition and one for each thing that may stand around it and counts to it, such as `export`;
 * `#` is where the definition goes.
 */
export function within(kind: string, definition: string, around: readonly string[]): string {
  return ["#", ...around].map((outer) => `${outer.replace("#", () => definition)} @${kind}`).join("\n");
}
