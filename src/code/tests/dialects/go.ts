import { chainOf, isCall, plainText } from "../syntax.ts";
import type { TestDialect } from "../test-file.ts";
import { testCall } from "./calls.ts";

const CALLS = {
  tests: /^(?:Run|[FXP]?It|[FXP]?Specify|[FXP]?Entry)$/,
  groups: /^[FXP]?(?:Describe|Context|When|DescribeTable)$/,
  skips: /^[XP][A-Z]/,
  only: /^F[A-Z]/,
};

/** Whether a `TestMain` runs the tests and ends the process with their result. */
function tellsResult(text: string): boolean {
  const ends = [...text.matchAll(/\bos \. Exit \( ?(.*?) ?\)(?= [^)]|$)/g)].map(([, code = ""]) => code);
  const [, held] = /\b(\w+) (?::=|=) m \. Run \( \)/.exec(text) ?? [];
  const isKept = held === undefined || !new RegExp(String.raw`\b${held} = (?!m \. Run)`).test(text);
  const isTold = (code: string) => code === held || /^m \. Run \( \)$/.test(code) || /^[1-9]\d*$/.test(code);
  return /\bm \. Run \( \)/.test(text) && isKept && held !== "_" && ends.every(isTold) && !/\brecover \(/.test(text);
}

/** The `testing` package, testify, Ginkgo. */
export const GO: TestDialect = {
  testAt: (node, before) => {
    if (node.type !== "function_declaration") return testCall(node, CALLS);
    const name = node.children.find(({ field }) => field === "name")?.text ?? "";
    if (!/^(?:Test(?!Main$)|Fuzz|Example)/.test(name)) return null;
    const constraint = before.findLast(
      ({ type, text }) => type === "comment" && /^\/\/go:build|^\/\/ \+build/.test(text),
    );
    const isNever = constraint !== undefined && /build\s+(?:ignore|never|none|disabled)\b/.test(constraint.text);
    const marks =
      constraint === undefined
        ? []
        : [{ kind: "skip" as const, conditional: !isNever, text: constraint.text.trim(), line: constraint.line }];
    return { name, isGroup: false, marks, body: node.children.filter(({ field }) => field === "body") };
  },
  markAt: (node) => {
    const chain = isCall(node) ? chainOf(node) : null;
    if (chain === null || !/^(?:Skip|Skipf|SkipNow)$/.test(chain.names.at(-1) ?? "")) return null;
    return { kind: "skip", text: plainText([node]), line: node.line };
  },
  replaces: /^func TestMain \(/,
  isReplaced: (text) => !tellsResult(text),
  exits: /^(?:os|syscall) \. Exit \( ?0 ?\)/,
  catches: /^(?!)/,
  asserts: /^(?:require|is|qt|Expect|Ω|Eventually|Consistently)$/,
};
