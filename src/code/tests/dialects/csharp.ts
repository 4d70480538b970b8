import { plainText } from "../syntax.ts";
import type { Mark, TestDialect } from "../test-file.ts";

const TEST =
  /^\s*(?:\w+\.)*(?:Fact|Theory|Test|TestMethod|TestCase|TestCaseSource|DataTestMethod|\w+Fact|\w+Theory)(?:Attribute)?\b/;

/** xUnit, NUnit, MSTest. */
export const CSHARP: TestDialect = {
  testAt: (node) => {
    const name = node.children.find(({ field }) => field === "name")?.text ?? "";
    const body = node.children.filter(({ field }) => field === "body");
    const lists = node.children.filter(({ type }) => type === "attribute_list");
    const attributes = lists.flatMap(({ children }) => children.filter(({ type }) => type === "attribute"));
    const marks = attributes.flatMap(({ text, line }): Mark[] =>
      /^\s*(?:\w+\.)*(?:Ignore|Explicit)\b/.test(text) || /\bSkip\s*=\s*[^n\s]/.test(text)
        ? [{ kind: "skip", conditional: false, text, line }]
        : [],
    );
    if (node.type === "class_declaration") return { name, isGroup: true, marks, body };
    if (node.type !== "method_declaration" || !attributes.some(({ text }) => TEST.test(text))) return null;
    return { name, isGroup: false, marks, body: [...attributes, ...body] };
  },
  markAt: (node) => {
    const text = node.type === "expression_statement" ? plainText([node]) : "";
    if (/^Assert \. (?:Ignore|Inconclusive|Skip) \(/.test(text)) return { kind: "skip", text, line: node.line };
    return /^(?:Skip \. If|Skip \. IfNot|Assert \. (?:SkipWhen|SkipUnless)|Assume \. That) \(/.test(text)
      ? { kind: "skip", conditional: true, text, line: node.line }
      : null;
  },
  exits: /^Environment \. (?:Exit \( ?0 ?\)|ExitCode = 0)/,
  catches: /\b(?:Exception|XunitException|AssertionException|AssertFailedException)\b/,
  asserts: /^Should\w*$/,
};
