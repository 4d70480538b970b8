import { escapeRegExp } from "../../lib/text.ts";
import type { CodeSymbol, ResolvedImport } from "../code-index.ts";
import type { Corpus } from "../index/corpus.ts";
import type { OpenIndex } from "../index/explorer.ts";
import { type Term, definitionTermOf, termsOf } from "../index/terms.ts";

/** Text of the file at a position; `null` if it cannot be read. */
export type ReadText = (position: number) => Promise<string | null>;

/** A line of a file, by position. */
export interface LineAt {
  position: number;
  line: number | null;
  certainty: number;
  /** `handles` by default. `named`: the line itself is written in the issue. `beside`: what is looked for is not there yet, but others of its kind are. */
  how?: "named" | "handles" | "uses" | "beside";
  /** Lines of the file that may be meant instead. */
  others?: readonly number[];
}

/** Files read for a literal; where more have its words, it tells nothing. */
const MOST_READ = 24;
const LONGEST_LINE = 400;
const COMMANDS = /(?:^|[/_.-])(?:cli|cmds?|(?:sub)?commands?|main|bin)(?=[/_.-])/i;
/** How a line of a comment begins. */
export const IS_COMMENT = /^(?:\/\/|\/\*|\*|#(?![\w[])|--\s|"""|<!--)/;

/** A line that only closes what others opened, such as `});` or `end`. */
const CLOSES = /^[\s)\]}>;,]*(?:end|fi|done|esac)?[\s)\]};,.]*$/;

/** Whether a line of code does something: no comment, no brace by itself. */
export function tellsPlace(line: string): boolean {
  return !IS_COMMENT.test(line.trim()) && !CLOSES.test(line);
}

/** What a look for literals needs; texts are read once. */
export class Look {
  readonly corpus: Corpus;
  readonly #index: Pick<OpenIndex, "corpus" | "outline" | "imports">;
  readonly #read: ReadText;
  readonly #texts = new Map<number, string[] | null>();
  readonly #holders = new Map<Term, readonly number[]>();

  constructor(index: Pick<OpenIndex, "corpus" | "outline" | "imports">, read: ReadText) {
    this.corpus = index.corpus;
    this.#index = index;
    this.#read = read;
  }

  /** Looks for the words of several texts at once, as each look takes as long as one for all. */
  searchAll(texts: readonly string[]): void {
    this.#search(texts.flatMap((text) => [...termsOf(text)]));
  }

  #search(wanted: readonly Term[]): void {
    const terms = [...new Set(wanted)].filter((term) => !this.#holders.has(term));
    if (terms.length === 0) return;
    for (const [at, { files }] of this.corpus.search(terms).entries()) this.#holders.set(terms[at] ?? 0, files);
  }

  /** The source files that seem to define each name, in the order of the names. */
  defining(names: readonly string[]): number[][] {
    const terms = names.map(definitionTermOf);
    this.#search(terms);
    return terms.map((term) => this.#sourcesAmong(this.#holders.get(term) ?? []));
  }

  pathOf(position: number): string {
    return this.corpus.files[position]?.path ?? "";
  }

  async outline(position: number): Promise<CodeSymbol[]> {
    return await this.#index.outline(this.pathOf(position));
  }

  async imports(position: number): Promise<ResolvedImport[]> {
    return await this.#index.imports(this.pathOf(position));
  }

  /** The files that a file imports. */
  async imported(position: number): Promise<Set<number>> {
    const imports = await this.imports(position);
    return new Set(imports.flatMap(({ files }) => files.flatMap((path) => this.corpus.position(path) ?? [])));
  }

  async lines(position: number): Promise<string[]> {
    if (!this.#texts.has(position)) this.#texts.set(position, (await this.#read(position))?.split("\n") ?? null);
    return this.#texts.get(position) ?? [];
  }

  /** Whether a folder or file of the repository bears the name, as those of programs do. */
  isProgram(name: string): boolean {
    const pattern = new RegExp(String.raw`(?:^|/)${escapeRegExp(name)}(?:/|\.\w+$)`, "i");
    return this.corpus.files.some(({ path }) => pattern.test(path));
  }

  /** Whether a file is where a program reads its commands, by its path. */
  hasCommands(position: number): boolean {
    return COMMANDS.test(this.corpus.files[position]?.path ?? "");
  }

  /** Source files that are named for a command, in a folder of commands. */
  namedFor(word: string): LineAt[] {
    const pattern = new RegExp(
      String.raw`(?:^|/)(?:(?:sub)?commands?|cmds?|cli|bin)/(?:[^/]+/)?(?:(?:cmd|command)[-_.]?)?${escapeRegExp(word)}(?:[-_.]?(?:cmd|command))?(?:\.\w+|/(?:main|index|mod|cmd)\.\w+)$`,
      "i",
    );
    return this.#sources().flatMap(({ position, path }) =>
      pattern.test(path) ? [{ position, line: null, certainty: 1 }] : [],
    );
  }

  /** The first pattern that any source file matches outside comments, with its first line in each file. */
  async first(text: string, patterns: readonly RegExp[], certainty = 1): Promise<LineAt[]> {
    const positions = this.holding(text);
    for (const pattern of patterns) {
      const found: LineAt[] = [];
      for (const position of positions) {
        const line = (await this.lines(position)).findIndex((one) => isCode(one) && pattern.test(one));
        if (line !== -1) found.push({ position, line: line + 1, certainty });
      }
      if (found.length > 0) return found;
    }
    return [];
  }

  /** Source files that have all words of a text; none if these are too many to read. */
  holding(text: string): number[] {
    const holding = this.sourcesWith(text);
    return holding.length > MOST_READ ? [] : holding;
  }

  sourcesWith(text: string): number[] {
    this.searchAll([text]);
    const holding = intersection([...termsOf(text)].map((term) => this.#holders.get(term) ?? []));
    return this.#sourcesAmong(holding);
  }

  #sourcesAmong(positions: readonly number[]): number[] {
    return positions.filter((position) => this.corpus.files[position]?.role === "source");
  }

  #sources(): { position: number; path: string }[] {
    return this.corpus.files.flatMap(({ role, path }, position) => (role === "source" ? [{ position, path }] : []));
  }
}

/** Where several places are as good, each of them is less certain. */
export function shared(places: readonly LineAt[]): LineAt[] {
  return places.map((place) => ({ ...place, certainty: place.certainty / places.length }));
}

const IMPORT =
  /^(?:import\b|from\s+\S+\s+import\b|(?:pub(?:\([a-z]+\))?\s+)?use\s|using\s|package\s|#include|(?:const|let|var)\s.{0,200}=\s*require\(|export\s.{0,200}\sfrom\s|require(?:_relative)?\s)/;

export function isImportLine(line: string): boolean {
  return IMPORT.test(line.trim());
}

export function isCode(line: string): boolean {
  return line.length <= LONGEST_LINE && !IS_COMMENT.test(line.trim());
}

/** A string that is the pattern as a whole. */
export function quoted(pattern: string, flags = ""): RegExp {
  return new RegExp(String.raw`(["'\x60])${pattern}\1`, flags);
}

/** A segment of a route that stands for any: it has digits or a mark of a parameter. */
export const PARAMETER = /[\d:{}<>*]/;

/** The segments of a route that stand in the code as they are. */
export function wordsOfRoute(path: string): string {
  const segments = path.split("/").filter((segment) => !PARAMETER.test(segment));
  return segments.join(" ").trim();
}

/** The positions that all lists share. */
export function intersection(lists: readonly (readonly number[])[]): number[] {
  const [first, ...others] = lists.toSorted((a, b) => a.length - b.length);
  const sets = others.map((list) => new Set(list));
  return (first ?? []).filter((position) => sets.every((set) => set.has(position)));
}
