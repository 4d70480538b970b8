import type { SyntaxNode } from "../../outline/syntax-tree.ts";
import { type Chain, chainOf, isCall, isLiteral, plainText, unquoted } from "../syntax.ts";
import type { FoundTest, Mark } from "../test-file.ts";

/**
 * Tests and groups written as calls with a name and a function: `it("adds", () => …)`, `scenario "adds" do`,
 * `t.Run("adds", …)`.
 */
export interface CallNames {
  tests: RegExp;
  groups: RegExp;
  /** Names that by themselves mean skip, or run alone: `xit`, `fdescribe`. */
  skips: RegExp;
  only: RegExp;
}

const FUNCTION =
  /^(?:arrow_function|function_expression|function|generator_function|func_literal|anonymous_function(?:_creation_expression)?|closure_expression|lambda|do_block|block|lambda_literal)$/;

export function testCall(node: SyntaxNode, { tests, groups, skips, only }: CallNames): FoundTest | null {
  if (!isCall(node)) return null;
  const chain = chainOf(node);
  if (chain === null) return null;
  const at = chain.names.findIndex((name) => tests.test(name) || groups.test(name));
  const word = chain.names[at];
  if (word === undefined || at > 1) return null;
  const given = [...chain.args].slice(at).findLast((args) => args !== null && args.length > 0) ?? chain.args[at] ?? [];
  const named = nameArguments(chain, at);
  const [first] = named;
  const block = node.children.find(({ field, type }) => field === "block" && FUNCTION.test(type));
  const all = chain.args.flatMap((args) => args ?? []);
  const body = [...all.filter(({ type }) => FUNCTION.test(type)), ...(block === undefined ? [] : [block])];
  const modifiers = chain.names.slice(at + 1);
  const isTodo = modifiers.includes("todo") || (/^x?(?:it|specify|example)$/.test(word) && named.length === 1);
  if (
    first === undefined ||
    (body.length === 0 && !isTodo) ||
    (at === 1 && chain.names[0] !== "RSpec" && !isLiteral(first))
  )
    return null;
  if (body.length > 0 && FUNCTION.test(first.type)) return null;
  const marks = [
    ...chain.names.slice(at).flatMap((name, index) => nameMark(name, node, { skips, only, isFirst: index === 0 })),
    ...optionMarks([...named, ...given]),
  ];
  const rows = all.filter((one) => one !== first && !FUNCTION.test(one.type) && !/^(?:object|pair)$/.test(one.type));
  const isGroup = groups.test(word) && !tests.test(word);
  return { name: unquoted(first), isGroup, marks, body: [...rows, ...body] };
}

/** The arguments that start with the test's name: of the last call, since `each(rows)` comes first. */
function nameArguments(chain: Chain, at: number): readonly SyntaxNode[] {
  const calls = chain.args.slice(at).filter((args) => args !== null);
  const withBody = calls.find((args) => args.some(({ type }) => FUNCTION.test(type)) && args.length > 1);
  return withBody ?? calls.find(([only]) => only !== undefined && isLiteral(only)) ?? calls.at(-1) ?? [];
}

function nameMark(
  name: string,
  { line }: SyntaxNode,
  { skips, only, isFirst }: { skips: RegExp; only: RegExp; isFirst: boolean },
): Mark[] {
  const mark = (kind: Mark["kind"], conditional = false) => [{ kind, conditional, text: name, line }];
  if (isFirst) return skips.test(name) ? mark("skip") : only.test(name) ? mark("only") : [];
  if (name === "skip") return mark("skip");
  if (name === "only") return mark("only");
  if (name === "todo") return mark("todo");
  if (name === "fails" || name === "failing") return mark("fails");
  return name === "skipIf" || name === "runIf" || name === "if" ? mark("skip", true) : [];
}

/** `{ skip: true }`, `skip: "why"`, `:skip` */
function optionMarks(args: readonly SyntaxNode[]): Mark[] {
  const found = new Map<string, Mark>();
  for (const arg of args) {
    const entries = arg.type === "object" ? arg.children : [arg];
    for (const entry of entries) {
      const mark = optionMark(entry);
      if (mark !== null) found.set(mark.kind, mark);
    }
  }
  return [...found.values()];
}

const OPTIONS: Readonly<Record<string, Mark["kind"]>> = {
  skip: "skip",
  only: "only",
  todo: "todo",
  pending: "skip",
  focus: "only",
  expectFailure: "fails",
  fails: "fails",
};

function optionMark(entry: SyntaxNode): Mark | null {
  if (entry.type === "simple_symbol") {
    const kind = OPTIONS[entry.text.slice(1)];
    return kind === undefined ? null : { kind, conditional: false, text: entry.text, line: entry.line };
  }
  if (entry.type !== "pair") return null;
  const named = entry.children.filter((child) => child.named);
  const kind = OPTIONS[unquoted(named[0] ?? entry).replace(/^:|:$/g, "")];
  const value = named[1];
  if (kind === undefined || value === undefined || /^(?:false|undefined|null|nil)$/.test(value.text)) return null;
  return { kind, conditional: !isLiteral(value), text: plainText([entry]), line: entry.line };
}
