import { plainText } from "../syntax.ts";
import type { TestDialect } from "../test-file.ts";
import { testCall } from "./calls.ts";

const CALLS = { tests: /^(?:it|test)$/, groups: /^describe$/, skips: /^(?!)/, only: /^(?!)/ };

/** PHPUnit, Pest. */
export const PHP: TestDialect = {
  testAt: (node, before) => {
    const name = node.children.find(({ field }) => field === "name")?.text ?? "";
    const body = node.children.filter(({ field }) => field === "body");
    if (node.type === "class_declaration") return { name, isGroup: true, marks: [], body };
    if (node.type !== "method_declaration") return testCall(node, CALLS);
    const attributes = node.children.filter(({ type }) => type === "attribute_list");
    const isMarked =
      attributes.some(({ text }) => /#\[\s*\\?(?:\w+\\)*Test\b/.test(text)) || /@test\b/.test(docOf(before));
    if (!isMarked && !name.startsWith("test")) return null;
    const requires = attributes.find(({ text }) => /Requires/.test(text));
    const marks =
      requires === undefined
        ? []
        : [{ kind: "skip" as const, conditional: true, text: requires.text, line: requires.line }];
    return { name, isGroup: false, marks, body: [...attributes, ...body] };
  },
  markAt: (node) => {
    const text = node.type === "expression_statement" ? plainText([node]) : "";
    if (!/\bmarkTest(?:Skipped|Incomplete) \(/.test(text)) return null;
    return { kind: "skip", text, line: node.line };
  },
  exits: /^(?:exit|die)(?: \( ?0? ?\))?$|^exit 0$|^(?:exit|die) \( ?["0]/,
  catches: /\b(?:Throwable|Exception|AssertionFailedError|ExpectationFailedException)\b/,
  asserts: /^(?:fail|assert)$/,
};

function docOf(before: readonly { type: string; text: string }[]): string {
  const last = before.at(-1);
  return last?.type === "comment" ? last.text : "";
}
