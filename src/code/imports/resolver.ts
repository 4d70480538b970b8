import { KnownPaths } from "./known-paths.ts";
import { Manifests } from "./manifests.ts";
import {
  resolveDart,
  resolveElixir,
  resolveInclude,
  resolveLua,
  resolveNamespace,
  resolvePhp,
  resolveProtobuf,
  resolveRuby,
  resolveShell,
  resolveSwift,
} from "./resolve/by-suffix.ts";
import { resolveEcmascript } from "./resolve/ecmascript.ts";
import { resolveGo } from "./resolve/go.ts";
import { resolveJvm } from "./resolve/jvm.ts";
import { resolvePython } from "./resolve/python.ts";
import { resolveRust } from "./resolve/rust.ts";
import { resolveStyles } from "./resolve/styles.ts";
import { LONGEST_SPECIFIER } from "./site-list.ts";
import { Tree } from "./tree.ts";

export interface ImportResolverOptions {
  /** Text of the files that `isImportManifest` names, by their paths; names of packages are known by these alone. */
  manifests?: ReadonlyMap<string, string>;
}

/** Which files of one tree an import means (R-EXP-1). Building it is free; each index is made when it is needed. */
export class ImportResolver {
  readonly #tree: Tree;

  constructor(paths: readonly string[], options: ImportResolverOptions = {}) {
    this.#tree = new Tree(new KnownPaths(paths), new Manifests(options.manifests ?? new Map()));
  }

  /**
   * The files that `specifier`, as `importsIn` gives it, means in the file `from`: none for what is not of this tree or
   * cannot be told, several for a folder of code (at most 40). Never the file itself.
   */
  resolve(from: string, language: string | null, specifier: string): string[] {
    if (specifier === "" || specifier.length > LONGEST_SPECIFIER || specifier.includes("\0")) return [];
    return this.#find(from, language, specifier).filter((path) => path !== from);
  }

  #find(from: string, language: string | null, specifier: string): string[] {
    const tree = this.#tree;
    switch (language) {
      case "javascript":
      case "typescript":
      case "html":
        return one(resolveEcmascript(tree, from, specifier));
      case "vue":
      case "svelte":
      case "astro":
        return one(resolveEcmascript(tree, from, specifier) ?? resolveStyles(tree, from, specifier));
      case "css":
        return one(resolveStyles(tree, from, specifier) ?? resolveEcmascript(tree, from, specifier.replace(/^~/, "")));
      case "python":
        return one(resolvePython(tree, from, specifier));
      case "rust":
        return one(resolveRust(tree, from, specifier));
      case "go":
        return resolveGo(tree, specifier);
      case "java":
      case "kotlin":
      case "scala":
      case "groovy":
        return resolveJvm(tree, from, specifier);
      case "c":
      case "cpp":
      case "objective-c":
        return resolveInclude(tree, from, specifier);
      case "csharp":
        return resolveNamespace(tree, from, specifier);
      case "ruby":
        return resolveRuby(tree, from, specifier);
      case "php":
        return resolvePhp(tree, from, specifier);
      case "swift":
        return resolveSwift(tree, from, specifier);
      case "shell":
        return resolveShell(tree, from, specifier);
      case "elixir":
        return resolveElixir(tree, from, specifier);
      case "dart":
        return resolveDart(tree, from, specifier);
      case "lua":
        return resolveLua(tree, from, specifier);
      case "protobuf":
        return resolveProtobuf(tree, from, specifier);
      default:
        return [];
    }
  }
}

function one(path: string | null): string[] {
  return path === null ? [] : [path];
}
