import type { SyntaxNode } from "../outline/syntax-tree.ts";
import type { Assertion, TestDialect } from "./test-file.ts";
import { type Chain, chainOf, isCall, isLiteral, plainText } from "./syntax.ts";

/** Characters. */
const LONGEST_CODE = 300;

type Claim = Omit<Assertion, "swallowed">;

const ASSERTS =
  /^(?:assert(?!ion)|expect(?!ed|ation)|should(?![A-Z]?Component)|verify|refute|must_|wont_|fail$|prop_assert|debug_assert)/i;
const NEGATIONS = new Set(["not", "no", "never", "false", "falsy", "refute", "wont", "isnt", "doesnt", "undefined"]);
const SAME: Readonly<Record<string, string>> = {
  ok: "true", truthy: "true", falsy: "true", false: "true", refute: "assert", wont: "must", isnt: "is", doesnt: "does",
  nil: "null", none: "null", undefined: "defined", equals: "equal", is: "", to: "", be: "", assert: "", expect: "", that: "",
  strict: "", should: "", does: "", matches: "match", contains: "contain", includes: "include", and: "", have: "", been: "", a: "", an: "",
}; // prettier-ignore
const SAMENESS = /^(?:equal|deep equal|same|eq|eql|match|deep|deep same|same as|equal to|exact|identical)?$/;
const NOISE = new Set([
  "t",
  "tb",
  "self",
  "this",
  "static",
  "a",
  "require",
  "Assertions",
  "Assert",
  "chai",
  "unittest",
]);

/** The assertion that a node is as a whole; null for anything else. */
export function assertionAt(node: SyntaxNode, dialect: TestDialect): Claim | null {
  if (node.type === "assert_statement") return statementAssertion(node);
  if (/^(?:if_statement|if_expression|if|if_modifier|unless|unless_modifier)$/.test(node.type))
    return failingBranch(node, dialect);
  if (node.type === "binary" || node.type === "binary_expression") return shouldOperator(node);
  const chain = isCall(node) || /^(?:member_expression|attribute)$/.test(node.type) ? chainOf(node) : null;
  return chain === null ? null : chainAssertion(node, chain, dialect);
}

function chainAssertion(node: SyntaxNode, chain: Chain, dialect: TestDialect): Claim | null {
  if (dialect.asserts === null && node.type !== "macro_invocation") return null;
  const at = chain.names.findIndex((name) => ASSERTS.test(name) || dialect.asserts?.test(name) === true);
  const claims = at === -1 ? testContext(chain, dialect) : at;
  if (
    claims === null ||
    (!chain.args.some((args, index) => index <= claims + 3 && args !== null) && !chain.names.includes("should"))
  )
    return null;
  if (chain.args.every((args) => args === null) && claims === 0) return null;
  const words = chain.names.slice(claims).flatMap(wordsOf);
  let positive = words.filter((word) => NEGATIONS.has(word)).length % 2 === 0;
  const subject = chain.names
    .slice(0, claims)
    .filter((name) => !NOISE.has(name))
    .join(".");
  const given = chain.args.flatMap((args) => args ?? []);
  const conditions = given.filter((arg) => !isFixture(arg)).map((arg) => conditionOf(arg));
  for (const one of conditions) positive = positive === one.positive;
  const operands = [
    ...(chain.root === null ? [] : [plainText([chain.root])]),
    ...(subject === "" ? [] : [subject]),
    ...conditions.flatMap((one) => one.operands),
  ];
  const claim = [
    ...words.map((word) => SAME[word] ?? (NEGATIONS.has(word) ? "" : word)),
    ...conditions.map(({ operator }) => operator),
  ]
    .filter((word) => word !== "")
    .join(" ");
  const lone = chain.names.length - claims === 1;
  const empty =
    claimsNothing(chain, claims, node) ||
    isEmpty({ claim, positive, lone, given: given.filter((arg) => !isFixture(arg)), isOpen: subject === "" });
  return { ...textsOf(node), claim, positive, operands, empty, line: node.line };
}

/** `t.is(…)` and the like: the first name is what runners call a test's context. */
function testContext({ names, args }: Chain, dialect: TestDialect): number | null {
  if (dialect.asserts === null || names.length < 2 || !/^(?:t|tt|assert|test)$/.test(names[0] ?? "")) return null;
  const last = args.at(-1);
  return last !== null && last !== undefined && CONTEXT.test(names[1] ?? "") ? 1 : null;
}
const CONTEXT =
  /^(?:is|not|deepEqual|notDeepEqual|like|true|false|truthy|falsy|throws\w*|notThrows\w*|regex|notRegex|snapshot|pass|fail|ok|notOk|equals?|notEquals?|same|notSame|match|notMatch|strictEqual|deepEquals|rejects|Error|Errorf|Fatal|Fatalf|Fail|FailNow)$/;

/** `expect(value)` without a claim about it, or a matcher that is not called. */
function claimsNothing({ names, args }: Chain, at: number, node: SyntaxNode): boolean {
  if (names[at] !== "expect" || args[at] === null) return false;
  const after = names.slice(at + 1).filter((name) => name !== "not");
  if (after.length === 0) return true;
  return !isCall(node) && /^to[A-Z]\w+$/.test(after.at(-1) ?? "");
}

function statementAssertion(node: SyntaxNode): Claim | null {
  const condition = node.children.find(({ named, type }) => named && !type.includes("comment"));
  if (condition === undefined) return null;
  const { positive, operands, operator } = conditionOf(condition);
  const claim = operator === "" ? "true" : operator;
  const isTuple = condition.type === "tuple" && condition.children.some(({ named }) => named);
  const empty = isTuple || isEmpty({ claim, positive, lone: true, given: [condition], isOpen: true });
  return { ...textsOf(condition), claim, positive, operands, empty, line: node.line };
}

/** `x.should == 1` */
function shouldOperator(node: SyntaxNode): Claim | null {
  const [left, operator, right] = node.children;
  if (left === undefined || operator === undefined || right === undefined) return null;
  const names = chainOf(left)?.names ?? [];
  if (!/^should(?:_not)?$/.test(names.at(-1) ?? "")) return null;
  const operands = [plainText([left]).replace(/ \. should(?:_not)?$/, ""), plainText([right])];
  return {
    ...textsOf(node),
    claim: operator.text,
    positive: names.at(-1) === "should",
    operands,
    empty: false,
    line: node.line,
  };
}

/** `if (got !== 1) throw …`, `if got != 1 { t.Fatal(…) }`: a test by hand. */
function failingBranch(node: SyntaxNode, dialect: TestDialect): Claim | null {
  const condition = node.children.find(({ field }) => field === "condition");
  const body = node.children.find(({ field }) => field === "consequence" || field === "body");
  if (condition === undefined || body === undefined || !fails(body, dialect)) return null;
  const initial = node.children.find(({ field }) => field === "initializer");
  const { positive, operands, operator } = conditionOf(condition);
  const isNever = /^\(? ?(?:false|False|0) ?\)?(?: (?:&&|and)|$)/.test(plainText([condition]));
  const text = `if ${plainText(initial === undefined ? [] : [initial])} ${plainText([condition])}`;
  return {
    text,
    code: `if ${codeOf(condition)}`,
    claim: `fail if ${operator}`,
    positive,
    operands,
    empty: isNever,
    line: node.line,
  };
}

function fails(body: SyntaxNode, dialect: TestDialect): boolean {
  const inner = body.children.flatMap((child) => (child.type === "statement_list" ? child.children : [child]));
  return [body, ...inner].some((statement) => {
    const node = statement.type === "expression_statement" ? (statement.children[0] ?? statement) : statement;
    if (/^(?:throw_statement|raise_statement|throw_expression)$/.test(node.type)) return true;
    if (!isCall(node)) return false;
    const names = chainOf(node)?.names ?? [];
    return (
      testContext({ names, args: names.map(() => []), root: null }, dialect) !== null ||
      /^(?:panic|fail|flunk|raise|Fail)$/.test(names.at(-1) ?? "")
    );
  });
}

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

/** Takes a condition apart: negations, and the two sides of a comparison. */
function conditionOf(node: SyntaxNode): Condition {
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

/** Go's and AVA's context of a test, given along. */
function isFixture(node: SyntaxNode): boolean {
  return node.type === "identifier" && /^(?:t|tb)$/.test(node.text);
}

/** Whether an assertion holds whatever the code does. */
function isEmpty({
  claim,
  positive,
  lone,
  given,
  isOpen,
}: {
  claim: string;
  positive: boolean;
  lone: boolean;
  given: readonly SyntaxNode[];
  isOpen: boolean;
}): boolean {
  const [one, two] = given;
  if (one === undefined) return claim === "pass" && lone;
  const isTruth = /^(?:true|| ?)$/.test(claim);
  if (isTruth && isOpen) {
    const literal = truthOf(one);
    const twoSided = two !== undefined && !isText(two);
    if (literal !== null && !twoSided) return literal === positive;
    if (positive && isOrTrue(one)) return true;
  }
  if (!isOpen || two === undefined || !positive || !SAMENESS.test(claim.replace(/ ?(?:==|===)$/, "").trim())) {
    return (
      given.some((arg) => positive && isSelfCompared(arg)) && given.length <= 2 && (isTruth || /^={2,3}$/.test(claim))
    );
  }
  return isLiteral(one) && isLiteral(two)
    ? plainText([one]) === plainText([two])
    : isSimple(one) && plainText([one]) === plainText([two]);
}

function isText(node: SyntaxNode): boolean {
  return isLiteral(node) && /string|template/.test(node.type);
}

/** `assert 1 == 1`, `assert(x === x)` */
function isSelfCompared(node: SyntaxNode): boolean {
  const { operands, operator, positive } = conditionOf(node);
  return (
    /^={2,3}$/.test(operator) && positive && operands[0] === operands[1] && /^[\w.$"' -]+$/.test(operands[0] ?? "")
  );
}

function isSimple(node: SyntaxNode): boolean {
  return isLiteral(node) || /^[\w.$]+$/.test(node.text);
}

/** What a literal counts as; null for what is computed. */
function truthOf(node: SyntaxNode): boolean | null {
  const { text, type } = node;
  if (/^(?:true|True|1|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|0|null|None|nil|undefined|FALSE)$/.test(text)) return false;
  if (/^!\s*(?:0|false)$/.test(text)) return true;
  return isLiteral(node) && /string/.test(type) && unquotedLength(text) > 0 ? true : null;
}

function unquotedLength(text: string): number {
  return text.replaceAll(/["'`]/g, "").length;
}

function isOrTrue(node: SyntaxNode): boolean {
  return /(?:\|\||\bor\b) ?(?:true|True|1) ?\)?$|^\(? ?(?:true|True) ?(?:\|\||or\b)/.test(plainText([node]));
}

function textsOf(node: SyntaxNode): Pick<Claim, "text" | "code"> {
  return { text: plainText([node]), code: codeOf(node) };
}

function codeOf({ text }: SyntaxNode): string {
  return text.slice(0, LONGEST_CODE).replaceAll(/\s+/g, " ").trim();
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "");
}
