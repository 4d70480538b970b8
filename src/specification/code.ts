import type { Repository } from "../code/git/repository.ts";
import type { Grounding } from "./validate/grounding.ts";

/** Checks places against one commit of a repository. */
export function groundingIn(code: Repository): NonNullable<Grounding["code"]> {
  let folders: Set<string> | null = null;
  return {
    lines: async (path) => await code.lines(path),
    exists: async (path) => {
      const clean = path.replace(/\/+$/, "");
      if (await code.exists(clean)) return true;
      folders ??= new Set((await code.files()).flatMap((file) => foldersOf(file.path)));
      return folders.has(clean);
    },
  };
}

function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
