import { protectedValuesIn } from "../../domain/text/secrets/protected-values.ts";
import { escapeRegExp } from "../../lib/text.ts";
import { RelayError } from "../../lib/errors.ts";
import { readBlobs } from "../git/blobs.ts";
import type { Repository } from "../git/repository.ts";
import { protectedPaths } from "./protected-files.ts";

/** Limits: protected files, bytes of each, values, and values that other files are searched for. */
const MOST = { files: 500, bytes: 256 * 1024, values: 2_000, looked: 100 };
/** Seconds for that search; a value that is not found in time counts as a secret. */
const LOOKING_SECONDS = 10;
/** A longer value, in characters, cannot be an ordinary name. */
const LONGEST_NAME = 200;

/**
 * The values in a commit's protected files, which must not appear in anything that Relay writes (R-SAFE-7). `protect`:
 * globs in addition to the usual ones. Values in example files, and ordinary names of the code, are left out. Throws
 * what reading the repository throws.
 */
export async function protectedValues(code: Repository, protect: readonly string[]): Promise<string[]> {
  const isProtected = protectedPaths(protect);
  const listed = await code.files();
  const held = listed.filter(({ kind, size }) => kind === "file" && size !== null && size <= MOST.bytes);
  const closed = held.filter(({ path }) => isProtected(path)).slice(0, MOST.files);
  if (closed.length === 0) return [];
  const examples = held.filter(({ path }) => EXAMPLE.test(path) && !isProtected(path)).slice(0, MOST.files);
  const [found, shown] = [await valuesIn(code, closed), await valuesIn(code, examples)];
  const values = [...found].filter(([value]) => !shown.has(value)).slice(0, MOST.values);
  const maybe = values.flatMap(([value, isSecret]) => (isSecret || value.length > LONGEST_NAME ? [] : [value]));
  const names = await ordinaryNames(code, maybe, isProtected);
  return values.map(([value]) => value).filter((value) => !names.has(value));
}

/** Example files, which a repository shows to people who set it up: their values are no secrets. */
const EXAMPLE = /[._-](?:examples?|samples?|templates?|tmpl|tpl|dist|defaults)(?:\.|$)/i;

/** Each value, with whether it is certainly a secret. */
async function valuesIn(
  { gitDirectory }: Repository,
  files: readonly { objectName: string }[],
): Promise<Map<string, boolean>> {
  const values = new Map<string, boolean>();
  const names = files.map(({ objectName }) => objectName);
  await readBlobs(gitDirectory, names, MOST.bytes, (blob) => {
    if (blob.kind !== "blob" || blob.content.subarray(0, 8_000).includes(0)) return;
    for (const { value, certainty } of protectedValuesIn(blob.content.toString("utf8")))
      values.set(value, values.get(value) === true || certainty === "secret");
  });
  return values;
}

/** Values that also occur in readable files or in a path: they are names of the code. */
async function ordinaryNames(
  code: Repository,
  values: readonly string[],
  isProtected: (path: string) => boolean,
): Promise<Set<string>> {
  const paths = (await code.files()).map(({ path }) => path.toLowerCase()).join("\n");
  const names = new Set(values.filter((value) => paths.includes(value.toLowerCase())));
  const open = values.filter((value) => !names.has(value) && !value.includes("\0")).slice(0, MOST.looked);
  if (open.length === 0) return names;
  try {
    const lines = code.search(open.map(escapeRegExp).join("|"), {
      ignoreCase: true,
      signal: AbortSignal.timeout(LOOKING_SECONDS * 1_000),
    });
    for await (const { path, text } of lines) {
      if (isProtected(path)) continue;
      for (const value of open) if (text.toLowerCase().includes(value.toLowerCase())) names.add(value);
      if (open.every((value) => names.has(value))) break;
    }
  } catch (error) {
    if (!(error instanceof RelayError && error.code === "timeout")) throw error;
  }
  return names;
}
