import type { Language, Node } from "web-tree-sitter";
import { RelayError } from "../../lib/errors.ts";

/** A node that a pattern captures, with the capture's name. */
export interface Capture {
  name: string;
  node: Node;
}

/** A place where a pattern matches. */
export interface Match {
  pattern: number;
  captures: readonly Capture[];
  /** The values of `#set!`. */
  properties: ReadonlyMap<string, string>;
}

/** One node of a pattern, with the conditions on it. */
interface Shape {
  /** Null for any node with a name. */
  type: { id: number; name: string } | null;
  isNamed: boolean;
  /** Instead of a type: one of these shapes. */
  either: Shape[];
  field: string | null;
  /** Fields that it must not have. */
  lacks: string[];
  /** In this order, but not necessarily adjacent. */
  children: Shape[];
  /** Whether it must be the first named child of its parent. */
  isFirst: boolean;
  captures: string[];
}

interface Pattern {
  shape: Shape;
  properties: Map<string, string>;
  conditions: { capture: string; holds: (text: string) => boolean }[];
}

/**
 * Matches tree-sitter patterns without a `Query`: preparing one takes 100 ms for JavaScript and 860 ms for C++, and the
 * first search in a repository would wait for that. Supports types, fields, `!field`, `[…]`, `_`, `"literals"`, a `.`
 * before the first child, captures, `#eq?`, `#match?` and `#set!` of the query language. Throws `internal` for anything
 * else.
 */
export class Patterns {
  readonly #types = new Set<string>();
  readonly #byType = new Map<number, number[]>();
  readonly #patterns: readonly Pattern[];

  constructor(text: string, language: Language) {
    this.#patterns = new PatternText(text, language).patterns();
    for (const [at, { shape }] of this.#patterns.entries()) {
      if (shape.type === null) throw new RelayError("internal", `a pattern begins with a node of a type: ${text}`);
      const { id, name } = shape.type;
      this.#types.add(name);
      this.#byType.set(id, [...(this.#byType.get(id) ?? []), at]);
    }
  }

  /** All matches in a tree, in the order of their first nodes; `null` once `late` says so. */
  matches(root: Node, text: string, late: () => boolean): Match[] | null {
    const found: Match[] = [];
    const look = new Look(late);
    for (const node of root.descendantsOfType([...this.#types])) {
      if (late()) return null;
      if (node === null) continue;
      for (const at of this.#byType.get(look.typeOf(node)) ?? []) {
        const pattern = this.#patterns[at];
        if (pattern === undefined) continue;
        look.fit(pattern.shape, node, (captures) => {
          if (holds(pattern, captures, text))
            found.push({ pattern: at, captures: [...captures], properties: pattern.properties });
        });
      }
    }
    return late() ? null : found;
  }
}

/** Cached properties of a node. */
interface Known {
  node: Node;
  type: number;
  fields: Map<string, readonly (Node | null)[]> | null;
}

/**
 * Matches nodes of one tree against shapes. Caches what it reads of them, since each read is a call into WebAssembly.
 */
class Look {
  readonly #late: () => boolean;
  readonly #known = new Map<number, Known>();
  /** The captures of the current attempt. */
  readonly #captures: Capture[] = [];

  constructor(late: () => boolean) {
    this.#late = late;
  }

  typeOf(node: Node): number {
    return this.#know(node).type;
  }

  /** Calls `then` for each way in which a node matches a shape; the captures change afterwards. */
  fit(shape: Shape, candidate: Node, then: (captures: readonly Capture[]) => void): void {
    const before = this.#captures.length;
    if (shape.either.length > 0) {
      for (const name of shape.captures) this.#captures.push({ name, node: candidate });
      for (const one of shape.either) this.fit(one, candidate, then);
    } else {
      const known = this.#know(candidate);
      const { node } = known;
      if (shape.type === null ? !node.isNamed : known.type !== shape.type.id) return;
      if (shape.lacks.some((field) => childrenIn(known, field).length > 0)) return;
      for (const name of shape.captures) this.#captures.push({ name, node });
      this.#fitChildren(shape, known, { next: 0, from: 0 }, then);
    }
    this.#captures.length = before;
  }

  #fitChildren(
    shape: Shape,
    parent: Known,
    { next, from }: { next: number; from: number },
    then: (captures: readonly Capture[]) => void,
  ): void {
    const child = shape.children[next];
    if (child === undefined) {
      then(this.#captures);
      return;
    }
    const isLast = next + 1 === shape.children.length;
    for (const inner of candidatesFor(child, parent)) {
      if (inner === null || inner.startIndex < from) continue;
      // Most nodes fail this test.
      if (child.type !== null && this.#know(inner).type !== child.type.id) continue;
      if (this.#late()) return;
      const further = () => this.#fitChildren(shape, parent, { next: next + 1, from: inner.endIndex }, then);
      this.fit(child, inner, isLast ? then : further);
    }
  }

  #know(node: Node): Known {
    let known = this.#known.get(node.id);
    if (known === undefined) {
      known = { node, type: node.typeId, fields: null };
      this.#known.set(node.id, known);
    }
    return known;
  }
}

function candidatesFor({ field, isFirst, isNamed, either }: Shape, parent: Known): readonly (Node | null)[] {
  if (field !== null) return childrenIn(parent, field);
  const areNamed = either.length === 0 ? isNamed : either.every((one) => one.isNamed);
  const all = areNamed ? parent.node.namedChildren : parent.node.children;
  return isFirst ? all.slice(0, 1) : all;
}

function childrenIn(parent: Known, field: string): readonly (Node | null)[] {
  parent.fields ??= new Map();
  let children = parent.fields.get(field);
  if (children === undefined) {
    children = parent.node.childrenForFieldName(field);
    parent.fields.set(field, children);
  }
  return children;
}

function holds({ conditions }: Pattern, captures: readonly Capture[], text: string): boolean {
  return conditions.every((condition) =>
    captures.every(
      ({ name, node }) => name !== condition.capture || condition.holds(text.slice(node.startIndex, node.endIndex)),
    ),
  );
}

const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)"|([()[\].])|([@#!]?[\w-]+[?!]?)(:?))/y;

interface Token {
  kind: "string" | "mark" | "word" | "field";
  text: string;
}

/** Parses the text of patterns. */
class PatternText {
  readonly #language: Language;
  readonly #tokens: Token[] = [];
  #at = 0;
  #pattern: Pick<Pattern, "properties" | "conditions"> = { properties: new Map(), conditions: [] };

  constructor(text: string, language: Language) {
    this.#language = language;
    const token = new RegExp(TOKEN);
    const end = text.trimEnd().length;
    while (token.lastIndex < end) {
      const from = token.lastIndex;
      const [whole, string, mark, word, colon] = token.exec(text) ?? [];
      if (whole === undefined) throw new RelayError("internal", `no pattern: ${text.slice(from, from + 40)}`);
      if (string !== undefined) this.#tokens.push({ kind: "string", text: string.replaceAll(/\\(.)/g, "$1") });
      else if (mark !== undefined) this.#tokens.push({ kind: "mark", text: mark });
      else this.#tokens.push({ kind: colon === ":" ? "field" : "word", text: word ?? "" });
    }
  }

  patterns(): Pattern[] {
    const found: Pattern[] = [];
    while (this.#at < this.#tokens.length) {
      this.#pattern = { properties: new Map(), conditions: [] };
      const shape = this.#shape();
      found.push({ shape, ...this.#pattern });
    }
    return found;
  }

  #shape(): Shape {
    const field = this.#peek("field") ? this.#next().text : null;
    const shape = this.#node(this.#next());
    shape.field = field;
    while (this.#peek("word") && this.#tokens[this.#at]?.text.startsWith("@") === true)
      shape.captures.push(this.#next().text.slice(1));
    return shape;
  }

  #node({ kind, text }: Token): Shape {
    const shape: Shape = { ...NOTHING, either: [], lacks: [], children: [], captures: [] };
    if (kind === "string") return { ...shape, type: this.#type(text, false), isNamed: false };
    if (text === "[") {
      while (!this.#ends("]")) shape.either.push(this.#shape());
      return shape;
    }
    if (kind !== "mark" || text !== "(") throw new RelayError("internal", `no pattern begins with ${text}`);
    const type = this.#next().text;
    shape.type = type === "_" ? null : this.#type(type, true);
    let isFirst = false;
    while (!this.#ends(")")) {
      const next = this.#tokens[this.#at];
      if (next?.kind === "word" && next.text.startsWith("!")) shape.lacks.push(this.#next().text.slice(1));
      else if (next?.text === ".") {
        if (shape.children.length > 0)
          throw new RelayError("internal", "a pattern has a . before its first child only");
        isFirst = true;
        this.#at += 1;
      } else if (this.#tokens[this.#at + 1]?.text.startsWith("#") === true) this.#predicate();
      else {
        shape.children.push({ ...this.#shape(), isFirst });
        isFirst = false;
      }
    }
    return shape;
  }

  #type(name: string, isNamed: boolean): Shape["type"] {
    const id = this.#language.idForNodeType(name, isNamed);
    if (id === null) throw new RelayError("internal", `the grammar has no ${name}`);
    return { id, name };
  }

  #predicate(): void {
    this.#at += 1;
    const predicate = this.#next().text;
    const values: string[] = [];
    while (!this.#ends(")")) values.push(this.#next().text);
    const [first = "", second = ""] = values;
    const { properties, conditions } = this.#pattern;
    if (predicate === "#set!") properties.set(first, second);
    else if (predicate === "#eq?") conditions.push({ capture: first.slice(1), holds: (text) => text === second });
    else if (predicate === "#match?") {
      const expression = new RegExp(second);
      conditions.push({ capture: first.slice(1), holds: (text) => expression.test(text) });
    } else throw new RelayError("internal", `no pattern has ${predicate}`);
  }

  #peek(kind: Token["kind"]): boolean {
    return this.#tokens[this.#at]?.kind === kind;
  }

  #next(): Token {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new RelayError("internal", "a pattern is not closed");
    this.#at += 1;
    return token;
  }

  #ends(mark: string): boolean {
    const ends = this.#peek("mark") && this.#tokens[this.#at]?.text === mark;
    if (ends) this.#at += 1;
    return ends;
  }
}

const NOTHING = { type: null, isNamed: true, field: null, isFirst: false };
