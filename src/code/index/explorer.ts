import type { CodeIndex, CodeSymbol, ResolvedImport } from "../code-index.ts";
import type { Repository } from "../git/repository.ts";
import { Contents } from "./blob-cache.ts";
import type { Corpus } from "./corpus.ts";
import { Indexer } from "./indexer.ts";
import { KeptReadings } from "./parse-cache.ts";
import type { Term } from "./terms.ts";
import { definitionTermOf, termsOf } from "./terms.ts";
import type { TreeFile } from "./tree-file.ts";
import { isImportManifest } from "../imports/manifests.ts";
import { ImportResolver } from "../imports/resolver.ts";
import { baseName } from "./path-index.ts";

const MANIFESTS_READ = 2_000;
const LARGEST_MANIFEST = 256 * 1024;
/** Files whose imports are read to see whether they import a given one. */
const IMPORTERS_READ = 2_000;
/** An import names the folder of such a file, not the file. */
const FOLDER_IS_NAMED = /^(?:index|mod|lib|main|__init__|init|package)$/i;

/** Who imports whom in one commit, found out when it is asked for (R-EXP-1). */
class ImportGraph {
  readonly #corpus: Corpus;
  readonly #readings: KeptReadings;
  readonly #contents: Contents;
  #resolver: Promise<ImportResolver> | undefined;

  constructor(corpus: Corpus, readings: KeptReadings, contents: Contents) {
    this.#corpus = corpus;
    this.#readings = readings;
    this.#contents = contents;
  }

  async imports(file: TreeFile): Promise<ResolvedImport[]> {
    const sites = await this.#readings.imports(file);
    if (sites.length === 0) return [];
    const resolver = await (this.#resolver ??= this.#openResolver());
    return sites.map((site) => ({ ...site, files: resolver.resolve(file.path, file.language, site.specifier) }));
  }

  /** Files that import the file: only those whose text names it, or its folder, can. */
  async importers(file: TreeFile): Promise<string[]> {
    const candidates = new Set<number>();
    for (const name of namesOf(file.path)) {
      // Any term of the name will do; the whole of it is the rarest.
      const term = [...termsOf(name)].at(-1);
      if (term === undefined) continue;
      for (const position of this.#corpus.search([term])[0]?.files ?? []) candidates.add(position);
    }
    const importers: string[] = [];
    for (const position of [...candidates].toSorted((a, b) => a - b).slice(0, IMPORTERS_READ)) {
      const other = this.#corpus.files[position];
      if (!other || other === file) continue;
      const imports = await this.imports(other);
      if (imports.some(({ files }) => files.includes(file.path))) importers.push(other.path);
    }
    return importers;
  }

  async #openResolver(): Promise<ImportResolver> {
    const manifests = new Map<string, string>();
    const files = this.#corpus.files.filter((file) => file.place !== null && isImportManifest(file.path));
    for (const file of files.slice(0, MANIFESTS_READ)) {
      if ((file.bytes ?? 0) > LARGEST_MANIFEST) continue;
      const content = await this.#contents.read(file.objectName);
      if (content !== null) manifests.set(file.path, content.toString("utf8"));
    }
    const paths = this.#corpus.files.filter((file) => file.place !== null).map((file) => file.path);
    return new ImportResolver(paths, { manifests });
  }
}

function namesOf(path: string): string[] {
  const name = baseName(path).replace(/\..*$/, "");
  const folder = path.split("/").at(-2) ?? "";
  return FOLDER_IS_NAMED.test(name) ? [name, folder] : [name];
}

/** The index of one commit, open for questions. */
export class OpenIndex implements CodeIndex {
  readonly repository: Repository;
  readonly corpus: Corpus;
  readonly #contents: Contents;
  readonly #readings: KeptReadings;
  readonly #graph: ImportGraph;

  constructor(repository: Repository, corpus: Corpus, contents: Contents, readings: KeptReadings) {
    this.repository = repository;
    this.corpus = corpus;
    this.#contents = contents;
    this.#readings = readings;
    this.#graph = new ImportGraph(corpus, readings, contents);
  }

  get files(): readonly TreeFile[] {
    return this.corpus.files;
  }

  file(path: string): TreeFile | undefined {
    return this.corpus.file(path);
  }

  /** The bytes of the indexed text at a position; `null` where there are none. */
  async content(position: number): Promise<Buffer | null> {
    const file = this.corpus.files[position];
    return file?.place ? await this.#contents.read(file.objectName) : null;
  }

  filesWith(word: string): string[] {
    // The whole of an identifier comes last, and stands for all its parts. Very short and very long words are no terms.
    const terms = [...termsOf(word)].slice(-1);
    if (terms.length === 0) return this.files.filter((file) => file.place !== null).map((file) => file.path);
    return this.#holding(terms);
  }

  filesDefining(name: string): string[] {
    return this.#holding([definitionTermOf(name)]);
  }

  async outline(path: string): Promise<CodeSymbol[]> {
    const file = this.corpus.file(path);
    return file ? await this.#readings.outline(file) : [];
  }

  async imports(path: string): Promise<ResolvedImport[]> {
    const file = this.corpus.file(path);
    return file ? await this.#graph.imports(file) : [];
  }

  async importers(path: string): Promise<string[]> {
    const file = this.corpus.file(path);
    return file ? await this.#graph.importers(file) : [];
  }

  #holding(terms: readonly Term[]): string[] {
    const [hits] = this.corpus.search(terms);
    return (hits?.files ?? []).flatMap((position) => this.corpus.files[position]?.path ?? []);
  }
}

/** The code of one repository, commit after commit; what one taught, the next need not read again (R-EXP-1). */
export class Explorer {
  readonly #indexer: Indexer;
  readonly #contents: Contents;
  readonly #readings: KeptReadings;

  private constructor(indexer: Indexer, contents: Contents) {
    this.#indexer = indexer;
    this.#contents = contents;
    this.#readings = new KeptReadings(() => indexer.store, contents);
  }

  /** Below `home` the index is kept for the next time; with `null`, it lives in memory. */
  static async open(gitDirectory: string, home: string | null): Promise<Explorer> {
    const contents = new Contents(gitDirectory);
    return new Explorer(await Indexer.open(gitDirectory, contents, home), contents);
  }

  /** Why something could not be kept for the next time, if so. */
  get unkept(): string | null {
    return this.#indexer.unkept;
  }

  /** The index of the commit that the repository was opened at. */
  async at(repository: Repository): Promise<OpenIndex> {
    const corpus = await this.#indexer.at(repository.commit);
    return new OpenIndex(repository, corpus, this.#contents, this.#readings);
  }

  /** Ends what it runs; its indexes answer no more. */
  close(): void {
    this.#indexer.close();
    this.#contents.close();
  }
}
