import type { SyntaxNode } from "../outline/syntax-tree.ts";

/** How a test is marked: skipped, the only one of its file to run, to do, or expected to fail. */
export interface Mark {
  kind: "skip" | "only" | "todo" | "fails";
  /** It only applies under a condition, such as on one system. */
  conditional: boolean;
  /** As the code says it. */
  text: string;
  /** From 1. */
  line: number;
}

/** An assertion of a test. */
export interface Assertion {
  /** Without comments and insignificant white space. */
  text: string;
  /** As people read it, on one line. */
  code: string;
  /** What it claims, without arguments and negation: `equal`, `true`, `throws`. */
  claim: string;
  positive: boolean;
  /** What it is about, and what it expects. */
  operands: readonly string[];
  /** It cannot fail. */
  empty: boolean;
  /** Its failure is caught and ignored. */
  swallowed: boolean;
  /** From 1. */
  line: number;
}

/** A test, or the code of a file outside of its tests. */
export interface TestCase {
  /** Includes the groups around it, joined by ` > `; empty for the code outside of tests. */
  name: string;
  line: number;
  /** Its own marks, and those of the groups around it. */
  marks: readonly Mark[];
  assertions: readonly Assertion[];
  /**
   * Literals outside of assertions, in order. `of`: the variable that holds it; empty in a table of cases, otherwise
   * null.
   */
  values: readonly { text: string; of: string | null }[];
  /** All of its code, without comments and insignificant white space. */
  body: string;
}

/** The tests of a file, the code outside of them first. */
export interface TestFile {
  tests: readonly TestCase[];
  /** Statements that end the process with success, or set its result. */
  exits: readonly { text: string; line: number }[];
  /** Statements that replace what runs tests or asserts. */
  replacements: readonly { text: string; line: number }[];
}

/** A node that is a test or a group of tests. */
export interface FoundTest {
  name: string;
  isGroup: boolean;
  marks: readonly Mark[];
  /** The nodes with its code; otherwise the node itself. */
  body: readonly SyntaxNode[];
}

/** How the tests of one language look. */
export interface TestDialect {
  /** The test or group that a node is; null if it is neither. `before`: its preceding siblings, nearest last. */
  testAt(node: SyntaxNode, before: readonly SyntaxNode[], around: readonly SyntaxNode[]): FoundTest | null;
  /** A mark that a statement sets on the test around it, or on the file. */
  markAt(node: SyntaxNode): (Omit<Mark, "conditional"> & { conditional?: boolean }) | null;
  /** Whether a call ends the process. */
  exits: RegExp;
  /** Matches the text of statements that replace what runs tests or asserts: `assert.equal = …`. */
  replaces?: RegExp;
  /** If set, decides which of these statements set the result with which the process ends. */
  isReplaced?: (text: string) => boolean;
  /** Errors that a handler must name to catch failed assertions; null if every handler does. */
  catches: RegExp | null;
  /** Further names that assert in a file: its imports from assertion libraries. */
  imported?: (text: string) => string[];
  /** Names of calls that assert, in addition to those of all languages; null if only macros assert. */
  asserts: RegExp | null;
}
