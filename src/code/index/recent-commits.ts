import { RelayError } from "../../lib/errors.ts";
import { git } from "../git/git.ts";
import { termsOf, type Term } from "./terms.ts";

export interface RecentCommit {
  name: string;
  /** The first line of its message. */
  subject: string;
  /** Seconds since 1970. */
  time: number;
  /** Distinct terms in its message. */
  words: number;
  paths: readonly string[];
}

/** The recent commits, also by the terms of their messages. */
export interface RecentHistory {
  commits: readonly RecentCommit[];
  byTerm: ReadonlyMap<Term, readonly RecentCommit[]>;
}

/** Further commits add little and cost more to read. */
const COMMITS = 800;
const MOST_BYTES = 16 * 1024 * 1024;
const MESSAGE_LIMIT = 2_000;
const FORMAT = "--format=%x01%m%H %ct%n%B%x02";

/**
 * The log of the newest commits without merges, as text for the store. It ends early if git cannot read on (shallow or
 * partial clones, damaged objects). Given an earlier commit and its log, reads only the commits since.
 */
export async function recentLog(
  gitDirectory: string,
  commit: string,
  earlier: { commit: string; log: string } | null,
  signal?: AbortSignal,
): Promise<string> {
  if (earlier === null || earlier.log === "") return readLog(gitDirectory, [commit], signal);
  if (earlier.commit === commit) return earlier.log;
  // The symmetric difference, each commit marked with its side: none may be on the side of the earlier commit.
  const since = await readLog(gitDirectory, [`${earlier.commit}...${commit}`], signal);
  const isLater = !since.includes("\u0001<") && countOf(since) < COMMITS;
  return isLater ? newest(since + earlier.log) : await readLog(gitDirectory, [commit], signal);
}

async function readLog(gitDirectory: string, revisions: readonly string[], signal?: AbortSignal): Promise<string> {
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
    const result = await git(gitDirectory, [...command, ...revisions, "--"], { maxBytes: MOST_BYTES, signal });
    return result.stdout.toString("utf8");
  } catch (error) {
    // A history that is too long to read in time must not stop the indexing.
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

/** Parses a log; incomplete records are left out. */
export function readRecent(log: string): RecentHistory {
  const commits: RecentCommit[] = [];
  const byTerm = new Map<Term, RecentCommit[]>();
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
    const [subject = ""] = record.slice(header.length, Math.min(end, header.length + MESSAGE_LIMIT)).split("\n", 1);
    const commit = { name, subject: subject.trim(), time: Number(time), words: terms.size, paths };
    commits.push(commit);
    for (const term of terms) {
      const others = byTerm.get(term);
      if (others) others.push(commit);
      else byTerm.set(term, [commit]);
    }
  }
  return { commits, byTerm };
}
