import type { SyntaxNode } from "../../outline/syntax-tree.ts";
import { plainText } from "../syntax.ts";
import type { Mark, TestDialect } from "../test-file.ts";

const TEST = /^(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Theory)$/;

/** JUnit 3 to 5, TestNG. */
export const JAVA: TestDialect = {
  testAt: (node, _before, around) => {
    const name = node.children.find(({ field }) => field === "name")?.text ?? "";
    const annotations = annotationsOf(node);
    const marks = annotations.flatMap(markOf);
    const body = node.children.filter(({ field }) => field === "body");
    if (node.type === "class_declaration") return { name, isGroup: true, marks, body };
    if (node.type !== "method_declaration") return null;
    const isNamed =
      /^test[A-Z_]/.test(name) &&
      node.text.includes("void") &&
      around.some(({ text }) => /extends \w*TestCase\b/.test(text.slice(0, 400)));
    if (!isNamed && !annotations.some((one) => TEST.test(nameOf(one)))) return null;
    return { name, isGroup: false, marks, body: [...annotations, ...body] };
  },
  markAt: (node) => {
    const text = node.type === "expression_statement" ? plainText([node]) : "";
    if (
      !/^(?:\w+ \. )?(?:assumeTrue|assumeFalse|assumeThat|abort) \(|^throw new (?:SkipException|TestAbortedException|AssumptionViolated)/.test(
        text,
      )
    )
      return null;
    const isNever = /assumeTrue \( false|assumeFalse \( true|abort \(/.test(text);
    return { kind: "skip", ...(isNever ? {} : { conditional: true }), text, line: node.line };
  },
  exits: /^(?:System \. exit \( ?0 ?\)|Runtime \. getRuntime \( \) \. (?:halt|exit) \( ?0)/,
  catches: /\b(?:Throwable|Error|AssertionError|AssertionFailedError)\b/,
  asserts: /^(?:check|then|fail)$/,
};

function annotationsOf(node: SyntaxNode): SyntaxNode[] {
  const modifiers = node.children.find(({ type }) => type === "modifiers");
  return (modifiers?.children ?? []).filter(({ type }) => type === "annotation" || type === "marker_annotation");
}

function nameOf(annotation: SyntaxNode): string {
  return (annotation.children.find(({ field }) => field === "name")?.text ?? "").replace(/^.*\./, "");
}

function markOf(annotation: SyntaxNode): Mark[] {
  const name = nameOf(annotation);
  const mark = (kind: Mark["kind"], conditional: boolean) => [
    { kind, conditional, text: annotation.text, line: annotation.line },
  ];
  if (name === "Disabled" || name === "Ignore" || name === "Ignored") return mark("skip", false);
  if (/^(?:Disabled|Enabled)(?:On|If|For)/.test(name)) return mark("skip", true);
  return /enabled\s*=\s*false/.test(annotation.text) ? mark("skip", false) : [];
}
