import { z } from "zod";
import type { IndexedFile } from "../code-index.ts";
import { refused, type Refusal } from "./answer.ts";
import { compileGlob, isGlob, type PathTest } from "./glob.ts";
import { abortableLoop } from "./abortable-loop.ts";
import type { FileAccess } from "./file-access.ts";

export const pathsInput = z
  .array(z.string().min(1).max(1_000))
  .max(20)
  .default([])
  .describe('only these files, folders or globs ("src/**/*.ts", "*.py"); "!" before one leaves it out; none means all');

/** The open files that a list of paths selects. */
export interface SelectedFiles {
  kind: "files";
  files: IndexedFile[];
  /** Number of selected files that are not open. */
  closed: number;
}

/** Files that match one of the paths, or all when only exclusions are given; in git's order. */
export async function selectFiles(
  fileAccess: FileAccess,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<SelectedFiles | Refusal> {
  const wanted: PathTest[] = [];
  const unwanted: PathTest[] = [];
  for (const path of paths) {
    const except = path.startsWith("!");
    const test = testOf(fileAccess, except ? path.slice(1) : path);
    if (typeof test !== "function") return test;
    (except ? unwanted : wanted).push(test);
  }
  const loop = abortableLoop(signal);
  const files: IndexedFile[] = [];
  let closed = 0;
  for (const file of fileAccess.files) {
    await loop.step();
    if (wanted.length > 0 && !wanted.some((test) => test(file.path))) continue;
    if (unwanted.some((test) => test(file.path))) continue;
    if (fileAccess.statusOf(file) === "open") files.push(file);
    else closed += 1;
  }
  return { kind: "files", files, closed };
}

function testOf(fileAccess: FileAccess, path: string): PathTest | Refusal {
  if (path === "." || path === "./") return () => true;
  if (isGlob(path)) {
    const glob = compileGlob(path);
    return glob.kind === "glob" ? glob.test : refused(`${JSON.stringify(path)}: ${glob.reason}`);
  }
  const place = fileAccess.locate(path);
  switch (place.kind) {
    case "refused":
      return place;
    case "file":
      return (each) => each === place.file.path;
    case "folder":
      return (each) => each.startsWith(`${place.path}/`);
    default:
      return place satisfies never;
  }
}

/** Note for results that leave files out; must not depend on the content of those files. */
export function closedFilesNote(closed: number): string {
  return closed === 0 ? "" : `(${closed} protected files, links or submodules in these paths were not looked into.)`;
}
