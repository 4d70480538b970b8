import type { ResolvedImport } from "../code-index.ts";
import { isImportManifest } from "../imports/manifests.ts";
import { ImportResolver } from "../imports/resolver.ts";
import { baseName } from "../path-match.ts";
import type { Contents } from "./contents.ts";
import type { Corpus } from "./corpus.ts";
import type { KeptReadings } from "./index-cache.ts";
import { termsOf } from "./terms.ts";
import type { TreeFile } from "./tree-file.ts";

const MANIFESTS_READ = 2_000;
const LARGEST_MANIFEST = 256 * 1024;
/** Files whose imports are read to see whether they import a given one. */
const IMPORTERS_READ = 2_000;
/** An import names the folder of such a file, not the file. */
const FOLDER_IS_NAMED = /^(?:index|mod|lib|main|__init__|init|package)$/i;

/** Who imports whom in one commit, found out when it is asked for (R-EXP-1). */
export class ImportGraph {
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
