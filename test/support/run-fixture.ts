import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AgentReport, AgentRequest, CodingAgent } from "../../src/adapters/agents/agent.ts";
import type { FixPlan } from "../../src/domain/plan.ts";
import type { IterationFacts, RunLogEntry } from "../../src/domain/work.ts";
import type { Launch } from "../../src/lib/launch.ts";
import { silentLog } from "../../src/lib/log.ts";
import { start } from "../../src/adapters/sandbox/process.ts";
import { ModelGateway } from "../../src/adapters/models/gateway.ts";
import type { NetworkSeen, RunContext } from "../../src/implementation/run/context.ts";
import { runLoop } from "../../src/implementation/run/loop.ts";
import type { LoopResult, WorkOrder } from "../../src/implementation/run/work-order.ts";
import { createRunLog } from "../../src/implementation/run/run-log.ts";
import type { Workspace } from "../../src/implementation/run/workspace/workspace.ts";
import type { WorkspaceStage } from "./workspace-fixture.ts";

/** Where `launchPlainly` looks for programs. */
export const PLAIN_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Starts programs on this machine, with no sandbox. */
export const launchPlainly: Launch = async (request) => {
  const PATH = [...(request.pathFirst ?? []), PLAIN_PATH].join(":");
  return await start({ ...request, environment: { PATH, ...request.environment } });
};

/** A network that lets everything through. */
export const OPEN: NetworkSeen = { isOpen: true, wasRefused: () => false, unreached: () => [] };

let runs = 0;

/** A new run's workspace, and the same taken up again, as after a crash. */
export async function openRun(stage: WorkspaceStage) {
  runs += 1;
  const run = `r${runs}`;
  const workspace = await stage.open(run);
  return {
    workspace,
    again: async () => await stage.open(run, { resumeFrom: workspace.head() }),
    /** Subjects of the commits of the branch, newest first. */
    subjects: () => {
      const log = stage.git("log", "--format=%s", `${workspace.base}..refs/relay/runs/${run}`);
      return log.split("\n").filter((line) => line !== "");
    },
  };
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
        tokens: null,
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
    neutral: false,
    issue: { name: "local/shop#12", number: 12, title: "Wrong total", url: null, language: "en" },
    spec: "The total is the sum.",
    plan: planOf(["total.txt"]),
    isFix: true,
    commands: { setup: [], checks: [], tests: [] },
    styleGuide: "standard",
    learnings: [],
    changeRequests: [],
    merge: null,
    answers: [],
    known: { body: "", said: [], settled: [], findings: [], explorations: [] },
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
  change: Partial<RunContext> = {},
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
    commandLaunch: launchPlainly,
    openCommands: async () =>
      await Promise.resolve({
        commandLaunch: launchPlainly,
        commandEnvironment: {},
        network: OPEN,
        close: async () => await Promise.resolve(),
      }),
    environment: {},
    commandEnvironment: {},
    network: OPEN,
    model: null,
    gateway: new ModelGateway({ models: null, requestsPerMinute: 1_000, priceOf: () => null }, clock),
    scanCommand: null,
    limits: { iterations: 6, minutes: 10, iterationMinutes: 5, checkMinutes: 5, usd: null, tokens: null },
    rules: { blocked: [], allowed: [], reviewed: [], deletedByPlan: [], secrets: [] },
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
    onInterrupted: async () => await Promise.resolve(),
    onProof: async (one) => {
      // One of an earlier process is not in the list.
      facts.splice(facts.at(-1)?.number === one.number ? -1 : facts.length, 1, one);
      await Promise.resolve();
    },
    ...change,
  });
  await log.close();
  return { result, facts, log: entries };
}
