import type { SymbolKind } from "../code-index.ts";

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
