import type { SyntaxNode } from "../outline/syntax-tree.ts";
import { conditionOf, isOrTrue, isSelfCompared, truthOf } from "./conditions.ts";
import type { Assertion, TestDialect } from "./test-file.ts";
import { type Chain, chainOf, isCall, isLiteral, plainText } from "./syntax.ts";

/** In characters. */
const LONGEST_CODE = 300;

type Claim = Omit<Assertion, "swallowed">;

const ASSERTS =
  /^(?:assert(?!ion)|expect(?!ed|ation)|should(?![A-Z]?Component)|verify|refute|must_|wont_|fail$|prop_assert|debug_assert)/i;
const NEGATIONS = new Set("not no never false falsy refute wont isnt doesnt undefined".split(" "));
/** Words that count as the first word of their line; those of the last line count as nothing. */
const SAME = new Map(
  [
    "true ok truthy falsy false",
    "null nil none",
    "defined undefined",
    "equal equals",
    "match matches",
    "contain contains",
    "include includes",
    " assert expect require should refute must wont is isnt does doesnt to be been that and have a an strict",
  ].flatMap((line) => {
    const [first = "", ...others] = line.split(" ");
    return others.map((word) => [word, first] as const);
  }),
);
const SAMENESS = /^(?:equal|deep equal|same|eq|eql|match|deep|deep same|same as|equal to|exact|identical)?$/;
/** Names before an assertion that are not what it is about. */
const NOISE = new Set("t tb self this static a require Assertions Assert chai unittest".split(" "));

/** The assertion that a node as a whole is; null for anything else. */
export function assertionAt(node: SyntaxNode, dialect: TestDialect): Claim | null {
  if (node.type === "assert_statement") return statementAssertion(node);
  if (/^(?:if_statement|if_expression|if|if_modifier|unless|unless_modifier)$/.test(node.type))
    return failingBranch(node);
  if (node.type === "binary" || node.type === "binary_expression") return shouldOperator(node);
  const chain = isCall(node) || /^(?:member_expression|attribute)$/.test(node.type) ? chainOf(node) : null;
  return chain === null ? null : chainAssertion(node, chain, dialect);
}

function chainAssertion(node: SyntaxNode, chain: Chain, dialect: TestDialect): Claim | null {
  if (dialect.asserts === null && node.type !== "macro_invocation") return null;
  const at = chain.names.findIndex((name) => ASSERTS.test(name) || dialect.asserts?.test(name) === true);
  const claims = at === -1 ? testContext(chain, dialect) : at;
  const isCalled = chain.args.some((args, index) => index <= (claims ?? 0) + 3 && args !== null);
  if (claims === null || (!isCalled && (claims === 0 || !chain.names.includes("should")))) return null;
  const args = chain.args.flatMap((some) => some ?? []);
  const matchers = args.map((arg) => matcherOf(arg));
  const words = [...chain.names.slice(claims), ...matchers.map((matcher) => matcher?.names[0] ?? "")].flatMap(wordsOf);
  let positive = words.filter((word) => NEGATIONS.has(word)).length % 2 === 0;
  const subject = chain.names
    .slice(0, claims)
    .filter((name) => !NOISE.has(name))
    .join(".");
  const given = args.flatMap((arg, index) => matchers[index]?.args[0] ?? [arg]);
  const conditions = given.filter((arg) => !isFixture(arg)).map((arg) => conditionOf(arg));
  for (const one of conditions) positive = positive === one.positive;
  const operands = [
    ...(chain.root === null ? [] : [plainText([chain.root])]),
    ...(subject === "" ? [] : [subject]),
    ...conditions.flatMap((one) => one.operands),
  ];
  const claim = [
    ...words.map((word) => SAME.get(word) ?? (NEGATIONS.has(word) ? "" : word)),
    ...conditions.map(({ operator }) => operator),
  ]
    .filter((word) => word !== "")
    .join(" ");
  const lone = chain.names.length - claims === 1;
  const empty =
    claimsNothing(chain, claims, node) ||
    isEmpty({ claim, positive, lone, given: given.filter((arg) => !isFixture(arg)), isOpen: subject === "" });
  // A failing call's message is only for people: `t.Errorf("got %d", got)`.
  if (FAILS.test(chain.names.at(-1) ?? "")) {
    const name = chain.names.join(" . ");
    return { text: name, code: codeOf(node), claim, positive, operands: [name], empty, line: node.line };
  }
  return { ...textsOf(node), claim, positive, operands, empty, line: node.line };
}

/** The matcher `eq(3)` in `expect(total).to eq(3)`, `equalTo(3)` of Hamcrest, `Equal(3)` of Gomega. */
function matcherOf(node: SyntaxNode): Chain | null {
  if (!isCall(node)) return null;
  const chain = chainOf(node);
  return chain !== null && chain.names.length === 1 && MATCHER.test(chain.names[0] ?? "") ? chain : null;
}
const MATCHER =
  /^(?:be|eq|eql|equal|equalTo|is|isA|not|match|include|contain_exactly|Equal|BeTrue|BeFalse|BeNil|HaveLen|Not)$/;

/** Assertions such as `t.is(…)`, whose first name is the usual one for a test's context. */
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

/** `if (got !== 1) throw …`, `if got != 1 { t.Fatal(…) }`: a hand-written assertion. */
function failingBranch(node: SyntaxNode): Claim | null {
  const condition = node.children.find(({ field }) => field === "condition");
  const body = node.children.find(({ field }) => field === "consequence" || field === "body");
  if (condition === undefined || body === undefined || !fails(body)) return null;
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

function fails(body: SyntaxNode): boolean {
  const inner = body.children.flatMap((child) => (child.type === "statement_list" ? child.children : [child]));
  return [body, ...inner].some((statement) => {
    const node = statement.type === "expression_statement" ? (statement.children[0] ?? statement) : statement;
    if (/^(?:throw_statement|raise_statement|throw_expression)$/.test(node.type)) return true;
    if (!isCall(node)) return false;
    return FAILS.test(chainOf(node)?.names.at(-1) ?? "");
  });
}

const FAILS = /^(?:panic|fail|flunk|raise|Fail|FailNow|Error|Errorf|Fatal|Fatalf)$/;

/** The test's context of Go and AVA, passed as an argument. */
function isFixture(node: SyntaxNode): boolean {
  return node.type === "identifier" && /^(?:t|tb)$/.test(node.text);
}

/** Whether an assertion always holds, whatever the code does. */
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
  if (positive && isOpen && NO_BOUND.test(plainText([one]))) return true;
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

/** True for every length. */
const NO_BOUND =
  /\b(?:length|size|count|Count)(?: \( \))? >= 0$|^len \( .+ \) >= 0$|^0 <= (?:len \(|.* \. (?:length|size|count)\b)/s;

function isText(node: SyntaxNode): boolean {
  return isLiteral(node) && /string|template/.test(node.type);
}

function isSimple(node: SyntaxNode): boolean {
  return isLiteral(node) || /^[\w.$]+$/.test(node.text);
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
