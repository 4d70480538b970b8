import { chainOf, isCall, plainText } from "../syntax.ts";
import type { TestDialect } from "../test-file.ts";
import { testCall } from "./calls.ts";

const CALLS = {
  tests: /^(?:[xf]?it|[xf]?specify|[xf]?example|[xf]?scenario|test|should)$/,
  groups: /^(?:[xf]?describe|[xf]?context|[xf]?feature|example_group|shared_examples\w*)$/,
  skips: /^x/,
  only: /^f(?:it|specify|example|scenario|describe|context|feature)$/,
};

/** RSpec, minitest, test-unit. */
export const RUBY: TestDialect = {
  testAt: (node) => {
    const name = node.children.find(({ field }) => field === "name")?.text ?? "";
    const body = node.children.filter(({ field }) => field === "body");
    if (node.type === "class" || node.type === "module") return { name, isGroup: true, marks: [], body };
    if (node.type === "method") return name.startsWith("test_") ? { name, isGroup: false, marks: [], body } : null;
    return testCall(node, CALLS);
  },
  markAt: (node) => {
    const name = node.type === "identifier" ? node.text : isCall(node) ? (chainOf(node)?.names.at(-1) ?? "") : "";
    if (!/^(?:skip|pending|omit)$/.test(name) || chainOf(node)?.names.length !== 1) return null;
    return { kind: "skip", text: plainText([node]), line: node.line };
  },
  replaces:
    /^(?:(?:Minitest|RSpec|Test|Assertions)(?: :: \w+)* \. (?:class_eval|module_eval|instance_eval|prepend|include|define_method|send|alias_method)\b|(?:module|class) (?:Minitest|RSpec)\b.* def (?:assert|refute|expect|flunk)\w*)/s,
  exits: /^(?:(?:Kernel|Process) \. )?(?:exit!?|exit \( ?(?:0|true)? ?\)|exit!? (?:0|true))$|^exit!? \(/,
  catches: /\b(?:Exception|Minitest::Assertion|ExpectationNotMetError)\b/,
  asserts: /^(?:flunk|assert|is_expected)$/,
};
