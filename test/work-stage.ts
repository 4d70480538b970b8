import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { AgentReport, AgentRequest, CodingAgent } from "../src/agents/agent.ts";
import type { FixPlan } from "../src/domain/plan.ts";
import type { ChangedFile, IterationFacts, RunLogEntry, Undone } from "../src/domain/work.ts";
import { environmentWith, exec } from "../src/lib/exec.ts";
import type { Ending, Launch } from "../src/lib/launch.ts";
import { silentLog } from "../src/lib/log.ts";
import type { Equipment } from "../src/work/equipment.ts";
import type { LoopResult, WorkOrder } from "../src/work/order.ts";
import { runLoop } from "../src/work/loop.ts";
import { createRunLog } from "../src/work/run-log.ts";
import type { Workspace } from "../src/work/workspace/workspace.ts";

/** Starts programs on this machine, each in a group of its own. */
export const launchPlainly: Launch = async (request) => {
  await Promise.resolve();
  const child = spawn(request.command, request.args, {
    cwd: request.cwd,
    env: environmentWith({ ...request.environment }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let ending: Ending = "exit";
  let size = 0;
  const end = (how: Ending) => {
    if (ending === "exit") ending = how;
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It is gone already.
    }
  };
  const count = (chunk: Buffer) => {
    size += chunk.length;
    if (size > request.mostOutputBytes) end("flooded");
  };
  child.stdout.on("data", count);
  child.stderr.on("data", count);
  const timer = setTimeout(() => end("timeout"), request.timeoutMs);
  const stop = () => end("stopped");
  request.signal?.addEventListener("abort", stop);
  const exit = new Promise<{ ending: Ending; code: number | null }>((resolve) => {
    child.on("close", (code) => {
      clearTimeout(timer);
      request.signal?.removeEventListener("abort", stop);
      resolve({ ending, code });
    });
  });
  return { stdin: null, stdout: child.stdout, stderr: child.stderr, exit, end: () => end("stopped") };
};

async function git(directory: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await exec("git", args, { cwd: directory });
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.toString("utf8").trim();
}

/** A working tree with real git, and as simple as can be: `undo` says which changes may not stand. */
export async function plainWorkspace(
  files: Record<string, string>,
  undo: (path: string) => Undone | null = () => null,
) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "relay-loop-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const directory = join(home, "tree");
  await mkdir(directory);
  await git(directory, "init", "--quiet", "--initial-branch=main");
  await writeFile(join(directory, ".git/info/exclude"), ".relay-task/\n");
  await git(directory, "config", "user.name", "Test");
  await git(directory, "config", "user.email", "test@example.org");
  for (const [path, content] of Object.entries(files)) await put(directory, path, content);
  await git(directory, "add", "--all");
  await git(directory, "commit", "--quiet", "--allow-empty", "-m", "begin");
  const base = await git(directory, "rev-parse", "HEAD");
  return await workspaceAt(home, base, undo);
}

/** The same tree, taken up again where its branch stands. */
export async function workspaceAt(home: string, base: string, undo: (path: string) => Undone | null = () => null) {
  const directory = join(home, "tree");
  let head = await git(directory, "rev-parse", "HEAD");
  const differing = async (from: string, to: readonly string[]): Promise<ChangedFile[]> => {
    const names = await git(directory, "diff", "--no-renames", "--name-status", from, ...to);
    const lines = names.split("\n").filter((line) => line !== "");
    return lines.map((line) => {
      const [status = "", path = ""] = line.split("\t");
      const change = status === "A" ? "added" : status === "D" ? "deleted" : "modified";
      return { path, change, addedLines: 1, removedLines: 0 };
    });
  };
  const workspace: Workspace = {
    directory,
    home: join(home, "home"),
    cache: join(home, "cache"),
    notes: join(directory, ".relay-task"),
    outside: join(home, "outside"),
    base,
    objects: [],
    head: () => head,
    renew: async () => await Promise.resolve(),
    settle: async () => {
      await git(directory, "add", "--all");
      const undone: Undone[] = [];
      for (const { path } of await differing(head, ["--cached"])) {
        const why = undo(path);
        if (why === null) continue;
        undone.push(why);
        await git(directory, "reset", "--quiet", head, "--", path);
        await rm(join(directory, path), { force: true });
      }
      return { changed: await differing(head, ["--cached"]), undone };
    },
    commit: async (message, { name, email }) => {
      await git(directory, "-c", `user.name=${name}`, "-c", `user.email=${email}`, "commit", "--quiet", "-m", message);
      head = await git(directory, "rev-parse", "HEAD");
      return head;
    },
    tidy: async () => {
      await git(directory, "reset", "--quiet", "--hard", head);
      await git(directory, "clean", "-qfd");
    },
    changes: async () => await differing(base, [head]),
    patch: async (most) => (await git(directory, "diff", base, head)).slice(0, most),
    rebaseOnto: async () => await Promise.resolve({ kind: "rebased" as const }),
    close: async () => await rm(home, { recursive: true, force: true }),
  };
  return { home, workspace, log: async () => await git(directory, "log", "--format=%s", `${base}..HEAD`) };
}

async function put(directory: string, path: string, content: string): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), content);
}

/** What a run of the agent sees and can do. */
export interface Act {
  request: AgentRequest;
  /** From 1. */
  run: number;
  task: string;
  write: (path: string, content: string) => Promise<void>;
}

/** An agent that is a function of the test's. */
export function actor(does: (act: Act) => Promise<Partial<AgentReport> | void>): CodingAgent & { tasks: string[] } {
  const tasks: string[] = [];
  return {
    tasks,
    name: "actor",
    program: null,
    hosts: [],
    variables: [],
    run: async (request) => {
      const task = await readFile(join(request.directory, ".relay-task/task.md"), "utf8");
      tasks.push(task);
      const write = async (path: string, content: string) => await put(request.directory, path, content);
      const report = await does({ request, run: tasks.length, task, write });
      const told = {
        ending: { kind: "finished" as const },
        summary: "",
        denied: [],
        inputTokens: null,
        outputTokens: null,
      };
      return { ...told, usd: 0.1, ...report };
    },
  };
}

export function planOf(files: readonly string[]): FixPlan {
  return {
    issue_number: 12,
    branch_name: "fix/12-wrong-total",
    plan_steps: [{ order: 1, description: "Mend the total", command: null, files_involved: [...files] }],
    file_changes: files.map((path) => ({
      path,
      operation: "MODIFY",
      change_summary: "The total is right",
      line_range: null,
    })),
    validation_commands: [],
    human_check_reason: null,
    estimated_duration: 15,
    timestamp: "2026-01-01T00:00:00Z",
  };
}

export function orderOf(change: Partial<WorkOrder> = {}): WorkOrder {
  return {
    reason: "plan",
    issue: { name: "local/shop#12", number: 12, title: "Wrong total", url: null, language: "en" },
    spec: "The total is the sum.",
    plan: planOf(["total.txt"]),
    commands: { setup: [], checks: [], tests: [] },
    styleGuide: "standard",
    learnings: [],
    wishes: [],
    answers: [],
    ...change,
  };
}

export interface Played {
  result: LoopResult;
  facts: IterationFacts[];
  log: RunLogEntry[];
}

/** Plays a whole run. */
export async function play(
  order: WorkOrder,
  workspace: Workspace,
  agent: CodingAgent,
  change: Partial<Equipment> = {},
): Promise<Played> {
  const facts: IterationFacts[] = [];
  const entries: RunLogEntry[] = [];
  const clock = { now: () => new Date() };
  const sink = async (batch: readonly RunLogEntry[]) => {
    entries.push(...batch);
    await Promise.resolve();
  };
  const log = createRunLog({ clock, sink, log: silentLog });
  const result = await runLoop(order, {
    workspace,
    agent,
    launch: launchPlainly,
    environment: {},
    commandEnvironment: {},
    model: null,
    limits: { iterations: 6, minutes: 10, iterationMinutes: 5, checkMinutes: 5, usd: null },
    rules: { blocked: [], allowed: [], deletedByPlan: [] },
    author: { name: "Relay", email: "relay@example.org" },
    clock,
    random: Math.random,
    log,
    signal: new AbortController().signal,
    earlier: [],
    onIteration: async (one) => {
      facts.push(one);
      await Promise.resolve();
    },
    ...change,
  });
  await log.close();
  return { result, facts, log: entries };
}
