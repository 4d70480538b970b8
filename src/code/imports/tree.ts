import { baseOf, below, folderOf, joined, type KnownPaths, nearest } from "./known-paths.ts";
import { readCargo, type CargoManifest, type Manifests, type PackageManifest, type PathMapping } from "./manifests.ts";

interface GoModule {
  /** Import path prefix. */
  name: string;
  folder: string;
}

/** Most files that the import of a folder resolves to. */
export const MOST_FILES = 40;
/** Packages of the same name that are considered. */
const MOST_NAMESAKES = 50;

/** What import resolution needs to know about a tree: its paths and its manifests. */
export class Tree {
  readonly paths: KnownPaths;
  readonly manifests: Manifests;
  #packages: Map<string, PackageManifest[]> | null = null;
  #configs: Map<string, string[]> | null = null;
  #goModules: GoModule[] | null = null;
  #crates: Map<string, string[]> | null = null;
  readonly #crateRoots = new Map<string, string | null>();
  #pythonPackages: Map<string, string[]> | null = null;
  #foldersByName: Map<string, string[]> | null = null;
  /** Path mappings of the TypeScript compiler, by folder. */
  readonly pathMappings = new Map<string, readonly PathMapping[]>();
  /** Search roots of Python, by folder and top-level name. */
  readonly pythonRoots = new Map<string, readonly string[]>();

  constructor(paths: KnownPaths, manifests: Manifests) {
    this.paths = paths;
    this.manifests = manifests;
  }

  /** Packages by npm name; several if fixtures reuse one. */
  packagesNamed(name: string): readonly PackageManifest[] {
    this.#packages ??= this.#namedPackages();
    return this.#packages.get(name) ?? [];
  }

  /** Paths of the tsconfig and jsconfig files in a folder, the plain names first. */
  compilerConfigs(folder: string): readonly string[] {
    this.#configs ??= this.#groupedConfigs();
    return this.#configs.get(folder) ?? [];
  }

  /** Modules of the tree, the longest path first. */
  goModules(): readonly GoModule[] {
    this.#goModules ??= this.manifests
      .named("go.mod")
      .flatMap((path) => {
        const name = /^module[ \t]{1,20}"?([^\s"]{1,300})/m.exec(this.manifests.text(path) ?? "")?.[1];
        return name === undefined ? [] : [{ name, folder: folderOf(path) }];
      })
      .toSorted((a, b) => b.name.length - a.name.length);
    return this.#goModules;
  }

  /** The root file of a crate by its name in code, the nearest of several; `null` for an external crate. */
  rustCrate(name: string, from: string): string | null {
    this.#crates ??= this.#namedCrates();
    const manifests = this.#crates.get(name);
    if (!manifests) return null;
    for (const path of nearest(manifests, from)) {
      const root = this.rustRoot(folderOf(path));
      if (root !== null) return root;
    }
    return null;
  }

  /** The root file of the crate of a folder with a Cargo.toml. */
  rustRoot(folder: string): string | null {
    const known = this.#crateRoots.get(folder);
    if (known !== undefined) return known;
    const written = this.#cargo(below(folder, "Cargo.toml"))?.library;
    const library = written === undefined || written === null ? null : joined(folder, written);
    const usual = ["src/lib.rs", "src/main.rs", "lib.rs"].map((file) => below(folder, file));
    const root = this.paths.first(library === null ? usual : [library, ...usual]);
    this.#crateRoots.set(folder, root);
    return root;
  }

  /** Parent folders of top-level Python packages of that name. */
  pythonPackages(name: string): readonly string[] {
    this.#pythonPackages ??= this.#namedPythonPackages();
    return this.#pythonPackages.get(name) ?? [];
  }

  /** Folders whose path ends in the suffix. */
  #foldersEndingIn(suffix: string): string[] {
    if (!this.#foldersByName) {
      this.#foldersByName = new Map();
      for (const folder of this.paths.folders()) push(this.#foldersByName, baseOf(folder), folder);
    }
    const behind = `/${suffix}`;
    const candidates = this.#foldersByName.get(baseOf(suffix)) ?? [];
    return candidates.filter((folder) => folder === suffix || folder.endsWith(behind));
  }

  /** Files directly in the nearest folder whose path ends in the suffix. */
  filesOfFolder(suffix: string, from: string, ending: RegExp): string[] {
    const folders = this.#foldersEndingIn(suffix).map((name) => `${name}/`);
    for (const folder of nearest(folders, from)) {
      const files = this.paths.inFolder(folderOf(folder)).filter((path) => ending.test(path));
      if (files.length > 0) return files.slice(0, MOST_FILES);
    }
    return [];
  }

  #cargo(path: string): CargoManifest | null {
    const text = this.manifests.text(path);
    return text === null ? null : readCargo(text);
  }

  #namedCrates(): Map<string, string[]> {
    const crates = new Map<string, string[]>();
    for (const path of this.manifests.named("Cargo.toml")) {
      const name = this.#cargo(path)?.name;
      if (name !== undefined) push(crates, name, path);
    }
    return crates;
  }

  #namedPythonPackages(): Map<string, string[]> {
    const packages = new Map<string, string[]>();
    for (const path of this.paths.named("__init__.py")) {
      const folder = folderOf(path);
      const root = folderOf(folder);
      if (folder !== "" && !this.paths.has(below(root, "__init__.py"))) push(packages, baseOf(folder), root);
    }
    return packages;
  }

  #namedPackages(): Map<string, PackageManifest[]> {
    const packages = new Map<string, PackageManifest[]>();
    for (const path of this.manifests.named("package.json")) {
      if (/(?:^|\/)node_modules\//.test(path)) continue;
      const manifest = this.manifests.package(path);
      if (!manifest?.name || (packages.get(manifest.name)?.length ?? 0) >= MOST_NAMESAKES) continue;
      push(packages, manifest.name, manifest);
    }
    return packages;
  }

  #groupedConfigs(): Map<string, string[]> {
    const configs = new Map<string, string[]>();
    for (const path of this.manifests.compilerConfigs()) push(configs, folderOf(path), path);
    for (const known of configs.values()) known.sort((a, b) => baseOf(a).length - baseOf(b).length);
    return configs;
  }
}

function push<T>(groups: Map<string, T[]>, key: string, value: T): void {
  const group = groups.get(key);
  if (group) group.push(value);
  else groups.set(key, [value]);
}
