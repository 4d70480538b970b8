import { spawn } from "node:child_process";
import { once } from "node:events";
import { RelayError } from "../../lib/errors.ts";
import { gitArguments, gitEnvironment } from "./git.ts";
import { LineRecords, type FoundLine } from "./grep-records.ts";
import { firstLine } from "./tree.ts";
import { staysInTree } from "./tree-path.ts";

export type { FoundLine } from "./grep-records.ts";

export interface SearchOptions {
  ignoreCase?: boolean;
  /** Only these files and folders; literal paths of the tree. */
  under?: readonly string[];
  /** Aborts the search; lines found before have been yielded. */
  signal?: AbortSignal;
}

/**
 * Yields every line of the text files of a commit that matches an extended regular expression, in git's order, as git
 * finds them; ending the iteration stops git. The expression runs in git's process, never in ours. Throws `RelayError`
 * `invalid` for an expression that git rejects, `timeout` when the signal aborts first.
 */
export async function* searchTree(
  gitDirectory: string,
  commit: string,
  expression: string,
  options: SearchOptions = {},
): AsyncGenerator<FoundLine, void> {
  if (/[\0\r\n]/.test(expression)) throw new RelayError("invalid", "an expression is one line, without NUL");
  const flags = [
    "-n",
    "-z",
    "-I",
    "-E",
    "--column",
    "--no-color",
    "--full-name",
    ...(options.ignoreCase ? ["-i"] : []),
  ];
  const command = ["grep", ...flags, "-e", expression, commit, "--", ...(options.under ?? [])];
  const child = spawn("git", gitArguments(gitDirectory, command), {
    cwd: gitDirectory,
    // Non-ASCII expressions need a UTF-8 locale; C.UTF-8 keeps messages in English.
    env: { ...gitEnvironment(), LC_ALL: /^[\0-\x7f]*$/.test(expression) ? "C" : "C.UTF-8" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  let failure: Error | undefined;
  child.stderr.on("data", (chunk: Buffer) => {
    if (complaint.length < 4_000) complaint += chunk.toString("utf8");
  });
  child.on("error", (error) => (failure = error));
  const ended = once(child, "close").catch(() => {});
  const stop = () => child.kill("SIGKILL");
  if (options.signal?.aborted) stop();
  options.signal?.addEventListener("abort", stop, { once: true });
  try {
    const records = new LineRecords(commit.length + 1);
    let seen = { path: "", listed: false };
    for await (const chunk of child.stdout) {
      if (!Buffer.isBuffer(chunk)) continue;
      for (const line of records.add(chunk)) {
        if (line.path !== seen.path) seen = { path: line.path, listed: staysInTree(line.path) };
        if (seen.listed) yield line;
      }
    }
    await ended;
    if (options.signal?.aborted) throw new RelayError("timeout", "the search was stopped before its end");
    if (failure) throw new RelayError("config", `cannot run git: ${failure.message}`, { cause: failure });
    // 1 means that nothing matched.
    if (child.exitCode !== 0 && child.exitCode !== 1) throw refusal(complaint);
  } finally {
    options.signal?.removeEventListener("abort", stop);
    stop();
  }
}

/** Keeps only the reason at the end of git's message, which repeats the expression and the option. */
function refusal(complaint: string): RelayError {
  const reason = /^fatal: (?:-e option|command line), '[\s\S]*': ([^\n]+)/.exec(complaint)?.[1];
  if (reason !== undefined) return new RelayError("invalid", `git refuses the expression: ${reason}`);
  if (complaint === "") return new RelayError("invalid", "the expression is too much for git; make it simpler");
  return new RelayError("io", `cannot search the repository: ${firstLine(complaint)}`);
}
