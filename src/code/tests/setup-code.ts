import { type SyntaxNode, syntaxTree } from "../outline/syntax-tree.ts";
import { plainText } from "./syntax.ts";
import { grammarOf } from "./dialects/dialects.ts";

/** What a file that is loaded before tests does to them. */
interface SetupCode {
  /** Statements that act when it is loaded, hooks of the runner, and fixtures that are used by themselves. */
  acts: Map<string, string>;
  /** What others may use: functions, fixtures, classes, constants by their names. */
  defines: Map<string, string>;
}

/** Names of a runner's hooks, and of what decides which tests there are. */
const HOOK = /^(?:pytest_\w+|load_tests|collect_ignore\w*|pytest_plugins|pytestmark|__test__)$/;
const REPLACES = /\b(?:mock|patch|stub|spy|monkeypatch|setattr|sys\.modules|defineProperty)\w*\b/i;
/** A line of imports, and of the conditions around them. */
const IMPORTS = /^(?:(?:if|elif|try|except|else)\b.*:|import\b.*|from\b.*|pass|#.*|[\w, ()]*)$/;

/**
 * What a change does to code that runs before or around tests which it does not change (R-WORK-12): statements and hooks that
 * are new or gone, definitions that are others now. New fixtures, functions and imports alone are nothing. `onlyHooks`: of a
 * file that runs for other reasons, only hooks count. Each is told by its first line.
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
    /** Texts of files of that kind in the folders above: a definition takes the place of theirs. */
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

/** The name that a statement of a file defines; empty for none that matters; null for one that acts. */
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
