import type { SymbolKind } from "../code-index.ts";
import type { Found } from "./found.ts";

const KINDS: Record<SymbolKind | "scope", true> = {
  function: true,
  method: true,
  constructor: true,
  class: true,
  interface: true,
  struct: true,
  enum: true,
  trait: true,
  type: true,
  module: true,
  property: true,
  constant: true,
  variable: true,
  macro: true,
  table: true,
  rule: true,
  element: true,
  heading: true,
  scope: true,
};

/** The kind of that name, if there is one. */
export function kindNamed(name: string): Found["kind"] | null {
  return isKind(name) ? name : null;
}

function isKind(name: string): name is Found["kind"] {
  return Object.hasOwn(KINDS, name);
}
