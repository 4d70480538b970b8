import { type SyntaxNode, syntaxTree } from "../outline/syntax-tree.ts";
import { plainText } from "./syntax.ts";
import { grammarOf } from "./dialects/dialects.ts";

/** The contents of a file that is loaded before tests. */
interface SetupCode {
  /** Statements that run when it is loaded, hooks of the runner, and fixtures that apply automatically. */
  acts: Map<string, string>;
  /** What tests may use: functions, fixtures, classes and constants, by name. */
  defines: Map<string, string>;
}

/** Names of a runner's hooks, and of what decides which tests exist. */
const HOOK = /^(?:pytest_\w+|load_tests|collect_ignore\w*|pytest_plugins|pytestmark|__test__)$/;
const REPLACES = /\b(?:mock|patch|stub|spy|monkeypatch|setattr|sys\.modules|defineProperty)\w*\b/i;
/** An import, or a condition around imports. */
const IMPORTS = /^(?:(?:if|elif|try|except|else)\b.*:|import\b.*|from\b.*|pass|#.*|[\w, ()]*)$/;

/**
 * Changes to code that runs before or around tests that the change itself leaves alone (R-WORK-12): added and removed
 * statements and hooks, and changed definitions. New fixtures, functions and imports alone do not count. `onlyHooks`:
 * for a file with other purposes, only hooks count. Returns the first line or the name of each.
 */
export async function setupChanges(
  path: string,
  {
    before,
    after,
    inherited = [],
    onlyHooks = false,
  }: {
    before: string | null;
    after: string | null;
    /** Texts of such files in parent folders, whose definitions a new one overrides. */
    inherited?: readonly string[];
    onlyHooks?: boolean;
  },
): Promise<string[]> {
  const [old, now] = [await setupCode(path, before ?? ""), await setupCode(path, after ?? "")];
  const acts = differing(old.acts, now.acts);
  if (onlyHooks) return acts.filter((act) => HOOK_LINE.test(act));
  const codes = await Promise.all(inherited.map(async (text) => await setupCode(path, text)));
  const above = new Set(codes.flatMap(({ defines }) => [...defines.keys()]));
  const changed = [...old.defines].filter(([name, text]) => now.defines.get(name) !== text).map(([name]) => name);
  const taken = [...now.defines.keys()].filter((name) => !old.defines.has(name) && above.has(name));
  return [...acts, ...changed, ...taken];
}

const HOOK_LINE = /^(?:async )?(?:def )?(?:pytest_\w+|load_tests|collect_ignore\w*)\b/;

function differing(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] {
  const gone = [...one].filter(([text]) => !other.has(text));
  const got = [...other].filter(([text]) => !one.has(text));
  return [...new Set([...got, ...gone].map(([, line]) => line))];
}

async function setupCode(path: string, text: string): Promise<SetupCode> {
  const code: SetupCode = { acts: new Map(), defines: new Map() };
  const grammar = grammarOf(path);
  const root = grammar === null || text.trim() === "" ? null : await syntaxTree(grammar, text);
  const act = (node: Pick<SyntaxNode, "text">, plain: string) => {
    const [line = ""] = node.text.split("\n");
    if (plain !== "") code.acts.set(plain, line.trim());
  };
  if (root === null || (grammar !== "python" && grammar !== "tsx" && grammar !== "typescript")) {
    for (const line of text.split("\n")) if (!/^\s*(?:#|\/\/|\*|\/\*|$)/.test(line)) act({ text: line }, line.trim());
    return code;
  }
  for (const node of root.children) {
    const name = definedBy(node);
    if (name === null) act(node, plainText([node]));
    else if (name !== "") code.defines.set(name, plainText([node]));
  }
  return code;
}

/** The name that a top-level statement defines; empty if it does not matter; null if the statement acts. */
function definedBy(node: SyntaxNode): string | null {
  const { type, text } = node;
  const inner = node.children.find(({ named }) => named);
  if (type.includes("comment") || type === ";") return "";
  if (/^(?:import_statement|import_from_statement|future_import_statement)$/.test(type))
    return /^import\s*["']/.test(text) ? null : "";
  if (type === "export_statement" || type === "decorated_definition") {
    if (/autouse\s*=\s*True|hookimpl|usefixtures/.test(text.split(/\bdef\b/)[0] ?? "")) return null;
    const declared = node.children.findLast(({ named }) => named);
    return declared === undefined ? "" : (definedBy(declared) ?? null);
  }
  const named = node.children.find(({ field }) => field === "name")?.text;
  if (named !== undefined && /(?:function|class)_(?:definition|declaration)|_declaration$/.test(type))
    return HOOK.test(named) ? null : named;
  if (/^(?:lexical|variable)_declaration$/.test(type))
    return REPLACES.test(text) || /\bawait\b/.test(text) ? null : (/^\w+\s+([\w$]+|[{[][^=]*)/.exec(text)?.[1] ?? text);
  if (type === "expression_statement" && inner?.type === "assignment") {
    const left = inner.children[0];
    return left?.type === "identifier" && !HOOK.test(left.text) && !REPLACES.test(text) ? left.text : null;
  }
  if (type === "expression_statement" && inner?.type === "string") return "";
  if (/^(?:if|try)_statement$/.test(type) && text.split("\n").every((line) => IMPORTS.test(line.trim()))) return "";
  return /^(?:pass_statement|object|arrow_function|identifier|array|string)$/.test(type) ? type : null;
}
