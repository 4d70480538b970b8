import type { SyntaxNode } from "../outline/syntax-tree.ts";

/** Why a test does not run, or does not count: skipped, left out beside an `only`, still to do, expected to fail. */
export interface Mark {
  kind: "skip" | "only" | "todo" | "fails";
  /** It holds under a condition, such as on one system. */
  conditional: boolean;
  /** As the code says it. */
  text: string;
  /** From 1. */
  line: number;
}

/** One claim of a test. */
export interface Assertion {
  /** Without comments and white space that means nothing. */
  text: string;
  /** As people read it, on one line. */
  code: string;
  /** What it claims, without its arguments and without a negation: `equal`, `true`, `throws`. */
  claim: string;
  positive: boolean;
  /** What it is about, and what it expects. */
  operands: readonly string[];
  /** It cannot fail. */
  empty: boolean;
  /** Its failure is caught, and forgotten. */
  swallowed: boolean;
  /** From 1. */
  line: number;
}

/** A test, or the code of a file outside of its tests. */
export interface TestCase {
  /** With the groups around it, by ` > `; empty for the code outside of tests. */
  name: string;
  line: number;
  /** Its own, and those of the groups around it. */
  marks: readonly Mark[];
  assertions: readonly Assertion[];
  /**
   * Literals outside of assertions, in order. `of`: the variable that holds it; empty in a table of cases; null for any
   * other.
   */
  values: readonly { text: string; of: string | null }[];
  /** All of it, without comments and white space that means nothing. */
  body: string;
}

/** The tests of a file, the code outside of them first. */
export interface TestFile {
  tests: readonly TestCase[];
  /** Statements that end the process with success, or set its result. */
  exits: readonly { text: string; line: number }[];
  /** Statements that take the place of what runs tests or asserts. */
  replacements: readonly { text: string; line: number }[];
}

/** A node that is a test or a group of tests. */
export interface FoundTest {
  name: string;
  isGroup: boolean;
  marks: readonly Mark[];
  /** Where its code is; the node itself otherwise. */
  body: readonly SyntaxNode[];
}

/** How the tests of one language look. */
export interface TestDialect {
  /** The test or group that a node is; null for any other. `before`: the siblings before it, nearest last. */
  testAt(node: SyntaxNode, before: readonly SyntaxNode[], around: readonly SyntaxNode[]): FoundTest | null;
  /** A mark that a statement sets on the test around it, or on the file. */
  markAt(node: SyntaxNode): (Omit<Mark, "conditional"> & { conditional?: boolean }) | null;
  /** Whether a call ends the process. */
  exits: RegExp;
  /** Whether a statement takes the place of what runs tests or asserts: `assert.equal = …`; by its text. */
  replaces?: RegExp;
  /** Where set: which of them decide with what result the process ends. */
  isReplaced?: (text: string) => boolean;
  /** Errors that a handler has to name to catch failed assertions; null where each handler does. */
  catches: RegExp | null;
  /** What else asserts in a file: what it imports from libraries of assertions. */
  imported?: (text: string) => string[];
  /** Names of calls that assert, besides those of all languages; null where only macros do. */
  asserts: RegExp | null;
}
