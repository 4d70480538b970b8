import { join } from "node:path";
import { firstLine } from "../../../code/git/tree.ts";
import { RelayError } from "../../../lib/errors.ts";
import type { Change } from "./content-rules.ts";
import { workGit } from "./git.ts";
import { rawBytes, shownPath, type RawPath } from "./raw-path.ts";

/**
 * A file's attributes, according to the commit's `.gitattributes`; in the tree, all files have the bytes that git
 * stores.
 */
export interface FileAttributes {
  /** The filter that converts it between git and the tree, such as `lfs`; null for none. */
  filter: string | null;
  /** Whether git stores it with LF line endings: always, or only if it looks like text. */
  text: "always" | "auto" | "never";
}

const ASKED = ["filter", "text", "eol", "crlf"];

/**
 * The attributes of files in the index. Runs git in the source, since the run's own repository turns every conversion
 * off. Settings in the tree are not read, since agents can write them.
 */
export async function attributesOf(
  paths: readonly RawPath[],
  { repository, source }: { repository: string; source: string },
): Promise<Map<RawPath, FileAttributes>> {
  if (paths.length === 0) return new Map();
  const input = Buffer.concat(paths.flatMap((path) => [rawBytes(path), Buffer.of(0)]));
  const result = await workGit(source, ["check-attr", "--cached", "-z", "--stdin", ...ASKED], {
    input,
    variables: { GIT_INDEX_FILE: join(repository, "index") },
  });
  if (result.code !== 0 || result.truncated) {
    throw new RelayError("io", `git cannot read the attributes of changed files: ${firstLine(result.stderr)}`);
  }
  const fields = result.stdout.toString("latin1").split("\0");
  const found = new Map<RawPath, Map<string, string>>(paths.map((path) => [path, new Map()]));
  for (let at = 0; at + 2 < fields.length; at += 3) {
    found.get(fields[at] ?? "")?.set(fields[at + 1] ?? "", fields[at + 2] ?? "");
  }
  return new Map([...found].map(([path, values]) => [path, read(values)]));
}

function read(values: ReadonlyMap<string, string>): FileAttributes {
  const valueOf = (name: string) => {
    const value = values.get(name) ?? "unspecified";
    return value === "unspecified" ? null : value;
  };
  const filter = valueOf("filter");
  const text = valueOf("text") ?? valueOf("crlf") ?? (valueOf("eol") === null ? "unset" : "set");
  return {
    filter: filter === "unset" || filter === "set" ? null : filter,
    text: text === "auto" ? "auto" : text === "set" || text === "input" ? "always" : "never",
  };
}

/**
 * The change as git would store it, with the line endings that the attributes ask for. Null if nothing of the change is
 * left.
 */
export function asStored(change: Change, attributes: FileAttributes | undefined): Change | null {
  const { before, after, difference } = change;
  if (after === null || difference.kind !== "file" || !convertsLines(change, attributes)) return change;
  const stored = Buffer.from(after.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  return before?.equals(stored) === true && difference.head?.mode === change.mode ? null : { ...change, after: stored };
}

/** Git does not convert a file that looks binary, or that is already stored with carriage returns. */
function convertsLines({ before, after }: Change, attributes: FileAttributes | undefined): boolean {
  if (attributes === undefined || attributes.text === "never" || after === null) return false;
  if (attributes.text === "always") return true;
  return !after.includes(0) && !/\r(?!\n)/.test(after.toString("latin1")) && before?.includes("\r") !== true;
}

/** Why people have to commit a file that a filter converts; null for other files, and if its content is unchanged. */
export function filteredReason({ before, after, difference }: Change, attributes: FileAttributes | undefined) {
  if (attributes === undefined || attributes.filter === null || after === null || difference.kind !== "file")
    return null;
  if (before?.equals(after) === true) return null;
  const detail = `git keeps it by the filter “${shownPath(attributes.filter)}”, which Relay does not run; people have to add it`;
  return { path: shownPath(difference.path), why: "blocked path" as const, detail };
}
