import { type IssueState, STATE_WORDS } from "../../domain/lifecycle.ts";
import { existsSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import { type Issue, issueName } from "../../domain/issue.ts";
import type { FixPlan, PostedPlan, Risk, Task, TriageResult } from "../../domain/plan.ts";
import { sleep } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Relay } from "../../app/relay.ts";
import { listGaps } from "../../storage/gaps.ts";
import { overviewsOf } from "../../storage/issue-overview.ts";
import { getIssue } from "../../storage/issues.ts";
import { getPlan, latestPlan } from "../../storage/plans.ts";
import { latestRun } from "../../storage/runs.ts";
import { findRequest } from "../../storage/pull-requests.ts";
import { latestTask } from "../../storage/tasks.ts";
import { type Concern, riskOf } from "../../domain/concern.ts";
import type { Run, TaskRequest } from "../../domain/work.ts";
import { plan } from "./plan.ts";
import { agreeInTerminal, answerInTerminal, converse } from "../converse.ts";
import { readIssueToStore } from "../input-files.ts";
import { pickIssue } from "../issues.ts";
import { importIssue, inTurn, say, takeUp } from "../local-issue.ts";
import { lackLines, planText, workText } from "../plan-text.ts";
import { followRun, throughOutages } from "../run-lines.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { commandLog, configOf, openRelay, orInterrupted } from "../session.ts";

export interface WorkOptions extends CommonOptions {
  repo: string;
  agent?: NonNullable<Config["work"]["agent"]>;
  patch?: string;
  sandbox?: Config["work"]["sandbox"];
  yes?: boolean;
  dryRun?: boolean;
}

/** What `relay work --json` prints of a run. */
export interface WorkAnswer {
  issue: string;
  state: IssueState;
  run: (Pick<Run, "id" | "status" | "agent" | "iterations" | "detail"> & { cost_usd: number }) | null;
  branch: string | null;
  commit: string | null;
  pull_request: OpenedRequest | null;
}

/** The request that it opened; `risk` and `concerns` are what a person should look at. */
export interface OpenedRequest {
  number: number;
  url: string | null;
  title: string;
  draft: boolean;
  body: string;
  risk: Risk | null;
  concerns: Concern[];
}

/** What `relay work --dry-run --json` prints of an issue with a plan; of a file, it prints what `relay plan` does. */
export interface DryRunAnswer {
  issue: string;
  state: IssueState;
  plan: FixPlan;
  triage: TriageResult;
}

/** States with a plan that could be implemented once approved. */
const PLANNED = new Set<IssueState>(["waiting_confirmation", "queued", "in_progress", "stuck", "failed"]);

/**
 * `relay work ISSUE`: implements one plan with the configured coding agent. An issue file is planned first, as `relay
 * spec` writes a spec; nothing is changed before the plan is approved.
 */
export async function work(wanted: string, options: WorkOptions, terminal: Terminal): Promise<number> {
  const config = withWork(configOf(options, terminal), options);
  const log = commandLog(options, config);
  if (options.dryRun && isFile(wanted)) return await dryRun(wanted, options, terminal);
  // What cannot be read is refused before anything is opened.
  const file = isFile(wanted) ? await readIssueToStore(wanted, terminal) : null;
  const opening = openRelay(config, { log, plansLocally: true });
  return await orInterrupted(terminal, opening, async (relay) => {
    const found = file === null ? await pickIssue(relay.db, wanted) : await bring(relay, file, options);
    const issue = options.dryRun ? found : await toPlan(relay, found, options, terminal);
    const posted = await latestPlan(relay.db, issue.id);
    const request = await mergedRequest(relay, issue);
    if (request !== null) {
      terminal.out(`${issueName(issue)} is done: its branch ${request.branch} is in ${request.base}\n`);
      return EXIT.done;
    }
    const isPlanned = PLANNED.has(issue.state);
    const planned = isPlanned || issue.provider === "local" ? await relay.workOf(issue) : null;
    if (planned !== null && planned.problem !== null) terminal.err(`relay: ${planned.problem}\n`);
    if (posted === null || planned === null || !isPlanned) {
      terminal.err(`relay: ${whyNoPlan(issue)}\n`);
      return EXIT.negative;
    }
    if (!options.json) terminal.out(planText(posted));
    if (!options.json) terminal.out(workText(planned));
    if (options.dryRun) return showPlan(issue, posted, options, terminal);
    if (issue.state === "waiting_confirmation" && !options.yes) await tryFirst(relay, posted, terminal);
    const task = await agree(relay, issue, options, terminal);
    if (task === null) {
      terminal.err("relay: the plan waits for a yes; nothing was changed (--yes says it)\n");
      return EXIT.negative;
    }
    const running = throughOutages(relay, task, async () => {
      await inTurn(relay, issue, async () => await relay.executeTask(task.id));
    });
    await followRun(relay, task, { ...terminal, progress: terminal.progress || options.json !== true }, running);
    return await report(relay, await getIssue(relay.db, issue.id), task, options, terminal);
  });
}

function withWork(config: Config, { agent, patch, sandbox }: WorkOptions): Config {
  const chosen = agent ?? (patch === undefined ? undefined : ("script" as const));
  return {
    ...config,
    // Asking for work implies asking for a plan.
    mode: config.mode === "spec" ? "plan" : config.mode,
    work: {
      ...config.work,
      ...(chosen === undefined ? {} : { agent: chosen }),
      ...(patch === undefined ? {} : { patch }),
      ...(sandbox === undefined ? {} : { sandbox }),
    },
  };
}

/** Plans an issue file without keeping anything, as `relay plan` does. */
async function dryRun(wanted: string, options: WorkOptions, terminal: Terminal): Promise<number> {
  const code = await plan(wanted, options, terminal);
  if (!options.json && code === EXIT.done) terminal.out("\nNothing was changed (--dry-run).\n");
  return code;
}

function isFile(wanted: string): boolean {
  return wanted === "-" || existsSync(wanted);
}

/** The request of a finished issue, if people merged it. */
async function mergedRequest(relay: Relay, issue: Issue): Promise<TaskRequest | null> {
  const task = issue.state === "done" ? await latestTask(relay.db, issue.id) : null;
  const request = task && (await findRequest(relay.db, task.id));
  return request?.state === "merged" ? request : null;
}

/** The issue of a file. */
async function bring(
  relay: Relay,
  { issue, url }: Awaited<ReturnType<typeof readIssueToStore>>,
  { repo }: WorkOptions,
): Promise<Issue> {
  const project = await relay.connectLocal(repo);
  return await relay.db.withLock(`import ${project}`, async () => await importIssue(relay, project, issue, url));
}

/** The issue once everything that people did to it is taken up: edits, comments, a merge of its branch. */
async function toPlan(relay: Relay, issue: Issue, options: WorkOptions, terminal: Terminal): Promise<Issue> {
  if (issue.provider !== "local") return issue;
  return await relay.db.withLock(
    `conversation ${issueName(issue)}`,
    async () => await converse(relay, issue, { answers: null, yes: options.yes ?? false, terminal }),
  );
}

/** People wait at most this long for a slow set-up, in milliseconds. */
const TRY_MS = 60_000;

/** Checks what the work needs before anybody is asked for a yes, and says what is missing (R-WORK-16). */
async function tryFirst(relay: Relay, { id }: PostedPlan, terminal: Terminal): Promise<void> {
  if (relay.config.work.agent === undefined) return;
  terminal.err("Trying the sandbox, the agent and the set-up …\n");
  const trying = relay.preflight(id);
  // If it takes longer, it finishes while the question is shown.
  trying.catch(() => {});
  const waiting = new AbortController();
  await Promise.race([trying, sleep(TRY_MS, waiting.signal)]);
  waiting.abort();
  terminal.err(lackLines((await getPlan(relay.db, id)).lacks ?? []));
}

/** The task of the plan; null until it is approved. */
async function agree(relay: Relay, issue: Issue, options: WorkOptions, terminal: Terminal): Promise<Task | null> {
  if (issue.state === "stuck" || issue.state === "failed") await tryAgain(relay, issue, options, terminal);
  if (issue.state === "waiting_confirmation" && issue.provider === "local") {
    const words = options.yes ? "Yes, go ahead." : terminal.interactive ? await agreeInTerminal(terminal) : null;
    if (words === null) return null;
    await say(relay, issue, words);
    await takeUp(relay, issue);
  }
  const task = await latestTask(relay.db, issue.id);
  return task !== null && (task.status === "queued" || task.status === "running") ? task : null;
}

/** Asks the coding agent's open questions first; without answers the task is simply retried. */
async function tryAgain(relay: Relay, issue: Issue, options: WorkOptions, terminal: Terminal): Promise<void> {
  const open = (await listGaps(relay.db, issue.id)).filter(({ status }) => status === "open");
  const asked = issue.state === "stuck" && issue.provider === "local" ? open : [];
  const answer = options.yes ? DECIDE_YOURSELF : terminal.interactive ? await answerInTerminal(asked, terminal) : null;
  if (asked.length > 0 && answer !== null) {
    await say(relay, issue, answer);
    await takeUp(relay, issue);
  }
  if ((await getIssue(relay.db, issue.id)).state === issue.state) await relay.orchestrator.retryTask(issue.id);
}

const DECIDE_YOURSELF = "Nobody is there to answer: decide it yourself, and say what you have assumed.";

function showPlan(
  issue: Issue,
  { plan: planned, triage }: PostedPlan,
  options: WorkOptions,
  terminal: Terminal,
): number {
  if (options.json) {
    printJson<DryRunAnswer>(terminal, { issue: issueName(issue), state: issue.state, plan: planned, triage });
  } else {
    terminal.out("\nNothing was changed (--dry-run).\n");
  }
  return EXIT.done;
}

async function report(
  relay: Relay,
  issue: Issue,
  task: Task,
  options: WorkOptions,
  terminal: Terminal,
): Promise<number> {
  const run = await latestRun(relay.db, task.id);
  const request = await findRequest(relay.db, task.id);
  const { plan: planned, concerns } = (await overviewsOf(relay.db, [issue.id]))(issue.id);
  const opened =
    request && (await (await relay.codeHostOf(issue)).getPullRequest(issue.externalProjectId, request.number));
  if (options.json) {
    printJson<WorkAnswer>(terminal, {
      issue: issueName(issue),
      state: issue.state,
      run: run && {
        id: run.id,
        status: run.status,
        agent: run.agent,
        iterations: run.iterations,
        cost_usd: run.usd,
        detail: run.detail,
      },
      branch: request?.branch ?? null,
      commit: run?.head ?? null,
      pull_request: opened && {
        number: opened.number,
        url: opened.url,
        title: opened.title,
        draft: opened.draft,
        body: opened.body,
        risk: planned && riskOf(planned.triage.risk, concerns).risk,
        concerns,
      },
    });
  } else if (opened) {
    terminal.out(
      `\nBranch ${opened.head} (${run?.head?.slice(0, 12) ?? ""}), after ${run?.iterations ?? 0} iteration(s)\n\n`,
    );
    terminal.out(`# ${opened.title}\n\n${opened.body.replaceAll(/<!--[\s\S]*?-->/g, "").trim()}\n`);
  }
  if (opened) return EXIT.done;
  if (!options.json) {
    terminal.err(`relay: no change was made: ${run?.detail ?? `the issue is ${STATE_WORDS[issue.state]}`}\n`);
    const asks = (await listGaps(relay.db, issue.id)).some(({ status }) => status === "open");
    terminal.err(`${whatNext(issue, asks)}\n`);
  }
  return EXIT.negative;
}

function whatNext({ externalIssueId: id, state }: Issue, asks: boolean): string {
  const log = `\`relay log ${id} --run\` shows what was tried`;
  if (state !== "stuck" && state !== "failed") return log;
  return `${log}; \`relay work ${id}\` tries again${asks ? ", and takes an answer in a terminal" : ""}`;
}

function whyNoPlan(issue: Issue): string {
  const name = issueName(issue);
  switch (issue.state) {
    case "clarifying":
      return `${name} has open questions; answer them in a terminal, or pass --yes to continue with assumptions`;
    case "awaiting_proceed":
      return `${name} waits for the go-ahead for its spec (--yes gives it)`;
    case "in_review":
      return issue.provider === "local"
        ? `${name} is in review: merge its branch, or add a comment to its file that says what should be different, and run this again`
        : `${name} is in review already; what is said there is taken up by \`relay serve\``;
    case "paused":
    case "closed":
      return `${name} is ${STATE_WORDS[issue.state]}; continue it with \`relay resume ${issue.externalIssueId}\``;
    default:
      throw new RelayError(
        "usage",
        `${name} is ${STATE_WORDS[issue.state]} and has no plan; see \`relay log ${issue.externalIssueId}\``,
      );
  }
}
