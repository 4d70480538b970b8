import { z } from "zod";
import type { IndexedFile } from "../code-index.ts";
import { refused } from "./answer.ts";
import type { Refusal } from "./answer.ts";
import { compileGlob, isGlob } from "./glob.ts";
import type { PathTest } from "./glob.ts";
import { abortableLoop } from "./abortable-loop.ts";
import type { FileAccess } from "./file-access.ts";

export const pathsInput = z
  .array(z.string().min(1).max(1_000))
  .max(20)
  .default([])
  .describe('only these files, folders or globs ("src/**/*.ts", "*.py"); "!" before one leaves it out; none means all');

/** The open files that a choice of paths means. */
export interface ChosenFiles {
  kind: "files";
  files: IndexedFile[];
  /** Files in the choice that are not opened. */
  shut: number;
}

/** Files that fit one of the paths, or all where only exceptions are given; in git's order. */
export async function chosenFiles(
  fileAccess: FileAccess,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ChosenFiles | Refusal> {
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
  let shut = 0;
  for (const file of fileAccess.files) {
    await loop.step();
    if (wanted.length > 0 && !wanted.some((test) => test(file.path))) continue;
    if (unwanted.some((test) => test(file.path))) continue;
    if (fileAccess.statusOf(file) === "open") files.push(file);
    else shut += 1;
  }
  return { kind: "files", files, shut };
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

/** Said under results where something was not looked at; the same whatever is in those files. */
export function leftOut(shut: number): string {
  return shut === 0 ? "" : `(${shut} protected files, links or submodules in these paths were not looked into.)`;
}
