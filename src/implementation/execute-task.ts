import type { CodingAgent } from "../adapters/agents/agent.ts";
import type { Repository } from "../code/git/repository.ts";
import { code as inCode } from "../domain/text/comment-markdown.ts";
import { phrases } from "../i18n/phrases.ts";
import { postOnce } from "../notify/post-once.ts";
import { prepareTree } from "./run/workspace/prepared-trees.ts";
import { issueName } from "../domain/issue.ts";
import { type Outage, isLong, nextOutage } from "../domain/outage.ts";
import { withTaskLock } from "./task-lock.ts";
import { RelayError, messageOf, lostAccess } from "../lib/errors.ts";
import { inSpan, noteInSpan } from "../lib/trace.ts";
import { type GatewayRequest, ModelGateway } from "../adapters/models/gateway.ts";
import { readCertificates } from "../adapters/sandbox/certificates.ts";
import type { OpenSandbox } from "../adapters/sandbox/sandbox.ts";
import { recordAccess, recordNoAccess } from "../storage/audit.ts";
import { findTask, isTaskActive } from "../storage/tasks.ts";
import { addCost, listEndedRuns, recordIteration, recordProof, runFacts } from "../storage/runs.ts";
import { appendLog, lastLogged } from "../storage/run-log.ts";
import { runLoop } from "./run/loop.ts";
import type { LoopResult, WorkOrder } from "./run/work-order.ts";
import { createRunLog } from "./run/run-log.ts";
import { dropRunHead, pruneRunHeads } from "./run/workspace/source.ts";
import type { Workspace } from "./run/workspace/workspace.ts";
import { assembleOrder } from "./task-context.ts";
import { type Claim, claim, spanOf } from "./claim.ts";
import { deliver, adoptLostRequest } from "./deliver.ts";
import { endIfUnmergeable, endIfUnneeded } from "./conflict.ts";
import { endBadly, endWithout, isWanted } from "./outcomes.ts";
import type { CodeSource, WorkSettings, WorkerDeps } from "./worker.ts";
import { awaitEnd, outageText, waitOut } from "./outages.ts";
import { awaitReady } from "./preflight.ts";
import { rulesOf } from "./commit-rules.ts";
import { addressesIn, networkOf, openSandboxFor, packageFolders } from "./sandboxes.ts";
import { costLimit, recordAgentRun } from "./spending.ts";
import { openTree } from "./worktree.ts";
import { withThreads } from "./change-requests.ts";

/** Milliseconds between checks whether the task was cancelled. */
const LOOK_MS = 2_000;

/**
 * The job of a task: the coding agent carries out the approved plan, and Relay opens one pull request (R-WORK-1,
 * R-WORK-2). Returns when the run is over, whatever its result. Throws transient errors, so that the job is retried and
 * the run resumes where it was, even after a crash (R-WORK-8). With `directly`, it also takes tasks that wait for a
 * person.
 */
export async function executeTask(taskId: string, deps: WorkerDeps, asked?: "directly"): Promise<void> {
  const { db, log } = deps;
  await withTaskLock(taskId, async () => await executeAlone(taskId, deps, asked), { db, log, asked });
}

async function executeAlone(taskId: string, deps: WorkerDeps, asked?: "directly"): Promise<void> {
  if (asked === undefined) {
    await awaitEnd(taskId, deps);
    await awaitReady(taskId, deps);
  }
  const found = await claim(taskId, deps, asked).catch(async (error: unknown) => {
    const waiting = lostAccess(error);
    const task = waiting && (await findTask(deps.db, taskId));
    if (task) await recordNoAccess(deps.db, task.issueId, { why: waiting.message, work: "run" }, deps);
    throw waiting ?? error;
  });
  if (found === null) return;
  const { issue, run } = found;
  deps.log.info({ issue: issueName(issue), task: taskId, run: run.id, reason: run.reason }, "run begins");
  try {
    if (await adoptLostRequest(found, deps)) return;
    await deps.withSource(found.repository, async (source) => {
      await inSpan("run", spanOf(found), async () => await work(found, source, deps));
      await recordAccess(deps.db, issue.id, "run", deps);
      // Prepares the tree for the next run.
      await prepare(source.code, deps);
      await releaseFinished(source.code, deps);
    });
  } catch (error) {
    const waiting = lostAccess(error);
    if (waiting !== null) await tellNoAccess(found, waiting.message, deps);
    const about = { issue: issueName(issue), run: run.id, error: messageOf(error) };
    const goesOn = error instanceof RelayError && error.retryable;
    if (goesOn) deps.log.info(about, "run interrupted; it goes on later");
    if (goesOn) throw error;
    if (waiting !== null) throw waiting;
    deps.log.error(about, "run failed");
    await endBadly(found, messageOf(error), deps);
  }
}

/** Comments once, if Relay still can, that access is missing; the run continues once access is back. */
async function tellNoAccess({ issue, run, tracker }: Claim, why: string, deps: WorkerDeps): Promise<void> {
  await recordNoAccess(deps.db, issue.id, { why, work: "run" }, deps);
  const say = phrases("work", issue.language);
  const words = `${say("no_access")}\n\n> ${inCode(why, LONGEST_REASON)}`;
  const told = postOnce(issue, { key: `access:${run.id}`, words, why }, { ...deps, tracker });
  await told.catch((error: unknown) => {
    deps.log.warn({ issue: issueName(issue), error: messageOf(error) }, "cannot tell that access is missing");
  });
}

const LONGEST_REASON = 500;

/** Writes the files of a commit before a run needs them, since this is the slowest step before an agent can start. */
export async function prepare(code: Pick<Repository, "gitDirectory" | "commit">, deps: PrepareDeps): Promise<void> {
  await prepareTree(deps.home, code.gitDirectory, code.commit).catch((error: unknown) => {
    deps.log.debug({ error: messageOf(error) }, "no tree was prepared");
  });
}

/** Releases the commits of finished runs. On a machine that only runs a worker, nothing else does this. */
async function releaseFinished(
  { gitDirectory }: Pick<Repository, "gitDirectory">,
  { db, log }: WorkerDeps,
): Promise<void> {
  await pruneRunHeads(gitDirectory, async (runs) => await listEndedRuns(db, runs)).catch((error: unknown) => {
    log.debug({ error: messageOf(error) }, "cannot release the commits of finished runs");
  });
}

type PrepareDeps = Pick<WorkerDeps, "home" | "log">;

async function work(found: Claim, source: CodeSource, deps: WorkerDeps): Promise<void> {
  const opened = await openTree(found, source, deps);
  const { tree } = opened;
  // Keep the commits for a later run: after a crash, or with an answer.
  let over = false;
  try {
    over = await endIfUnneeded(found, opened, deps);
    if (over) return;
    const order = await assembleOrder(found, source.code, opened.moved, deps);
    const { result, refused, outage } = await loop(found, order, tree, deps);
    noteInSpan({ "relay.outcome": result.kind });
    const wanted = result.kind === "stopped" ? await isTaskActive(deps.db, found.task.id) : await isWanted(found, deps);
    if (result.kind === "stopped" && wanted) {
      // Only the process is stopping; another one continues the task.
      throw new RelayError("unavailable", "the worker was stopped in the middle of a run", { retryable: true });
    }
    if (wanted && outage !== null) throw await waitOut(found, outage, deps);
    if (!wanted) await endWithout(found, { kind: "stopped" }, deps);
    else if (result.kind === "done") await deliver(found, result, { ...opened, source }, deps);
    else if (await endIfUnmergeable(found, result, { ...opened, source }, deps)) over = true;
    else await endWithout(found, result, deps, refused);
    over ||= !wanted || result.kind === "done" || result.kind === "unusable";
    for (const { id } of over ? found.earlier : []) await dropRunHead(source.code.gitDirectory, id);
  } finally {
    await tree.close({ keepCommits: !over });
  }
}

interface Looped {
  result: LoopResult;
  /** Refused hosts that may explain the result, and that `work.network` could allow. */
  refused: readonly string[];
  /** The outage that the run must wait for; null if the run is over. */
  outage: Outage | null;
}

async function loop(found: Claim, order: WorkOrder, tree: Workspace, deps: WorkerDeps): Promise<Looped> {
  const { run, codeHost, issue } = found;
  const { settings, db } = deps;
  const stop = watch(found.task.id, deps);
  const log = createRunLog({
    clock: deps.clock,
    log: deps.log,
    sink: async (entries) => await appendLog(db, run.id, entries),
    after: await lastLogged(db, run.id),
  });
  const opened: OpenSandbox[] = [];
  const commandSandboxes: OpenSandbox[] = [];
  const gateways: ModelGateway[] = [];
  try {
    const { sandbox, agent } = await deps.equip();
    for (const weakness of sandbox.weaknesses) log.add("output", `sandbox ${sandbox.kind}: ${weakness}\n`);
    const { named: certificates, problems } = await readCertificates(settings.certificates);
    for (const problem of problems) log.add("problem", `certificates: ${problem}`);
    // Only the agent may reach the model, not the repository's own programs. If Relay's gateway leads to the model, the
    // agent reaches it in no other way (R-WORK-13).
    const own = settings.models.length > 0 ? [] : agent.hosts;
    const gateway = new ModelGateway({ ...settings.gateway, models: modelsOf(agent, settings) }, deps.clock);
    gateways.push(gateway);
    const models = settings.models.map(({ provider, ...server }) => ({
      ...server,
      enter: (request: GatewayRequest) => gateway.enter(provider, request),
    }));
    const forAgent = await openSandboxFor(
      "agent",
      tree,
      [...own, ...settings.hosts],
      { sandbox, agent, models, certificates },
      deps,
    );
    opened.push(forAgent);
    const openCommands = async (around: Workspace) => {
      const equipment = { sandbox, agent: null, models: [], certificates };
      const forCommands = await openSandboxFor("commands", around, settings.hosts, equipment, deps);
      opened.push(forCommands);
      commandSandboxes.push(forCommands);
      return {
        commandLaunch: forCommands.launch,
        commandEnvironment: packageFolders(around.cache),
        network: networkOf(forCommands, sandbox, settings.hosts),
        close: async () => await forCommands.close(),
      };
    };
    const { commandLaunch, commandEnvironment, network } = await openCommands(tree);
    const { iterations: earlier } = await runFacts(db, run.id);
    const result = await runLoop(order, {
      workspace: tree,
      agent,
      launch: forAgent.launch,
      commandLaunch,
      openCommands,
      environment: { ...settings.environment, ...addressesIn(forAgent, settings) },
      commandEnvironment,
      network,
      random: deps.random,
      model: settings.model,
      gateway,
      scanCommand: settings.scanCommand,
      limits: { ...settings.limits, usd: costLimit(found, settings.limits.usd, earlier) },
      rules: rulesOf(found, settings),
      author: await codeHost.commitAuthor(issue.externalProjectId),
      clock: deps.clock,
      log,
      signal: stop.signal,
      earlier,
      onIteration: async (facts) => {
        await recordAgentRun(found, facts, deps);
        // The task was cancelled: stop without waiting for the next check.
        if (!(await recordIteration(db, run.id, withThreads(facts, found.changeRequests)))) stop.now();
        if (run.outage !== null && isLong(run.outage, deps.clock.now())) await deps.jobs.sendStatus(issue);
      },
      onInterrupted: async (facts) => {
        await recordAgentRun(found, facts, deps);
        await addCost(db, run.id, facts.usd);
      },
      onProof: async (facts) => {
        if (!(await recordProof(db, run.id, facts))) stop.now();
      },
    });
    // Hosts that only the agent tried to reach do not explain failed checks.
    const refused = (result.kind === "unusable" ? [forAgent] : commandSandboxes).flatMap((each) => each.refusedHosts());
    const hosts = [...new Set(refused.flatMap(({ host, unlisted }) => (unlisted ? [host] : [])))];
    if (result.kind !== "outage") return { result, refused: hosts, outage: null };
    const now = deps.clock.now();
    const outage = nextOutage(run.outage, result.trouble, now);
    log.add("problem", outageText(result.trouble, outage, now));
    return { result, refused: hosts, outage };
  } finally {
    stop.forget();
    const refused = opened.flatMap((each) => each.refusedHosts());
    for (const line of new Set(refused.map(({ host, reason }) => `not let through to ${host}: ${reason}`))) {
      log.add("problem", line);
    }
    for (const line of gateways.flatMap((gateway) => gateway.refused())) log.add("problem", line);
    for (const each of opened) await each.close();
    await log.close();
  }
}

/** The models that the gateway lets through; null for every model with a known price, if none is configured. */
function modelsOf({ ownModels }: CodingAgent, { model, gateway }: WorkSettings): readonly string[] | null {
  if (model === null && gateway.models.length === 0) return null;
  const named = model === null ? [] : [`${model.provider}/${model.name}`];
  return [...named, ...gateway.models, ...(ownModels?.(model?.name ?? null) ?? [])];
}

/** Aborts a run when its task is cancelled or the process shuts down. */
function watch(
  taskId: string,
  { db, signal, log }: WorkerDeps,
): { signal: AbortSignal; now: () => void; forget: () => void } {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop);
  const look = async () => {
    if (!(await isTaskActive(db, taskId))) stop();
  };
  const timer = setInterval(() => {
    // The next check retries.
    look().catch((error: unknown) => log.debug({ error: messageOf(error) }, "cannot check the task"));
  }, LOOK_MS);
  return {
    signal: stopping.signal,
    now: stop,
    forget: () => {
      clearInterval(timer);
      signal?.removeEventListener("abort", stop);
    },
  };
}
