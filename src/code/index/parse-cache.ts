import { z } from "zod";
import { SYMBOL_KINDS, type CodeSymbol, type ImportSite } from "../code-index.ts";
import { importsIn } from "../imports/imports-in.ts";
import { outlineOf } from "../outline/outline.ts";
import type { BlobCache } from "./blob-cache.ts";
import { isUnwritable, type IndexStore } from "./store.ts";
import type { TreeFile } from "./tree-file.ts";

const symbolsSchema = z.array(
  z.object({
    name: z.string(),
    kind: z.enum(SYMBOL_KINDS),
    start: z.int(),
    end: z.int(),
    container: z.string().nullable(),
  }),
);
const sitesSchema = z.array(z.object({ specifier: z.string(), line: z.int() }));

/** Entries kept in memory. */
const MOST_IN_MEMORY = 2_000;
/** This many are stored in one batch. */
const STORED_TOGETHER = 100;

/** Outlines and imports, parsed on first use and cached by blob in memory and in the index store. */
export class ParseCache {
  readonly #store: () => IndexStore;
  readonly #blobs: BlobCache;
  readonly #outlines = new Map<string, CodeSymbol[]>();
  readonly #sites = new Map<string, ImportSite[]>();
  /** Not stored yet, as JSON. */
  readonly #unsaved = { outline: new Map<string, string>(), imports: new Map<string, string>() };

  constructor(store: () => IndexStore, blobs: BlobCache) {
    this.#store = store;
    this.#blobs = blobs;
  }

  async outline(file: TreeFile): Promise<CodeSymbol[]> {
    return await this.#cached("outline", file, this.#outlines, symbolsSchema, (text) =>
      outlineOf(file.path, file.language, text),
    );
  }

  async imports(file: TreeFile): Promise<ImportSite[]> {
    return await this.#cached("imports", file, this.#sites, sitesSchema, (text) => importsIn(file.language, text));
  }

  /** Stores what is not stored yet; if a process ends without this, the next one parses it again. */
  save(): void {
    for (const what of ["outline", "imports"] as const) this.#save(what);
  }

  async #cached<T>(
    what: "outline" | "imports",
    file: TreeFile,
    inMemory: Map<string, T[]>,
    schema: z.ZodType<T[]>,
    read: (text: string) => T[] | Promise<T[]>,
  ): Promise<T[]> {
    if (file.slot === null) return [];
    // The same bytes parse differently in another language.
    const key = `${file.objectName} ${file.language ?? ""}`;
    const known = inMemory.get(key);
    if (known) return known;
    const found = await this.#stored(what, key, schema, async () => {
      const content = await this.#blobs.read(file.objectName);
      return content === null ? [] : await read(content.toString("utf8"));
    });
    if (inMemory.size >= MOST_IN_MEMORY) inMemory.clear();
    inMemory.set(key, found);
    return found;
  }

  async #stored<T>(
    what: "outline" | "imports",
    key: string,
    schema: z.ZodType<T[]>,
    read: () => Promise<T[]>,
  ): Promise<T[]> {
    const unsaved = this.#unsaved[what];
    const json = unsaved.get(key) ?? this.#store().parsed(what, key);
    if (json !== null) return schema.parse(JSON.parse(json));
    const found = await read();
    unsaved.set(key, JSON.stringify(found));
    if (unsaved.size >= STORED_TOGETHER) this.#save(what);
    return found;
  }

  #save(what: "outline" | "imports"): void {
    const unsaved = this.#unsaved[what];
    if (unsaved.size === 0) return;
    try {
      this.#store().storeParsed(what, unsaved);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
    }
    unsaved.clear();
  }
}
