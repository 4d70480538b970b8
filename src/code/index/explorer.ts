import type { CodeIndex, CodeSymbol, ResolvedImport } from "../code-index.ts";
import type { Repository } from "../git/repository.ts";
import { BlobCache } from "./blob-cache.ts";
import type { Corpus } from "./corpus.ts";
import { Indexer, type IndexerOptions, type IndexingOptions } from "./indexer.ts";
import { ParseCache } from "./parse-cache.ts";
import { type Term, definitionTermOf, termsOf } from "./terms.ts";
import type { TreeFile } from "./tree-file.ts";
import { isImportManifest } from "../imports/manifests.ts";
import { ImportResolver } from "../imports/resolver.ts";
import { baseName } from "./path-index.ts";

const MANIFESTS_READ = 2_000;
const LARGEST_MANIFEST = 256 * 1024;
/** Candidates whose imports are resolved to find the importers of one file. */
const IMPORTER_CANDIDATES = 2_000;
/** Files whose imports are kept in memory. */
const MOST_RESOLVED = 2_000;
/** Files that imports name by their folder. */
const FOLDER_ENTRY = /^(?:index|mod|lib|main|__init__|init|package)$/i;

/** The import graph of one commit, resolved on demand (R-EXP-1). */
class ImportGraph {
  readonly #corpus: Corpus;
  readonly #parses: ParseCache;
  readonly #blobs: BlobCache;
  readonly #resolved = new Map<TreeFile, ResolvedImport[]>();
  #resolver: Promise<ImportResolver> | undefined;

  constructor(corpus: Corpus, parses: ParseCache, blobs: BlobCache) {
    this.#corpus = corpus;
    this.#parses = parses;
    this.#blobs = blobs;
  }

  async imports(file: TreeFile): Promise<ResolvedImport[]> {
    const known = this.#resolved.get(file);
    if (known) return known;
    const found = await this.#resolve(file);
    if (this.#resolved.size >= MOST_RESOLVED) this.#resolved.clear();
    this.#resolved.set(file, found);
    return found;
  }

  async #resolve(file: TreeFile): Promise<ResolvedImport[]> {
    const sites = await this.#parses.imports(file);
    if (sites.length === 0) return [];
    const resolver = await (this.#resolver ??= this.#openResolver());
    return sites.map((site) => ({ ...site, files: resolver.resolve(file.path, file.language, site.specifier) }));
  }

  /** The files that import a file. Only files whose text names it, or its folder, are candidates. */
  async importers(file: TreeFile): Promise<string[]> {
    const candidates = new Set<number>();
    for (const name of namesOf(file.path)) {
      // Any term of the name would do; the whole identifier is the rarest.
      const term = [...termsOf(name)].at(-1);
      if (term === undefined) continue;
      for (const position of this.#corpus.search([term])[0]?.files ?? []) candidates.add(position);
    }
    const importers: string[] = [];
    for (const position of [...candidates].toSorted((a, b) => a - b).slice(0, IMPORTER_CANDIDATES)) {
      const other = this.#corpus.files[position];
      if (!other || other === file) continue;
      const imports = await this.imports(other);
      if (imports.some(({ files }) => files.includes(file.path))) importers.push(other.path);
    }
    return importers;
  }

  async #openResolver(): Promise<ImportResolver> {
    const manifests = new Map<string, string>();
    const files = this.#corpus.files.filter((file) => file.slot !== null && isImportManifest(file.path));
    for (const file of files.slice(0, MANIFESTS_READ)) {
      if ((file.bytes ?? 0) > LARGEST_MANIFEST) continue;
      const content = await this.#blobs.read(file.objectName);
      if (content !== null) manifests.set(file.path, content.toString("utf8"));
    }
    const paths = this.#corpus.files.filter((file) => file.slot !== null).map((file) => file.path);
    return new ImportResolver(paths, { manifests });
  }
}

function namesOf(path: string): string[] {
  const name = baseName(path).replace(/\..*$/, "");
  const folder = path.split("/").at(-2) ?? "";
  return FOLDER_ENTRY.test(name) ? [name, folder] : [name];
}

/** The index of one commit. */
export class OpenIndex implements CodeIndex {
  readonly repository: Repository;
  readonly corpus: Corpus;
  readonly #blobs: BlobCache;
  readonly #parses: ParseCache;
  readonly #graph: ImportGraph;

  constructor(repository: Repository, corpus: Corpus, blobs: BlobCache, parses: ParseCache) {
    this.repository = repository;
    this.corpus = corpus;
    this.#blobs = blobs;
    this.#parses = parses;
    this.#graph = new ImportGraph(corpus, parses, blobs);
  }

  get files(): readonly TreeFile[] {
    return this.corpus.files;
  }

  file(path: string): TreeFile | undefined {
    return this.corpus.file(path);
  }

  /** The indexed text at a position; `null` if there is none. */
  async content(position: number): Promise<Buffer | null> {
    const file = this.corpus.files[position];
    return file?.slot ? await this.#blobs.read(file.objectName) : null;
  }

  filesWith(word: string): string[] {
    // The whole identifier comes last and implies its parts. Very short and very long words have no terms.
    const terms = [...termsOf(word)].slice(-1);
    if (terms.length === 0) return this.files.filter((file) => file.slot !== null).map((file) => file.path);
    return this.#filesWithTerms(terms);
  }

  filesDefining(name: string): string[] {
    return this.#filesWithTerms([definitionTermOf(name)]);
  }

  async outline(path: string): Promise<CodeSymbol[]> {
    const file = this.corpus.file(path);
    return file ? await this.#parses.outline(file) : [];
  }

  async imports(path: string): Promise<ResolvedImport[]> {
    const file = this.corpus.file(path);
    return file ? await this.#graph.imports(file) : [];
  }

  async importers(path: string): Promise<string[]> {
    const file = this.corpus.file(path);
    return file ? await this.#graph.importers(file) : [];
  }

  #filesWithTerms(terms: readonly Term[]): string[] {
    const [hits] = this.corpus.search(terms);
    return (hits?.files ?? []).flatMap((position) => this.corpus.files[position]?.path ?? []);
  }
}

/** The code of one repository across its commits; each blob is read and parsed once (R-EXP-1). */
export class Explorer {
  readonly #indexer: Indexer;
  readonly #blobs: BlobCache;
  readonly #parses: ParseCache;

  private constructor(indexer: Indexer, blobs: BlobCache) {
    this.#indexer = indexer;
    this.#blobs = blobs;
    this.#parses = new ParseCache(() => indexer.store, blobs);
  }

  /** Stores the index below `home`; with `null`, keeps it in memory. */
  static async open(gitDirectory: string, home: string | null, options: IndexerOptions = {}): Promise<Explorer> {
    const blobs = new BlobCache(gitDirectory);
    return new Explorer(await Indexer.open(gitDirectory, blobs, { home, ...options }), blobs);
  }

  /** Why the index could not be stored; `null` while it can. */
  get storeFailure(): string | null {
    return this.#indexer.storeFailure;
  }

  /** The index of the commit that the repository was opened at. Rejects with the signal's reason once it is aborted. */
  async at(repository: Repository, options: IndexingOptions = {}): Promise<OpenIndex> {
    const corpus = await this.#indexer.at(repository.commit, options);
    return new OpenIndex(repository, corpus, this.#blobs, this.#parses);
  }

  /** Ends its processes; its indexes cannot be used afterwards. */
  close(): void {
    this.#parses.save();
    this.#indexer.close();
    this.#blobs.close();
  }
}
