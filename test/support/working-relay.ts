import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { AgentReport, AgentRequest, CodingAgent } from "../../src/adapters/agents/agent.ts";
import type { TrackerEvent } from "../../src/domain/event.ts";
import type { Issue, IssueAddress } from "../../src/domain/issue.ts";
import type { Task } from "../../src/domain/plan.ts";
import type { OrchestratorDeps } from "../../src/engine/wake.ts";
import { takeTasks } from "../../src/engine/take-jobs.ts";
import { exec } from "../../src/lib/exec.ts";
import { random } from "../../src/lib/random.ts";
import { findSandbox } from "../../src/adapters/sandbox/find.ts";
import { latestTask } from "../../src/storage/tasks.ts";
import { createLabelSync } from "../../src/notify/sync-labels.ts";
import { executeTask } from "../../src/implementation/execute-task.ts";
import type { WorkerDeps } from "../../src/implementation/worker.ts";
import { type Life, BOT } from "./relay.ts";
import { WORK_SETTINGS } from "./work-settings.ts";
import { moment, openPlanning, planned, say, setMode } from "./planning-relay.ts";

/** What an agent does in a working tree, beside what it says. */
export type Deed = (request: AgentRequest) => Promise<Partial<AgentReport> | void>;

/** An agent that is a function: one deed for each run, the last one again and again. */
export function agentOf(...deeds: readonly Deed[]): CodingAgent & { runs: () => number } {
  let runs = 0;
  return {
    name: "tester",
    program: null,
    hosts: [],
    variables: [],
    runs: () => runs,
    run: async (request) => {
      const deed = deeds[Math.min(runs, deeds.length - 1)];
      runs += 1;
      const said = await deed?.(request);
      const usual = { ending: { kind: "finished" as const }, summary: "", denied: [], usd: null };
      return { ...usual, tokens: null, ...said };
    },
  };
}

/** Writes a file of the tree. */
export function writes(path: string, text: string): Deed {
  return async ({ directory }) => {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  };
}

/** Makes the empty cart's total 0. */
export const mends = writes(
  "src/cart.ts",
  `export function total(prices: number[]): number {
  return prices.reduce((sum, price) => sum + price, 0);
}
`,
);

/** Finds nothing to change: whoever takes a change for done leaves it so. */
export const idle: Deed = async () => await Promise.resolve({ summary: "I see nothing more to do." });

/** Works until it is told to stop, and tells by the folder of its tree that it has begun. */
export function hangs(begun: string[]): Deed {
  return async ({ directory, signal }) => {
    begun.push(directory);
    if (!signal?.aborted) await new Promise((resolve) => signal?.addEventListener("abort", resolve, { once: true }));
  };
}

export interface WorkingLife extends Life {
  work: WorkerDeps;
  /** Carries the task of the issue out, as its job does. */
  executeTask: (taskId: string, change?: Partial<WorkerDeps>) => Promise<void>;
  /** Has workers take tasks by themselves from now on. */
  employ: () => Promise<void>;
  git: (...args: string[]) => Promise<string>;
  /** The newest task of the issue. */
  taskOf: (issue: IssueAddress) => Promise<Task>;
  /** Carries out the newest task of the issue, and gives the issue as it is then. */
  worksOn: (issue: IssueAddress, change?: Partial<WorkerDeps>) => Promise<Issue>;
  /** The same as whoever asks for it by hand. */
  directly: (issue: IssueAddress) => Promise<void>;
  /** Somebody did something to a request of the issue, and all that follows from it is done. */
  tell: (issue: IssueAddress, event: TrackerEvent | null) => Promise<Issue>;
}

/** A Relay that carries plans out, with this agent and without a sandbox. */
export async function openWorking(
  agent: CodingAgent,
  change: (deps: OrchestratorDeps) => Partial<OrchestratorDeps> = () => ({}),
  files: Record<string, string> = {},
  queueOn?: Parameters<typeof openPlanning>[2],
): Promise<WorkingLife> {
  const life = await openPlanning(change, files, queueOn);
  setMode(life, "implement");
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const work: WorkerDeps = {
    ...life,
    random,
    home: join(life.folder, ".relay"),
    catchUp: life.orchestrator.catchUp,
    recheck: life.orchestrator.yieldToHalt,
    syncLabels: createLabelSync(life),
    withSource: async (_, look) =>
      await look({
        code: life.code,
        defaultBranch: "main",
        remote: null,
        refresh: async () => await Promise.resolve(),
      }),
    confirmers: [],
    agentName: agent.name,
    equip: async () => ({ agent, sandbox: await findSandbox({ wanted: "none", container: null }) }),
    signal: leaving.signal,
    settings: WORK_SETTINGS,
  };
  const taskOf = async (issue: IssueAddress) => {
    const task = await latestTask(life.db, (await life.existing(issue)).id);
    if (task === null) throw new Error("there is no task");
    return task;
  };
  return {
    ...life,
    work,
    taskOf,
    executeTask: async (taskId, other = {}) => await executeTask(taskId, { ...work, ...other }),
    worksOn: async (issue, other = {}) => {
      await executeTask((await taskOf(issue)).id, { ...work, ...other });
      return await life.existing(issue);
    },
    directly: async (issue) => await executeTask((await taskOf(issue)).id, work, "directly"),
    tell: async (issue, event) => {
      if (event === null) return await life.existing(issue);
      await life.deliver(event);
      await life.worked(event);
      return await life.settled(issue);
    },
    employ: async () => await takeTasks(life.queue, async (taskId) => await executeTask(taskId, work), 2),
    git: async (...args) => {
      const { code, stdout, stderr } = await exec("git", ["-C", life.code.root, ...args]);
      if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
      return stdout.toString("utf8").trim();
    },
  };
}

/** An issue whose plan somebody with the right to do so has said yes to. */
export async function agreed(life: Life): Promise<IssueAddress> {
  const issue = await planned(life);
  await moment();
  await say(life, issue, "mia", "yes");
  return issue;
}

/** Mia puts a commit with a file of that name on the branch. */
export async function pushes(life: Life, branch: string, path: string): Promise<void> {
  const folder = join(life.folder, `clone-of-${path}`);
  await gitAsMia("clone", "--quiet", "--branch", branch, life.code.root, folder);
  await writeFile(join(folder, path), "by mia\n");
  await gitAsMia("-C", folder, "add", ".");
  await gitAsMia("-C", folder, "commit", "--quiet", "-m", path);
  await gitAsMia("-C", folder, "push", "--quiet", "origin", branch);
}

async function gitAsMia(...args: string[]): Promise<void> {
  const { code, stderr } = await exec("git", ["-c", "user.name=Mia", "-c", "user.email=mia@example.org", ...args]);
  if (code !== 0) throw new Error(stderr);
}

/** What Relay says at the request, without its marker. */
export async function saidAt(life: Life, { project, number }: { project: string; number: number }): Promise<string[]> {
  const threads = await life.tracker.listReviewThreads(project, number);
  return threads
    .flatMap(({ comments }) => comments.filter(({ author }) => author === BOT))
    .map(({ body }) => body.replace(/\n\n<!--.*/, ""));
}
