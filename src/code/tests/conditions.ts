import type { SyntaxNode } from "../outline/syntax-tree.ts";
import { isLiteral, plainText } from "./syntax.ts";

interface Condition {
  positive: boolean;
  operands: string[];
  operator: string;
}

const OPPOSITE: Readonly<Record<string, string>> = {
  "!=": "==",
  "!==": "===",
  "not in": "in",
  "is not": "is",
  "!~": "=~",
  "<>": "==",
};
const COMPARES = /^(?:==|===|!=|!==|<|>|<=|>=|in|not in|is|is not|=~|!~|<>|instanceof)$/;

/** Splits a condition into its negation and the two sides of a comparison. */
export function conditionOf(node: SyntaxNode): Condition {
  const named = node.children.filter((child) => child.named && !child.type.includes("comment"));
  const [first, second] = named;
  if (node.type.startsWith("parenthesized") && named.length === 1 && first !== undefined) return conditionOf(first);
  const sign = node.children[0];
  if (first !== undefined && named.length === 1 && (sign?.text === "!" || sign?.text === "not")) {
    const inner = conditionOf(first);
    return { ...inner, positive: !inner.positive };
  }
  if (node.type === "tokens") return tokensCondition(node);
  if (first !== undefined && second !== undefined && named.length === 2) {
    const operator = node.children
      .filter((child) => !child.named)
      .map(({ text }) => text)
      .join(" ");
    if (COMPARES.test(operator)) {
      const opposite = OPPOSITE[operator];
      return {
        positive: opposite === undefined,
        operator: opposite ?? operator,
        operands: [plainText([first]), plainText([second])],
      };
    }
  }
  return { positive: true, operands: [plainText([node])], operator: "" };
}

function tokensCondition({ children }: SyntaxNode): Condition {
  const negated = children[0]?.text === "!";
  const at = children.findIndex(({ text }) => COMPARES.test(text) && text !== "<" && text !== ">");
  if (at < 1) return { positive: !negated, operands: [plainText(children.slice(negated ? 1 : 0))], operator: "" };
  const operator = children[at]?.text ?? "";
  const opposite = OPPOSITE[operator];
  return {
    positive: (opposite === undefined) !== negated,
    operator: opposite ?? operator,
    operands: [plainText(children.slice(negated ? 1 : 0, at)), plainText(children.slice(at + 1))],
  };
}

/** `assert 1 == 1`, `assert(x === x)` */
export function isSelfCompared(node: SyntaxNode): boolean {
  const { operands, operator, positive } = conditionOf(node);
  return (
    /^={2,3}$/.test(operator) && positive && operands[0] === operands[1] && /^[\w.$"' -]+$/.test(operands[0] ?? "")
  );
}

/** The truth value of a literal; null for anything computed. */
export function truthOf(node: SyntaxNode): boolean | null {
  const { text, type } = node;
  if (/^(?:true|True|1|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|0|null|None|nil|undefined|FALSE)$/.test(text)) return false;
  if (/^!\s*(?:0|false)$/.test(text)) return true;
  return isLiteral(node) && /string/.test(type) && unquotedLength(text) > 0 ? true : null;
}

function unquotedLength(text: string): number {
  return text.replaceAll(/["'`]/g, "").length;
}

export function isOrTrue(node: SyntaxNode): boolean {
  return /(?:\|\||\bor\b) ?(?:true|True|1) ?\)?$|^\(? ?(?:true|True) ?(?:\|\||or\b)/.test(plainText([node]));
}
