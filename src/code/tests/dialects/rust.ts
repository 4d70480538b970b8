import type { SyntaxNode } from "../../outline/syntax-tree.ts";
import type { Mark, TestDialect } from "../test-file.ts";

/** Functions with `#[test]` or an attribute of that name, such as `#[tokio::test]`. */
export const RUST: TestDialect = {
  testAt: (node, before) => {
    if (node.type !== "function_item" && node.type !== "mod_item") return null;
    const name = node.children.find(({ field }) => field === "name")?.text ?? "";
    const attributes = attributesBefore(before);
    const marks = attributes.flatMap(markOf);
    const body = node.children.filter(({ field }) => field === "body");
    if (node.type === "mod_item") return body.length === 0 ? null : { name, isGroup: true, marks, body };
    const isTest = attributes.some(({ text }) =>
      /^#\[\s*(?:[\w:]+::)?(?:\w*_)?(?:test|rstest|test_case|quickcheck|proptest)\b/.test(text),
    );
    return isTest
      ? { name, isGroup: false, marks, body: [...attributes.filter(({ text }) => /case|values/.test(text)), ...body] }
      : null;
  },
  markAt: () => null,
  exits: /^(?:std :: )?(?:process :: )?(?:exit|abort) \( ?0? ?\)/,
  catches: /^(?!)/,
  asserts: null,
};

function attributesBefore(before: readonly SyntaxNode[]): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (const node of before.toReversed()) {
    if (node.type.includes("comment")) continue;
    if (node.type !== "attribute_item") break;
    found.unshift(node);
  }
  return found;
}

function markOf({ text, line }: SyntaxNode): Mark[] {
  const mark = (kind: Mark["kind"], conditional: boolean) => [{ kind, conditional, text, line }];
  if (/^#\[\s*ignore\b/.test(text)) return mark("skip", false);
  if (/^#\[\s*should_panic\b/.test(text)) return mark("fails", false);
  if (/^#\[\s*cfg_attr\([^]*\b(?:ignore|should_panic)\b/.test(text)) return mark("skip", true);
  if (/^#\[\s*cfg\(\s*(?:any\(\s*\)|FALSE|false|never|disabled)\s*\)/.test(text)) return mark("skip", false);
  return /^#\[\s*cfg\(/.test(text) && !/\btest\b/.test(text) ? mark("skip", true) : [];
}
