import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { RelayError } from "../../../lib/errors.ts";
import { firstLine } from "../../../code/git/tree.ts";
import { workGit } from "./git.ts";
import { readPlain } from "./plain-file.ts";
import { pathIn, rawBytes, type RawPath } from "./raw-path.ts";
import { removeAll } from "./remove.ts";

const MOST_RULES = 256 * 1024;
const ASK_MS = 60_000;
export const IGNORE_FILE = ".gitignore";

export interface IgnoreQuery {
  path: RawPath;
  isFolder: boolean;
}

/**
 * Applies the `.gitignore` files of a tree to new files. Git runs in a folder with nothing but copies of these files:
 * in the tree itself, an agent could plant settings for it, or make it block on a pipe.
 */
export class Ignored {
  readonly #repository: string;
  readonly #tree: string;
  readonly #shadow: string;

  constructor(repository: string, tree: string, shadow: string) {
    this.#repository = repository;
    this.#tree = tree;
    this.#shadow = shadow;
  }

  async begin(): Promise<void> {
    await removeAll(this.#shadow);
    await mkdir(this.#shadow, { recursive: true, mode: 0o700 });
  }

  /** Copies the ignore file of a folder. Call this before asking about files in the folder. */
  async learn(folder: RawPath): Promise<void> {
    const path = folder === "" ? IGNORE_FILE : `${folder}/${IGNORE_FILE}`;
    const rules = await readPlain(this.#tree, path, MOST_RULES);
    if (rules === null) return;
    await mkdir(pathIn(this.#shadow, folder), { recursive: true });
    await writeFile(pathIn(this.#shadow, path), rules);
  }

  /** Those of the paths that are ignored. Throws `RelayError` `invalid` if git cannot parse the rules. */
  async among(asked: readonly IgnoreQuery[]): Promise<Set<RawPath>> {
    if (asked.length === 0) return new Set();
    for (const { path, isFolder } of asked) {
      // Some rules match folders only, so the folder must exist for git.
      if (isFolder) await mkdir(pathIn(this.#shadow, path), { recursive: true });
    }
    // This command does not support literal pathspecs; a leading `./` disables pathspec magic.
    const input = Buffer.concat(asked.flatMap(({ path }) => [Buffer.from("./"), rawBytes(path), Buffer.of(0)]));
    const command = ["--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin"];
    const result = await workGit(this.#repository, command, {
      workTree: this.#shadow,
      input,
      timeoutMs: ASK_MS,
      maxBytes: 512 * 1024 * 1024,
    });
    if (result.code !== 0 && result.code !== 1) {
      const complaint = firstLine(result.stderr);
      throw new RelayError(
        "invalid",
        `git cannot read the rules of ${dirname(this.#tree)} on ignored files: ${complaint}`,
      );
    }
    return new Set(
      result.stdout
        .toString("latin1")
        .split("\0")
        .filter((path) => path !== "")
        .map((path) => path.slice("./".length)),
    );
  }
}
