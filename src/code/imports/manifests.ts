import { z } from "zod";
import { baseOf, folderOf, joined } from "./known-paths.ts";

/** UTF-16 units; longer manifests are generated and not worth parsing. */
const LONGEST_MANIFEST = 256_000;
/** Rules of one `paths` setting that are read. */
const MOST_RULES = 1_000;
/** Longest chain of `extends`. */
const LONGEST_CHAIN = 8;

const packageSchema = z.object({
  name: z.string().max(214).optional().catch(undefined),
  main: z.string().optional().catch(undefined),
  module: z.string().optional().catch(undefined),
  types: z.string().optional().catch(undefined),
  source: z.string().optional().catch(undefined),
  style: z.string().optional().catch(undefined),
  exports: z.unknown().optional(),
  imports: z.unknown().optional(),
});

const tsconfigSchema = z.object({
  extends: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .catch(undefined),
  compilerOptions: z
    .object({
      baseUrl: z.string().optional().catch(undefined),
      paths: z.record(z.string(), z.array(z.string())).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

export type PackageManifest = z.infer<typeof packageSchema> & { folder: string };

/** How the compiler resolves non-relative names. */
export interface PathMapping {
  /** Base folder of non-relative names, or `null`. */
  baseUrl: string | null;
  /** Names without a `*`. */
  exact: ReadonlyMap<string, readonly string[]>;
  patterns: readonly [pattern: string, targets: readonly string[]][];
  /** Folder that the targets are relative to. */
  folder: string;
}

/** Whether the resolver needs the text of a file. */
export function isImportManifest(path: string): boolean {
  return /^(?:package\.json|go\.mod|Cargo\.toml|[tj]sconfig(?:\.[\w-]+)*\.json)$/.test(baseOf(path));
}

/** The manifests of a tree, parsed on first use; invalid ones are ignored. */
export class Manifests {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #packages = new Map<string, PackageManifest | null>();
  readonly #mappings = new Map<string, PathMapping | null>();

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  has(path: string): boolean {
    return this.#texts.has(path);
  }

  text(path: string): string | null {
    const text = this.#texts.get(path);
    return text === undefined || text.length > LONGEST_MANIFEST ? null : text;
  }

  /** Paths of all manifests with that base name. */
  named(base: string): string[] {
    return [...this.#texts.keys()].filter((path) => baseOf(path) === base);
  }

  compilerConfigs(): string[] {
    return [...this.#texts.keys()].filter((path) => /^[tj]sconfig(?:\.[\w-]+)*\.json$/.test(baseOf(path)));
  }

  package(path: string): PackageManifest | null {
    const known = this.#packages.get(path);
    if (known !== undefined) return known;
    const text = this.text(path);
    const parsed = text === null ? null : packageSchema.safeParse(parseJson(text));
    const manifest = parsed?.success ? { ...parsed.data, folder: folderOf(path) } : null;
    this.#packages.set(path, manifest);
    return manifest;
  }

  /** The path mapping of a tsconfig, including those that it extends. */
  mapping(path: string, extended: (from: string, name: string) => string | null): PathMapping | null {
    const known = this.#mappings.get(path);
    if (known !== undefined) return known;
    const mapping = this.#chained(path, extended, LONGEST_CHAIN);
    this.#mappings.set(path, mapping);
    return mapping;
  }

  #chained(path: string, extended: (from: string, name: string) => string | null, left: number): PathMapping | null {
    const text = left === 0 ? null : this.text(path);
    const parsed = text === null ? null : tsconfigSchema.safeParse(parseJson(withoutComments(text)));
    if (!parsed?.success) return null;
    const { compilerOptions = {}, extends: written = [] } = parsed.data;
    const { baseUrl, paths } = compilerOptions;
    const root = baseUrl === undefined ? null : joined(folderOf(path), baseUrl);
    const rules = Object.entries(paths ?? {}).slice(0, MOST_RULES);
    const mapping: PathMapping = {
      baseUrl: root,
      exact: new Map(rules.filter(([pattern]) => !pattern.includes("*"))),
      patterns: rules.filter(([pattern]) => pattern.includes("*")),
      folder: root ?? folderOf(path),
    };
    // The last of several parents wins; `paths` are inherited as a whole, as in the compiler.
    for (const name of [written].flat().toReversed()) {
      const parent = extended(path, name);
      const inherited = parent === null ? null : this.#chained(parent, extended, left - 1);
      if (!inherited) continue;
      mapping.baseUrl ??= inherited.baseUrl;
      if (paths !== undefined || mapping.exact.size + mapping.patterns.length > 0) continue;
      mapping.exact = inherited.exact;
      mapping.patterns = inherited.patterns;
      mapping.folder = inherited.folder;
    }
    return mapping;
  }
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
    return value;
  } catch {
    return null;
  }
}

/** Strips comments and trailing commas from JSON. */
function withoutComments(text: string): string {
  const bare = text.replace(/"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)/g, (part) =>
    part.startsWith("/") ? " " : part,
  );
  return bare.replace(/"(?:[^"\\\n]|\\.)*"?|,(?=\s{0,1000}[}\]])/g, (part) => (part === "," ? "" : part));
}

/** The fields of a Cargo.toml that matter for imports, read line by line. */
export interface CargoManifest {
  /** As code spells it, with underscores. */
  name: string;
  /** Path of the library's root file, or `null` for the default. */
  library: string | null;
}

/** `null` for a manifest without a package. */
export function readCargo(text: string): CargoManifest | null {
  let section = "";
  let name: string | null = null;
  let renamed: string | null = null;
  let library: string | null = null;
  for (const line of text.split("\n")) {
    const header = /^\s{0,20}\[\s{0,9}([\w.-]{1,100})\s{0,9}\]/.exec(line);
    if (header?.[1] !== undefined) section = header[1];
    const field = /^\s{0,20}(name|path)\s{0,99}=\s{0,99}["']([^"'\n]{1,200})["']/.exec(line);
    if (!field) continue;
    const [, key, value = ""] = field;
    if (section === "package" && key === "name") name ??= value;
    else if (section === "lib" && key === "name") renamed ??= value;
    else if (section === "lib" && key === "path") library ??= value;
  }
  return name === null ? null : { name: (renamed ?? name).replaceAll("-", "_"), library };
}
