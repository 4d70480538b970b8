import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import type { Language, Parser, Tree } from "web-tree-sitter";
import type { GrammarName } from "../languages/language.ts";

/** UTF-16 units; longer texts are not parsed. */
const LONGEST_PARSED = 1_048_576;
/** UTF-16 units of a line; longer ones are generated. */
const LONGEST_LINE = 10_000;

interface Loaded {
  language: Language;
  parser: Parser;
}

const loaded = new Map<GrammarName, Promise<Loaded>>();

/** The grammar with its parser, loaded once for each process and kept. */
export async function loadedGrammar(name: GrammarName): Promise<Loaded> {
  let grammar = loaded.get(name);
  if (!grammar) {
    grammar = load(name);
    loaded.set(name, grammar);
  }
  return await grammar;
}

/** V8's optimizing compiler takes up to 700 MB and a second for the lexer of one grammar, and hardly speeds it up. */
const UNOPTIMIZED = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"];

async function load(name: GrammarName): Promise<Loaded> {
  for (const flag of UNOPTIMIZED) setFlagsFromString(flag);
  const sitter = await import("web-tree-sitter");
  await sitter.Parser.init();
  const file = import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`);
  const language = await sitter.Language.load(fileURLToPath(file));
  const parser = new sitter.Parser();
  parser.setLanguage(language);
  return { language, parser };
}

/** The tree of a text, to be deleted after use; `null` once `late` says so. */
export function parsed(parser: Parser, text: string, late: () => boolean): Tree | null {
  // The parser ends at a NUL.
  const tree = parser.parse(text.replaceAll("\0", " "), null, { progressCallback: late });
  if (!tree) parser.reset();
  return tree;
}

/** Whether a text is short enough, with lines as people write them. */
export function isParsable(text: string): boolean {
  if (text.length > LONGEST_PARSED) return false;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
    if (end - start > LONGEST_LINE) return false;
    start = end + 1;
  }
  return text.length - start <= LONGEST_LINE;
}

/** Whether a grammar gave up on a text; a crash is confined to the WebAssembly module. */
export function isGrammarCrash(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === "RuntimeError");
}

/** Returns `true` once the time is over. */
export function deadline(milliseconds: number): () => boolean {
  const end = performance.now() + milliseconds;
  return () => performance.now() > end;
}
