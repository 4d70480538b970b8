import { z } from "zod";
import { baseOf, folderOf, joined } from "./known-paths.ts";

/** Longer manifests are made by machines, and say nothing about imports that is worth the time. */
const LONGEST_MANIFEST = 256_000;
/** Rules of one `paths` that are read. */
const MOST_RULES = 1_000;
/** Steps from one tsconfig to the one that it extends. */
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

/** What the compiler is told about names that begin with neither a dot nor a slash. */
export interface PathMapping {
  /** Folder where such names begin, or `null`. */
  baseUrl: string | null;
  /** Names without a `*`. */
  exact: ReadonlyMap<string, readonly string[]>;
  patterns: readonly [pattern: string, targets: readonly string[]][];
  /** Folder that the targets are relative to. */
  folder: string;
}

/** Whether a file says something about how imports are resolved; the resolver wants the text of these. */
export function isImportManifest(path: string): boolean {
  return /^(?:package\.json|go\.mod|Cargo\.toml|[tj]sconfig(?:\.[\w-]+)*\.json)$/.test(baseOf(path));
}

/** The manifests of a tree, each parsed when it is first asked for. What cannot be parsed says nothing. */
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

  /** The path mapping of a tsconfig with those that it extends. */
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
    // The last of several parents wins; `paths` are taken over as a whole, as the compiler does.
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

/** JSON of a file that may have comments and commas at the ends of lists. */
function withoutComments(text: string): string {
  const bare = text.replace(/"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)/g, (part) =>
    part.startsWith("/") ? " " : part,
  );
  return bare.replace(/"(?:[^"\\\n]|\\.)*"?|,(?=\s{0,1000}[}\]])/g, (part) => (part === "," ? "" : part));
}

/** What a Cargo.toml says of the crate beside it; read by its lines, as only three of them matter. */
export interface CargoManifest {
  /** As code names it: with underscores. */
  name: string;
  /** The library's root as written, or `null` for the usual one. */
  library: string | null;
}

/** `null` for a manifest of a workspace alone. */
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
