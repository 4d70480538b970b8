import type { Repository } from "../../src/code/git/repository.ts";

/** The files of a repository, each as its text; those named last may not be run. */
export function plainFiles(
  files: Readonly<Record<string, string>>,
  ...notExecutable: string[]
): Pick<Repository, "files" | "readFile"> {
  return {
    files: async () =>
      await Promise.resolve(
        Object.entries(files).map(([path, text]) => ({
          path,
          kind: "file" as const,
          executable: !notExecutable.includes(path),
          objectName: "",
          size: text.length,
        })),
      ),
    readFile: async (path) => await Promise.resolve(files[path] ?? null),
  };
}
