import type { SyntaxNode } from "../outline/syntax-tree.ts";

/** A chain of calls and member accesses, such as `expect(a).not.toBe(1)`, in one form for all grammars. */
export interface Chain {
  /** `expect`, `not`, `toBe`. */
  names: readonly string[];
  /** For each name, the arguments of its call; null if it is not called. */
  args: readonly (readonly SyntaxNode[] | null)[];
  /** Its first node, if that is no name. */
  root: SyntaxNode | null;
}

const NAMES = words(
  "identifier property_identifier private_property_identifier field_identifier type_identifier this self constant name variable_name relative_scope qualified_name generic_name simple_identifier",
);
const CALLS = words(
  "call_expression call method_invocation function_call_expression member_call_expression nullsafe_member_call_expression scoped_call_expression invocation_expression macro_invocation",
);
const LINKS = words(
  "member_expression attribute selector_expression field_expression scoped_identifier field_access scope_resolution member_access_expression generic_function class_constant_access_expression",
);
const WRAPPERS = words(
  "await_expression await parenthesized_expression non_null_expression try_expression expression_statement as_expression satisfies_expression void_expression",
);
const INNER = new Set(["object", "operand", "value", "receiver", "scope", "path", "expression", "function", "macro"]);
const LAST = new Set(["property", "attribute", "field", "name", "method"]);
const ARGUMENTS = new Set(["arguments", "argument_list", "token_tree", "template_string"]);

function words(all: string): ReadonlySet<string> {
  return new Set(all.split(" "));
}

/** The chain that a node is; null for anything else. */
export function chainOf(node: SyntaxNode): Chain | null {
  const links: { name: string; args: readonly SyntaxNode[] | null }[] = [];
  let pending: readonly SyntaxNode[] | null = null;
  let root: SyntaxNode | null = null;
  for (let at: SyntaxNode | undefined = node; at !== undefined;) {
    if (NAMES.has(at.type)) {
      links.push({ name: at.text.replace(/^\$/, ""), args: pending });
      pending = null;
      break;
    }
    const calls = CALLS.has(at.type);
    if (!calls && !LINKS.has(at.type)) {
      const inner: SyntaxNode | undefined = WRAPPERS.has(at.type) ? at.children.find(({ named }) => named) : undefined;
      if (inner === undefined) {
        if (at === node) return null;
        root = at;
      }
      at = inner;
      continue;
    }
    const last = at.children.find(({ field }) => LAST.has(field ?? ""));
    const given = calls ? argumentsOf(at) : null;
    if (last !== undefined) {
      links.push({ name: last.text, args: given ?? pending });
      pending = null;
    } else if (given !== null) {
      // The call of a call's result: `test.each(rows)("name", …)`.
      if (pending !== null) links.push({ name: "", args: pending });
      pending = given;
    }
    at = at.children.find(({ field }) => INNER.has(field ?? ""));
  }
  if (pending !== null) links.push({ name: "", args: pending });
  links.reverse();
  // `require("node:assert").equal(…)`
  const [first] = links;
  if (first?.name === "require" && /^["'][\w:@/.-]*(?:assert|chai)[\w/.-]*["']$/.test(first.args?.[0]?.text ?? "")) {
    links.splice(0, 1, { name: "assert", args: null });
  }
  return { names: links.map(({ name }) => name), args: links.map(({ args }) => args), root };
}

export function isCall(node: SyntaxNode): boolean {
  return CALLS.has(node.type);
}

function argumentsOf(call: SyntaxNode): SyntaxNode[] {
  const list = call.children.find(({ type, field }) => ARGUMENTS.has(type) && field !== "function");
  if (list === undefined) return [];
  if (list.type === "template_string") return [list];
  if (list.type === "token_tree") return tokenArguments(list);
  return list.children.filter(({ named, type }) => named && !type.includes("comment")).map(unwrapped);
}

/** C# and PHP wrap each argument in a node. */
function unwrapped(node: SyntaxNode): SyntaxNode {
  const [only, ...rest] = node.children.filter(({ named }) => named);
  return node.type === "argument" && only !== undefined && rest.length === 0 ? only : node;
}

/** The arguments of a macro, which Rust's grammar leaves unparsed. */
function tokenArguments(list: SyntaxNode): SyntaxNode[] {
  const groups: SyntaxNode[][] = [[]];
  for (const token of list.children.slice(1, -1)) {
    if (token.text === ",") groups.push([]);
    else groups.at(-1)?.push(token);
  }
  return groups
    .filter((group) => group.length > 0)
    .map((group) => ({
      type: group.length === 1 ? (group[0]?.type ?? "") : "tokens",
      field: null,
      named: true,
      text: group.map(({ text }) => text).join(" "),
      line: group[0]?.line ?? 0,
      children: group.length === 1 ? (group[0]?.children ?? []) : group,
    }));
}

/** Nodes whose text is a single token, whatever their children. */
const WHOLE =
  /(?:^|_)(?:string|char|character|rune|regex|heredoc|template)(?:$|_)(?!fragment|content)|^(?:string_literal|docstring)$/;

/** The text of a node without comments, white space and redundant punctuation: `;`, a comma before a bracket. */
export function plainText(nodes: readonly SyntaxNode[]): string {
  const tokens: string[] = [];
  for (const node of nodes) collect(node, tokens);
  return tokens
    .filter((token, at) => token !== ";" && !(token === "," && /^[)\]}]$/.test(tokens[at + 1] ?? "")))
    .join(" ");
}

function collect(node: SyntaxNode, tokens: string[]): void {
  if (node.type.includes("comment")) return;
  if (node.children.length === 0 || (isString(node) && !hasCode(node))) {
    const text = node.text.trim();
    if (text !== "") tokens.push(isString(node) ? sameQuotes(text) : text);
    return;
  }
  for (const child of node.children) collect(child, tokens);
}

function isString(node: SyntaxNode): boolean {
  return WHOLE.test(node.type);
}

function hasCode(node: SyntaxNode): boolean {
  return node.children.some(({ type }) => type.includes("substitution") || type.includes("interpolation"));
}

function sameQuotes(text: string): string {
  return text.replace(/^([a-z]{0,2})'([^"'\\]*)'$/is, '$1"$2"').replace(/^`([^`"\\$\n]*)`$/, '"$1"');
}

const LITERAL =
  /^(?:true|false|null|nil|none|undefined|None|True|False|(?:\w+_)?(?:integer|float|number|int|boolean|bool|null|nil|string|char|character|decimal|real|rune)(?:_\w+)?|number|integer|float|string|boolean|template_string|regex|simple_symbol|char_literal)$/i;

/** Whether it is a literal: a number, a text, `true`, `null`. */
export function isLiteral(node: SyntaxNode): boolean {
  if (node.type === "unary_expression" || node.type === "unary_operator") {
    return node.children.filter(({ named }) => named).every((child) => isLiteral(child));
  }
  return LITERAL.test(node.type) && !hasCode(node) && !/type|content|fragment/.test(node.type);
}

/** The contents of a string literal; for anything else, its code. */
export function unquoted(node: SyntaxNode): string {
  const text = node.text.trim();
  return /^(?:[a-z]{0,2})(["'`])([^]*)\1$/.exec(text)?.[2] ?? text;
}
