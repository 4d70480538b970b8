import { classify } from "../classify.ts";
import { type SyntaxNode, syntaxTree } from "../outline/syntax-tree.ts";
import { assertionAt } from "./assertions.ts";
import { dialectOf, grammarOf } from "./dialects/dialects.ts";
import { readLines } from "./read-lines.ts";
import { chainOf, isCall, isLiteral, plainText } from "./syntax.ts";
import { takesNothing } from "./test-names.ts";
import type { Assertion, Mark, TestCase, TestDialect, TestFile } from "./test-file.ts";

/** Characters of a statement that may end the process. */
const LONGEST_EXIT = 1_000;
/** Tests of one file; later ones are left out. */
const MOST_TESTS = 5_000;

/**
 * The tests of a file with their assertions, from its syntax tree (R-WORK-12); line by line for languages without a
 * grammar. Null for files that are not code, and for those that cannot be parsed.
 */
export async function testsIn(path: string, text: string): Promise<TestFile | null> {
  const { language, role } = classify(path);
  const dialect = dialectOf(language);
  if (dialect === null) return readLines(language, text);
  const grammar = grammarOf(path);
  const root = grammar === null ? null : await syntaxTree(grammar, text);
  if (root === null) return null;
  const imported = dialect.imported?.(text) ?? [];
  const names = imported.map((name) => name.replaceAll("$", String.raw`\$`));
  const asserts = names.length === 0 ? dialect.asserts : new RegExp(`^(?:${names.join("|")})$`);
  const reader = new Reader({ ...dialect, asserts });
  reader.read(root);
  const all = reader.file();
  const file = { ...all, replacements: all.replacements.filter((one) => !takesNothing(path, one.text)) };
  // In a file with tests among other code, only these count.
  return role === "test" ? file : { ...file, tests: file.tests.filter(({ name }) => name !== ""), exits: [] };
}

interface Open {
  name: string;
  line: number;
  marks: Mark[];
  assertions: Assertion[];
  values: { text: string; of: string | null }[];
  body: readonly SyntaxNode[];
  isTest: boolean;
}

/** The position in the tree. */
interface Around {
  open: Open;
  /** The surrounding nodes, outermost first. */
  nodes: readonly SyntaxNode[];
  /** Whether the code only runs under a condition. */
  conditional: boolean;
  swallowed: boolean;
}

const CONDITIONAL =
  /^(?:if|unless|switch|match|case|conditional|ternary|elif|else|when|catch|except|rescue|select)|_(?:switch|case|clause)_/;
const BLOCK =
  /^(?:statement_block|block|body_statement|compound_statement|statement_list|do_block|class_body|declaration_list|program|module|source_file)$/;
const LEAVES =
  /^(?:return_statement|throw_statement|raise_statement|return|return_expression|break_statement|exit_statement)$/;
const COMMENT = /comment/;
/** Statements that can replace a function or a class. */
const STATEMENT =
  /^(?:assignment_expression|assignment|call_expression|call|function_declaration|class|module|augmented_assignment)$/;

class Reader {
  readonly #dialect: TestDialect;
  readonly #tests: Open[] = [];
  readonly #exits: TestFile["exits"][number][] = [];
  readonly #replacements: TestFile["exits"][number][] = [];

  constructor(dialect: TestDialect) {
    this.#dialect = dialect;
  }

  read(root: SyntaxNode): void {
    const open: Open = { name: "", line: 1, marks: [], assertions: [], values: [], body: [], isTest: false };
    this.#tests.push(open);
    this.#visit(root, [], { open, nodes: [], conditional: false, swallowed: false });
  }

  file(): TestFile {
    const [outside, ...rest] = this.#tests;
    const tests = rest.filter(({ isTest }) => isTest).map((open) => testCase(open));
    const groups = rest.filter(({ isTest }) => !isTest);
    const loose: TestCase = {
      name: "",
      line: 1,
      marks: outside?.marks ?? [],
      assertions: [outside, ...groups].flatMap((open) => open?.assertions ?? []),
      values: [],
      body: "",
    };
    // A mark on the file, or directly in a group, applies to all its tests.
    const fileMarks = outside?.marks ?? [];
    return {
      tests: [loose, ...tests.map((test) => ({ ...test, marks: [...fileMarks, ...test.marks] }))],
      exits: this.#exits,
      replacements: this.#replacements,
    };
  }

  #visit(node: SyntaxNode, before: readonly SyntaxNode[], around: Around): void {
    if (COMMENT.test(node.type)) return;
    this.#exit(node);
    this.#replacement(node);
    const found = this.#tests.length < MOST_TESTS ? this.#dialect.testAt(node, before, around.nodes) : null;
    if (found !== null) {
      const { open } = around;
      const marks = [...(open.isTest || open.name !== "" ? open.marks : []), ...found.marks];
      const name = open.name === "" ? found.name : `${open.name} > ${found.name}`;
      const inner: Open = {
        name,
        line: node.line,
        marks,
        assertions: [],
        values: [],
        body: found.body,
        isTest: !found.isGroup,
      };
      this.#tests.push(inner);
      for (const body of found.body)
        this.#inside(body, {
          ...around,
          open: inner,
          nodes: [...around.nodes, node],
          conditional: false,
          swallowed: false,
        });
      return;
    }
    const mark = this.#dialect.markAt(node) ?? leavesEarly(node, around);
    if (mark !== null) {
      around.open.marks.push({ ...mark, conditional: mark.conditional ?? around.conditional });
      return;
    }
    const assertion = assertionAt(node, this.#dialect);
    if (assertion !== null) {
      around.open.assertions.push({ ...assertion, swallowed: around.swallowed });
      // A callback in it may contain tests or assertions.
      if (!isBranch(node)) return;
    } else if (isLiteral(node) && around.open.isTest) {
      around.open.values.push({ text: plainText([node]), of: ownerOf(node, around) });
      return;
    }
    this.#inside(node, around);
  }

  #inside(node: SyntaxNode, around: Around): void {
    const conditional = around.conditional || CONDITIONAL.test(node.type);
    const nodes = [...around.nodes, node];
    const swallows = this.#swallows(node);
    const before: SyntaxNode[] = [];
    for (const child of node.children) {
      if (isNever(node, child)) continue;
      const handler = /^(?:catch_clause|except_clause|rescue|finally_clause|ensure|else_clause)$/.test(child.type);
      this.#visit(child, before, {
        ...around,
        nodes,
        conditional,
        swallowed: around.swallowed || (swallows && !handler),
      });
      before.push(child);
      // Code after it never runs.
      if (BLOCK.test(node.type) && LEAVES.test(child.type)) break;
      if (child.type === "expression_statement" && /^return_expression$/.test(child.children[0]?.type ?? "")) break;
    }
  }

  #replacement(node: SyntaxNode): void {
    const { replaces, isReplaced, asserts } = this.#dialect;
    if (replaces === undefined || !STATEMENT.test(node.type) || node.text.length > LONGEST_EXIT) return;
    const text = plainText([node]);
    // `import a from "node:assert"` renames it.
    const [root = ""] = text.split(" ", 1);
    const isImported = asserts?.test(root) === true && /^[\w$]+(?: \. [\w$]+)+ =(?!=)/.test(text);
    if (!replaces.test(text) && !isImported) return;
    if (isReplaced === undefined) {
      const told = node.text.replaceAll(/\s+/g, " ");
      // `patch("shop.total").start()` contains another such call.
      if (this.#replacements.at(-1)?.text.includes(told) !== true)
        this.#replacements.push({ text: told, line: node.line });
    } else if (isReplaced(text)) this.#exits.push({ text, line: node.line });
  }

  #exit(node: SyntaxNode): void {
    if (!isCall(node) && !/^(?:assignment_expression|exit_statement|raise_statement|identifier)$/.test(node.type))
      return;
    if (node.text.length > LONGEST_EXIT) return;
    const text = plainText([node]);
    if (this.#dialect.exits.test(text) && (node.type !== "identifier" || text === "exit" || text === "exit!")) {
      if (node.type !== "identifier") this.#exits.push({ text, line: node.line });
    }
  }

  /** Whether it catches the failures of assertions inside and ignores them. */
  #swallows(node: SyntaxNode): boolean {
    const { catches } = this.#dialect;
    if (/^(?:try_statement|begin|body_statement)$/.test(node.type)) {
      const handlers = node.children.filter(({ type }) => /^(?:catch_clause|except_clause|rescue)$/.test(type));
      return handlers.some((handler) => {
        const names = plainText(handler.children.filter(({ field, type }) => field !== "body" && !BLOCK.test(type)));
        const isBare = /^(?:catch|except|except :|catch \{?)$/.test(names.trim());
        const body = handler.children.filter(
          ({ field, type }) => field === "body" || BLOCK.test(type) || type === "then",
        );
        return (catches === null || isBare || catches.test(names)) && !body.some(makesSomething);
      });
    }
    if (node.type === "with_statement")
      return /^with (?:contextlib \. )?suppress \( (?:BaseException|Exception|AssertionError)\b/.test(
        plainText([node]).slice(0, 100),
      );
    if (!isCall(node) || catches !== null) return false;
    // `promise.then(…).catch(() => {})`
    const chain = chainOf(node);
    const given = chain?.names.at(-1) === "catch" ? (chain.args.at(-1) ?? []) : [];
    return given.length === 1 && given.every((handler) => /=>|function/.test(handler.text) && !makesSomething(handler));
  }
}

/** Whether a handler throws, asserts, or reports something. */
function makesSomething(handler: SyntaxNode): boolean {
  return /\b(?:throw|raise|fail|flunk|assert\w*|expect\w*|should|done|reject|next|panic|Error|error\.|err\.|exit|skip\w*)\b|\b(?:t|this|self)\.\w|=|return|continue|break|push|append/.test(
    handler.text.replaceAll("=>", ""),
  );
}

/** The variable that a value is assigned to; empty for the table of a test's cases, which is outside its code. */
function ownerOf(node: SyntaxNode, { open, nodes }: Around): string | null {
  const body = nodes.find((one) => open.body.includes(one)) ?? node;
  if (open.body.includes(body) && !BLOCK.test(body.type) && !HAS_CODE.test(body.type)) return "";
  const parent = nodes.findLast(({ type }) => type !== "expression_list");
  if (parent === undefined || !/declarator|assignment|short_var|let_declaration|const_declaration/.test(parent.type))
    return null;
  const name = parent.children.find(({ named }) => named);
  return name === undefined || name === node ? null : plainText([name]);
}
const HAS_CODE = /function|closure|lambda|func_literal|block/;

/** `if (onSomeSystem) return;` directly in the test's block: a conditional skip. */
function leavesEarly(node: SyntaxNode, { open, nodes }: Around): Mark | null {
  if (!/^if_(?:statement|expression)$/.test(node.type) || !open.isTest) return null;
  const body = node.children.find(({ field }) => field === "consequence" || field === "body");
  if (!/^[:{]?\s*return\s*;?\s*\}?$/.test(body?.text ?? "")) return null;
  const from = nodes.findLastIndex((one) => open.body.includes(one));
  if (from === -1 || !nodes.slice(from + 1).every(({ type }) => BLOCK.test(type))) return null;
  const condition = node.children.find(({ field }) => field === "condition")?.text ?? "";
  const conditional = !/^\(?\s*(?:true|True|1)\s*\)?$/.test(condition);
  return { kind: "skip", conditional, text: node.text.replaceAll(/\s+/g, " "), line: node.line };
}

function isBranch({ type }: SyntaxNode): boolean {
  return /^(?:if|unless)/.test(type);
}

/** Whether this is the body of an `if (false)`, which never runs. */
function isNever(node: SyntaxNode, child: SyntaxNode): boolean {
  if (!node.type.startsWith("if") || (child.field !== "consequence" && child.field !== "body")) return false;
  const condition = node.children.find(({ field }) => field === "condition");
  return condition !== undefined && /^\(?\s*(?:false|False|0|nil)\s*\)?$/.test(condition.text);
}

function testCase({ name, line, marks, assertions, values, body }: Open): TestCase {
  return { name, line, marks, assertions, values, body: plainText(body) };
}
