import { git } from "./git.ts";
import { staysInTree } from "./tree-path.ts";

export interface GrepOptions {
  ignoreCase?: boolean;
  /** Matching lines kept of one file. Default 50. */
  maxPerFile?: number;
  /** Matching lines kept in all. Default 5,000. */
  maxLines?: number;
  /** Only below these folders or files. */
  under?: readonly string[];
}

interface GrepMatch {
  path: string;
  /** From 1. */
  line: number;
  /** The line's text, at most `LINE_LIMIT` characters of it. */
  text: string;
}

export interface GrepResult {
  matches: GrepMatch[];
  /** A limit, or content that the clone does not hold, left matches out. */
  truncated: boolean;
}

export const LINE_LIMIT = 1_000;

/**
 * Lines of text files at a commit that contain one of the texts, in one git process whatever their number.
 * An extended regular expression of escaped alternatives: many times faster than as many fixed strings,
 * and built into every git, which Perl's are not. `null` where git gave up, as it does on the first content missing.
 */
export async function grepTree(
  gitDirectory: string,
  commit: string,
  texts: readonly string[],
  options: GrepOptions = {},
): Promise<GrepResult | null> {
  const alternatives = literalsOf(texts);
  if (alternatives.length === 0) return { matches: [], truncated: false };
  const pattern = patternOf(alternatives);
  const flags = ["-n", "-z", "-I", "-E", "--no-color", "--full-name", ...(options.ignoreCase ? ["-i"] : [])];
  const result = await git(gitDirectory, ["grep", ...flags, "-e", pattern, commit, "--", ...(options.under ?? [])], {
    maxBytes: 48 * 1024 * 1024,
  });
  // 1 says that nothing matched.
  if (result.code !== 0 && result.code !== 1) return null;
  const unread = /^error: /m.test(result.stderr);
  return collect(result.stdout, commit.length + 1, options, result.truncated || unread);
}

/** The texts that can be searched for line by line, each once. */
export function literalsOf(texts: readonly string[]): string[] {
  return [...new Set(texts.filter((text) => text.trim() !== "" && !/[\0\r\n]/.test(text)))];
}

export function patternOf(literals: readonly string[]): string {
  return literals.map((text) => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&")).join("|");
}

/** Reads `commit:path NUL line NUL text NL` records. */
function collect(output: Buffer, prefix: number, options: GrepOptions, cut: boolean): GrepResult {
  const maxPerFile = options.maxPerFile ?? 50;
  const maxLines = options.maxLines ?? 5_000;
  const matches: GrepMatch[] = [];
  let truncated = cut;
  let path = "";
  let inFile = 0;
  for (let start = 0; start < output.length;) {
    const afterPath = output.indexOf(0, start);
    const afterLine = output.indexOf(0, afterPath + 1);
    const end = output.indexOf(10, afterLine + 1);
    if (afterPath === -1 || afterLine === -1 || end === -1) break;
    const found = output.toString("utf8", start + prefix, afterPath);
    inFile = found === path ? inFile + 1 : 1;
    path = found;
    if (matches.length >= maxLines) return { matches, truncated: true };
    if (inFile > maxPerFile) {
      truncated = true;
    } else if (staysInTree(path)) {
      const text = output.toString("utf8", afterLine + 1, Math.min(end, afterLine + 1 + LINE_LIMIT));
      matches.push({ path, line: Number(output.toString("latin1", afterPath + 1, afterLine)), text });
    }
    start = end + 1;
  }
  return { matches, truncated };
}
