import { RelayError } from "../../lib/errors.ts";
import { git } from "../git/git.ts";
import { termsOf } from "./terms.ts";
import type { Term } from "./terms.ts";

/** A commit of the recent past and what its message speaks of. */
export interface RecentCommit {
  name: string;
  /** Seconds since 1970. */
  time: number;
  /** How many different terms its message has. */
  words: number;
  paths: readonly string[];
}

/** The recent past, and which commits speak of a term. */
export interface RecentHistory {
  commits: readonly RecentCommit[];
  speakingOf: ReadonlyMap<Term, readonly RecentCommit[]>;
}

/** How far back: more tells little more, and costs more to read. */
const COMMITS = 800;
const MOST_BYTES = 16 * 1024 * 1024;
const MESSAGE_LIMIT = 2_000;
const FORMAT = "--format=%x01%m%H %ct%n%B%x02";

/**
 * The log of the newest commits without merges, as text to keep. What git cannot read (a shallow or partial clone,
 * a damaged object) ends it early. With an earlier commit and its log, only what came since is read.
 */
export async function recentLog(
  gitDirectory: string,
  commit: string,
  earlier: { commit: string; log: string } | null,
): Promise<string> {
  if (earlier === null || earlier.log === "") return readLog(gitDirectory, [commit]);
  if (earlier.commit === commit) return earlier.log;
  // Commits on one side only, each marked with its side: none may be on the earlier one's.
  const since = await readLog(gitDirectory, [`${earlier.commit}...${commit}`]);
  const isLater = !since.includes("\u0001<") && countOf(since) < COMMITS;
  return isLater ? newest(since + earlier.log) : await readLog(gitDirectory, [commit]);
}

async function readLog(gitDirectory: string, revisions: readonly string[]): Promise<string> {
  const command = [
    "log",
    `--max-count=${COMMITS}`,
    "--no-merges",
    "--no-renames",
    "--name-only",
    "--left-right",
    "-z",
    FORMAT,
  ];
  try {
    const result = await git(gitDirectory, [...command, ...revisions, "--"], { maxBytes: MOST_BYTES });
    return result.stdout.toString("utf8");
  } catch (error) {
    // A history too long to read in time is no reason to know nothing of the code.
    if (error instanceof RelayError && error.code === "timeout") return "";
    throw error;
  }
}

function countOf(log: string): number {
  return log.split("\u0001").length - 1;
}

function newest(log: string): string {
  let at = 0;
  for (let commits = 0; commits < COMMITS; commits += 1) {
    const next = log.indexOf("\u0001", at + 1);
    if (next === -1) return log;
    at = next;
  }
  return log.slice(0, at);
}

/** Takes a log apart; records that are not whole are left out. */
export function readRecent(log: string): RecentHistory {
  const commits: RecentCommit[] = [];
  const speakingOf = new Map<Term, RecentCommit[]>();
  for (const record of log.split("\u0001")) {
    const [header, name = "", time = ""] = /^[<>]([0-9a-f]{40,64}) (\d+)\n/.exec(record) ?? [];
    const end = record.indexOf("\u0002");
    if (header === undefined || end === -1) continue;
    const terms = termsOf(record.slice(header.length, Math.min(end, header.length + MESSAGE_LIMIT)));
    const paths = record
      .slice(end + 1)
      .split("\0")
      .map((path) => path.replace(/^\n/, ""))
      .filter((path) => path !== "");
    const commit = { name, time: Number(time), words: terms.size, paths };
    commits.push(commit);
    for (const term of terms) {
      const others = speakingOf.get(term);
      if (others) others.push(commit);
      else speakingOf.set(term, [commit]);
    }
  }
  return { commits, speakingOf };
}
