import { classify } from "../../code/classify.ts";
import type { CodeSymbol } from "../../code/code-index.ts";
import { outlineOf } from "../../code/outline/outline.ts";
import type { ChangedFile } from "../../domain/work.ts";

/** Functions, classes and the like that a change adds, changes and removes in one file, by name. */
export interface ChangedSymbols {
  path: string;
  added: string[];
  changed: string[];
  removed: string[];
}

/** How many files are read. */
const MOST_FILES = 60;

/** Reads a file of a commit as text; null if it does not exist or is not text. */
export type ReadFile = (path: string, at: "base" | "head") => Promise<string | null>;

/** What a change does to the symbols of the source files; files without a change to one are left out. */
export async function changedSymbols(changes: readonly ChangedFile[], read: ReadFile): Promise<ChangedSymbols[]> {
  const found: ChangedSymbols[] = [];
  for (const { path } of changes.filter(isSource).slice(0, MOST_FILES)) {
    const [before, after] = [
      await ownTexts(path, await read(path, "base")),
      await ownTexts(path, await read(path, "head")),
    ];
    const symbols = {
      path,
      added: names(after, (name) => !before.has(name)),
      changed: names(after, (name, text) => before.has(name) && before.get(name) !== text),
      removed: names(before, (name) => !after.has(name)),
    };
    if (symbols.added.length + symbols.changed.length + symbols.removed.length > 0) found.push(symbols);
  }
  return found;
}

function names(of: ReadonlyMap<string, string>, is: (name: string, text: string) => boolean): string[] {
  return [...of].flatMap(([name, text]) => (is(name, text) ? [name] : []));
}

function isSource({ path }: ChangedFile): boolean {
  return classify(path).role === "source";
}

/** The text of each symbol without its nested symbols, so that a changed method does not mark its class as changed. */
async function ownTexts(path: string, text: string | null): Promise<Map<string, string>> {
  if (text === null) return new Map();
  const symbols = await outlineOf(path, classify(path).language, text);
  const owners = ownerOfLines(symbols);
  const texts = new Map<string, string>();
  for (const one of symbols) texts.set(nameOf(one), texts.get(nameOf(one)) ?? "");
  for (const [at, line] of text.split("\n").entries()) {
    const owner = owners.get(at + 1);
    if (owner !== undefined) texts.set(nameOf(owner), `${texts.get(nameOf(owner)) ?? ""}${line.trim()}\n`);
  }
  return texts;
}

/** Outer symbols come first, so the innermost one of a line is the last. */
function ownerOfLines(symbols: readonly CodeSymbol[]): Map<number, CodeSymbol> {
  const owners = new Map<number, CodeSymbol>();
  let lines = 0;
  for (const one of symbols) {
    lines += one.end - one.start + 1;
    if (lines > MOST_LINES) break;
    for (let line = one.start; line <= one.end; line += 1) owners.set(line, one);
  }
  return owners;
}

/** Bounds the work: with deep nesting, a line counts many times. */
const MOST_LINES = 500_000;

function nameOf({ name, container }: CodeSymbol): string {
  return container === null ? name : `${container}.${name}`;
}
