import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RelayError, Postponed } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";
import { commitAt, gitArguments, gitEnvironment, gitIn, signedBy } from "../git/git.ts";
import { firstLine } from "../git/tree.ts";
import { pushBranch } from "./push.ts";
import { fallibleRemoteGit } from "./remote-git.ts";
import { type MirrorSource, parseRemote } from "./remote.ts";

/**
 * One file on a branch of its own, held by one process at a time: a commit without history that is replaced by `push
 * --force-with-lease`.
 */
export interface HeldBranch {
  /** The file when this process took the branch; null if there was none yet. */
  content: Buffer | null;
  /** Replaces the file. If another process has taken the branch over, throws `Postponed` and replaces nothing. */
  keep: (content: Buffer) => Promise<void>;
  /** Whether another process has taken the branch over. */
  isLost: () => boolean;
  /** Lets other processes take the branch; writes this content first, unless the branch is lost. */
  release: (content: Buffer | null) => Promise<void>;
}

export interface HoldOptions {
  /** Without `refs/heads/`. */
  branch: string;
  /** The file's name. */
  file: string;
  /** A description of the branch, for people who look at it. */
  readme: string;
  author: { name: string; email: string };
  /** Unique to each process. */
  holder: string;
  /** Milliseconds without a sign of life, for example after a kill, until a holder loses the branch. */
  leaseMs: number;
  /** Milliseconds to wait for another holder. */
  patienceMs: number;
  /** Ends the wait. */
  signal: AbortSignal;
  sleep: (ms: number) => Promise<void>;
}

/** `[skip ci]`: neither GitHub nor GitLab starts jobs for such commits. */
const TITLE = "State of Relay [skip ci]";
const HOLDER = /^Held by (\S+)$/m;

const LIMITS = { overallMs: 5 * 60_000, silentSeconds: 60 };

/**
 * Takes the branch, or creates it; null if another process still holds it after `patienceMs`. A holder shows that it is
 * alive by replacing the commit; only our own clock measures this, so the clocks of machines may differ. Throws
 * `RelayError` like `pushBranch`.
 */
export async function holdBranch(source: MirrorSource, options: HoldOptions): Promise<HeldBranch | null> {
  const { branch, holder, leaseMs, patienceMs, signal, sleep } = options;
  const directory = await mkdtemp(join(tmpdir(), "relay-state-"));
  const store = await openStore(directory, source, options);
  const end = performance.now() + patienceMs;
  let seen = { tip: "", since: 0 };
  try {
    for (;;) {
      signal.throwIfAborted();
      const tip = await store.tip();
      if (tip !== seen.tip) seen = { tip: tip ?? "", since: performance.now() };
      const by = tip === null ? null : await store.holderOf(tip);
      if (by === null || performance.now() - seen.since >= leaseMs) {
        const content = tip === null ? null : await store.contentOf(tip);
        const taken = await store.commit(content, holder);
        const pushed = await store.push(taken, tip);
        if (pushed.kind === "pushed") return holding(taken, content, store, options);
        if (pushed.why === "refused")
          throw new RelayError("forbidden", `${pushed.detail}; let Relay push to ${branch}`);
      } else if (performance.now() >= end) {
        await store.remove();
        return null;
      } else await sleep(Math.min(Math.max(leaseMs / 10, 100), 5_000));
    }
  } catch (error) {
    await store.remove();
    throw error;
  }
}

type Store = Awaited<ReturnType<typeof openStore>>;

/**
 * Shares of a lease: when a holder gives a sign of life, and when it can no longer be certain that it holds the branch.
 */
const BEAT = 1 / 3;
const UNCERTAIN = 2 / 3;

function holding(first: string, content: Buffer | null, store: Store, options: HoldOptions): HeldBranch {
  const { holder, leaseMs } = options;
  let current = { commit: first, content, at: performance.now() };
  let lost = false;
  /** The last push; pushes run one after another. */
  let turn: Promise<unknown> = Promise.resolve();
  let last: Buffer | null = null;
  const replace = async (next: Buffer | null, by: string | null) => {
    if (lost) throw takenOver();
    const began = performance.now();
    const commit = await store.commit(next, by);
    let pushed = await store.push(commit, current.commit);
    // An earlier push may have succeeded although its answer was lost.
    if (pushed.kind === "rejected" && store.isOwn(pushed.found)) pushed = await store.push(commit, pushed.found);
    if (pushed.kind === "rejected") {
      lost = pushed.why === "moved";
      if (lost) throw takenOver();
      throw new RelayError("unavailable", pushed.detail);
    }
    current = { commit, content: next, at: began };
  };
  const inTurn = async (work: () => Promise<void>) => {
    const mine = turn.then(work);
    turn = mine.catch(() => {});
    await mine;
  };
  const beat = async () => {
    if (performance.now() - current.at >= leaseMs * BEAT) await replace(current.content, holder);
  };
  const timer = setInterval(() => void inTurn(beat).catch(() => {}), leaseMs * BEAT);
  return {
    content,
    isLost: () => lost,
    keep: async (next) => {
      last = next;
      await inTurn(async () => {
        // A later call may already have set newer content.
        const newest = last ?? next;
        const isSame = current.content !== null && newest.equals(current.content);
        if (lost) throw takenOver();
        if (!isSame || performance.now() - current.at >= leaseMs * UNCERTAIN) await replace(newest, holder);
      });
    },
    release: async (next) => {
      clearInterval(timer);
      try {
        await inTurn(async () => await replace(next ?? current.content, null));
      } finally {
        await store.remove();
      }
    },
  };
}

function takenOver(): Postponed {
  return new Postponed("another job has taken over the state of Relay", { retryAfterMs: 1_000 });
}

/** Commits of one file, in a temporary repository. */
async function openStore(directory: string, source: MirrorSource, options: HoldOptions) {
  const { branch, file, readme, author } = options;
  const remote = parseRemote(source);
  const ref = `refs/heads/${branch}`;
  const own = new Set<string>();
  let count = 0;
  const made = await gitIn(directory, ["init", "--quiet", "--bare", directory]);
  if (made.code !== 0)
    throw new RelayError("io", `cannot make a repository in ${directory}: ${firstLine(made.stderr)}`);
  const remotely = fallibleRemoteGit(source, remote, { limits: LIMITS, signal: undefined, writes: true });
  const run = async (
    command: readonly string[],
    input: string | Buffer = "",
    variables: Record<string, string> = {},
  ) => {
    const { code, stdout, stderr } = await exec("git", gitArguments(directory, command), {
      cwd: directory,
      env: { ...gitEnvironment(), ...variables },
      input,
      maxBytes: MOST_BYTES,
    });
    if (code === 0) return stdout;
    throw new RelayError(
      "io",
      `git ${command[0] ?? ""} failed for ${branch}: ${firstLine(stderr)}; see that it is whole`,
    );
  };
  const blob = async (content: string | Buffer) => lineOf(await run(["hash-object", "-w", "--stdin"], content));
  return {
    tip: async (): Promise<string | null> => {
      const { result, failure } = await remotely(directory, ["ls-remote", "--", remote.url, ref]);
      if (failure !== null) throw failure;
      const tip = /^([0-9a-f]{40,64})\t/m.exec(result.stdout)?.[1] ?? null;
      if (tip === null || (await commitAt(directory, tip)) !== null) return tip;
      const fetch = ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"];
      const fetched = await remotely(directory, [...fetch, "--", remote.url, `+${ref}:refs/relay/seen`]);
      if (fetched.failure !== null) throw fetched.failure;
      return await commitAt(directory, "refs/relay/seen");
    },
    holderOf: async (commit: string): Promise<string | null> =>
      HOLDER.exec((await run(["log", "-1", "--format=%B", "--end-of-options", commit])).toString("utf8"))?.[1] ?? null,
    contentOf: async (commit: string): Promise<Buffer | null> => {
      const listed = (await run(["ls-tree", "--full-tree", commit, "--", file])).toString("utf8");
      if (listed === "") return null;
      const object = /^100644 blob ([0-9a-f]+)\t/.exec(listed)?.[1];
      if (object === undefined) throw new RelayError("invalid", `${file} on ${branch} is not a plain file`);
      return await run(["cat-file", "blob", object]);
    },
    commit: async (content: Buffer | null, holder: string | null): Promise<string> => {
      const entries = [`100644 blob ${await blob(readme)}\tREADME.md\n`];
      if (content !== null) entries.push(`100644 blob ${await blob(content)}\t${file}\n`);
      const tree = lineOf(await run(["mktree"], entries.join("")));
      count += 1;
      const message = [TITLE, ...(holder === null ? [] : ["", `Held by ${holder}`, "", `Sign of life ${count}`])];
      const commit = await run(["commit-tree", "-F", "-", tree], message.join("\n"), signedBy(author, new Date()));
      own.add(lineOf(commit));
      return lineOf(commit);
    },
    push: async (commit: string, expected: string | null) => {
      const pushed = await pushBranch(source, { directory, commit, branch, expected });
      return pushed.kind === "already there" ? ({ kind: "pushed" } as const) : pushed;
    },
    isOwn: (commit: string | null): boolean => commit !== null && own.has(commit),
    remove: async () => await rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** More than GitHub accepts for one file. */
const MOST_BYTES = 128 * 1024 * 1024;

function lineOf(output: Buffer): string {
  return output.toString("utf8").trim();
}
