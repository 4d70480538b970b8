import type { CodeFiles } from "./code-files.ts";

const MANIFEST =
  /^((?:[\w@-][\w.@-]{0,60}\/){1,2})(?:package\.json|pyproject\.toml|setup\.py|setup\.cfg|requirements\.txt|go\.mod|Cargo\.toml|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs)$/;
/** Folders whose manifests do not belong to the product. */
const BESIDE =
  /^(?:docs?|website|examples?|samples?|demos?|tests?|fixtures?|testdata|e2e|bench(?:marks?)?|vendor|third_party|node_modules|tools|scripts|templates?)$/i;
/** With more folders, there would be a command for each of many packages. */
const MOST = 6;

/**
 * Folders with their own manifest, outermost first, for a repository without one at the top: `backend`, `packages/a`.
 * Empty if there are too many to run them one by one.
 */
export function projectsBelow({ paths }: CodeFiles): string[] {
  const folders = [...paths].flatMap((path) => MANIFEST.exec(path)?.[1]?.slice(0, -1) ?? []);
  const wanted = [...new Set(folders)].filter((folder) => !folder.split("/").some((name) => BESIDE.test(name)));
  const outer = wanted.filter((folder) => !wanted.some((other) => folder.startsWith(`${other}/`)));
  return outer.length > MOST ? [] : outer.toSorted();
}

/** The files below a folder, as if it were the top of the repository. */
export function filesBelow(code: CodeFiles, folder: string): CodeFiles {
  const below = (paths: ReadonlySet<string>) =>
    new Set([...paths].flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [])));
  const paths = below(code.paths);
  return {
    paths,
    executable: below(code.executable),
    first: (...wanted) => wanted.find((path) => paths.has(path)) ?? null,
    read: async (path) => await code.read(`${folder}/${path}`),
  };
}
