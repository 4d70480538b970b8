import { z } from "zod";
import { SYMBOL_KINDS } from "../code-index.ts";
import type { CodeSymbol, ImportSite } from "../code-index.ts";
import { importsIn } from "../imports/imports-in.ts";
import { outlineOf } from "../outline/outline.ts";
import type { Contents } from "./blob-cache.ts";
import { isUnwritable } from "./store.ts";
import type { IndexStore } from "./store.ts";
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

/** Answers kept in memory. */
const MOST_AT_HAND = 2_000;

/** What is read out of a blob when it is first asked for, and then kept with the index. */
export class KeptReadings {
  readonly #store: () => IndexStore;
  readonly #contents: Contents;
  readonly #outlines = new Map<string, CodeSymbol[]>();
  readonly #sites = new Map<string, ImportSite[]>();

  constructor(store: () => IndexStore, contents: Contents) {
    this.#store = store;
    this.#contents = contents;
  }

  async outline(file: TreeFile): Promise<CodeSymbol[]> {
    return await this.#kept("outline", file, this.#outlines, symbolsSchema, (text) =>
      outlineOf(file.path, file.language, text),
    );
  }

  async imports(file: TreeFile): Promise<ImportSite[]> {
    return await this.#kept("imports", file, this.#sites, sitesSchema, (text) => importsIn(file.language, text));
  }

  async #kept<T>(
    what: "outline" | "imports",
    file: TreeFile,
    atHand: Map<string, T[]>,
    schema: z.ZodType<T[]>,
    read: (text: string) => T[] | Promise<T[]>,
  ): Promise<T[]> {
    if (file.place === null) return [];
    // The same bytes mean something else in another language.
    const key = `${file.objectName} ${file.language ?? ""}`;
    const known = atHand.get(key);
    if (known) return known;
    const found = await this.#stored(what, key, schema, async () => {
      const content = await this.#contents.read(file.objectName);
      return content === null ? [] : await read(content.toString("utf8"));
    });
    if (atHand.size >= MOST_AT_HAND) atHand.clear();
    atHand.set(key, found);
    return found;
  }

  async #stored<T>(
    what: "outline" | "imports",
    key: string,
    schema: z.ZodType<T[]>,
    read: () => Promise<T[]>,
  ): Promise<T[]> {
    const json = this.#store().kept(what, key);
    if (json !== null) return schema.parse(JSON.parse(json));
    const found = await read();
    try {
      this.#store().keep(what, key, JSON.stringify(found));
    } catch (error) {
      if (!isUnwritable(error)) throw error;
    }
    return found;
  }
}
