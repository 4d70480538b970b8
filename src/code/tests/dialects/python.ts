import type { SyntaxNode } from "../../outline/syntax-tree.ts";
import { chainOf, isCall, isLiteral, plainText } from "../syntax.ts";
import type { Mark, TestDialect } from "../test-file.ts";

/** pytest and unittest. */
export const PYTHON: TestDialect = {
  testAt: (node, _before, around) => {
    if (node.type !== "class_definition" && node.type !== "function_definition") return null;
    const name = node.children.find(({ field }) => field === "name")?.text ?? "";
    const parent = around.at(-1);
    const decorators =
      parent?.type === "decorated_definition" ? parent.children.filter(({ type }) => type === "decorator") : [];
    const marks = decorators.flatMap(decoratorMarks);
    if (node.type === "class_definition") return { name, isGroup: true, marks, body: bodyOf(node) };
    if (!name.startsWith("test")) return null;
    // Tables of cases are in decorators; a mark's condition is not one.
    const tables = decorators.filter(
      (decorator) => decoratorMarks(decorator).length === 0 || /parametrize/.test(decorator.text),
    );
    return { name, isGroup: false, marks, body: [...tables, ...bodyOf(node)] };
  },
  markAt: (node) => {
    const text =
      node.type === "expression_statement" || node.type === "raise_statement" || node.type === "assignment"
        ? plainText([node])
        : "";
    if (/^(?:pytest \. skip|self \. skipTest|raise (?:unittest \. )?SkipTest|skip \()/.test(text))
      return { kind: "skip", text, line: node.line };
    if (text.startsWith("pytest . xfail")) return { kind: "fails", text, line: node.line };
    if (text.startsWith("__test__ = False") || /^collect_ignore(?:_glob)? [+=]/.test(text))
      return { kind: "skip", conditional: false, text, line: node.line };
    if (text.startsWith("pytestmark =")) {
      const [mark] = marksIn(node);
      return mark === undefined ? null : { ...mark, text };
    }
    return null;
  },
  replaces:
    /^(?:(?:(?:\w+ \. )*mock \. )?patch(?: \. \w+)? \(|monkeypatch \. setattr \(|mocker \. patch(?: \. \w+)? \(|(?:unittest|pytest|builtins|_pytest)(?: \. \w+)+ =(?!=)|(?:\w+ \. )?\w*TestCase \. \w+ =(?!=)|(?:\w+ \. )*setattr \( (?:\w+ \. )*(?:unittest|pytest|builtins|\w*TestCase)\b)/,
  exits:
    /^(?:sys \. exit \( ?(?:0|None)? ?\)|os \. _exit|(?:exit|quit) \( ?0? ?\)|raise SystemExit(?! \( [^0])|pytest \. exit \()/,
  catches: /\b(?:BaseException|Exception|AssertionError)\b/,
  asserts:
    /^(?:raises|warns|deprecated_call|approx_equal|fnmatch_lines\w*|no_fnmatch_line|no_re_match_line|re_match_lines)$/,
};

function bodyOf(node: SyntaxNode): SyntaxNode[] {
  return node.children.filter(({ field }) => field === "body");
}

function decoratorMarks(decorator: SyntaxNode): Mark[] {
  return marksIn(decorator);
}

function marksIn(node: SyntaxNode): Mark[] {
  const found: Mark[] = [];
  const visit = (at: SyntaxNode): void => {
    const chain = isCall(at) || at.type === "attribute" || at.type === "identifier" ? chainOf(at) : null;
    const mark = chain === null ? null : markNamed(chain.names.at(-1) ?? "", chain.args.at(-1) ?? null, at);
    if (mark !== null) {
      found.push(mark);
      return;
    }
    for (const child of at.children) visit(child);
  };
  visit(node);
  return found;
}

function markNamed(name: string, args: readonly SyntaxNode[] | null, node: SyntaxNode): Mark | null {
  const first = args?.find(({ type }) => type !== "keyword_argument");
  const mark = (kind: Mark["kind"], conditional: boolean) => ({
    kind,
    conditional,
    text: plainText([node]),
    line: node.line,
  });
  const computed = first !== undefined && !(isLiteral(first) && /^(?:True|1|False|0)$/.test(first.text));
  if (name === "skip") return mark("skip", false);
  if (name === "skipif" || name === "skipIf")
    return first?.text === "False" ? null : mark("skip", computed || first === undefined);
  if (name === "skipUnless") return first?.text === "True" ? null : mark("skip", computed);
  if (name === "expectedFailure") return mark("fails", false);
  if (name === "xfail")
    return mark(
      "fails",
      (first !== undefined && computed) || (args ?? []).some(({ text }) => text.startsWith("condition")),
    );
  return null;
}
