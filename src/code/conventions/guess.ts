import type { Repository } from "../repository.ts";
import type { Conventions } from "../../domain/conventions.ts";
import { manifests } from "./manifests.ts";
import type { Commands } from "./manifests.ts";
import { setUpCommands } from "./set-up.ts";

/** Files that say how code is to be written, the most telling first. */
const STYLE_GUIDES = [
  "CONTRIBUTING.md",
  ".github/CONTRIBUTING.md",
  "docs/CONTRIBUTING.md",
  "STYLEGUIDE.md",
  "CONTRIBUTING.rst",
  ".editorconfig",
];

/**
 * How a repository is worked on, as far as its own files tell: the scripts of its package, the targets of its Makefile,
 * or what is usual for its kind. What it says itself comes before what is usual. Empty where nothing tells.
 */
export async function guessConventions(repository: Pick<Repository, "files" | "readFile">): Promise<Conventions> {
  const paths = new Set((await repository.files()).map(({ path }) => path));
  const read = async (path: string) => (paths.has(path) ? await repository.readFile(path).catch(() => null) : null);
  const found: Commands[] = [];
  for (const manifest of manifests(paths)) {
    const text = await read(manifest.path);
    if (text !== null) found.push(manifest.read(text));
  }
  const first = (key: "lint" | "build" | "types") => found.map((each) => each[key]).find((each) => each !== undefined);
  return {
    branch_prefix: {},
    setup_commands: setUpCommands(paths),
    test_commands: found.flatMap(({ tests }) => tests ?? []).slice(0, 1),
    lint_command: first("lint") ?? "",
    build_command: first("build") ?? "",
    type_check_command: first("types") ?? null,
    style_guide: STYLE_GUIDES.find((path) => paths.has(path)) ?? "standard",
  };
}
