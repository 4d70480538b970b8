import { isDeepStrictEqual } from "node:util";
import { readCertificates } from "../adapters/sandbox/certificates.ts";
import { conventionsOf } from "../code/conventions/conventions.ts";
import { probePush } from "../code/mirror/probe-push.ts";
import { issueName } from "../domain/issue.ts";
import type { Lack, PostedPlan } from "../domain/plan.ts";
import type { CheckResult } from "../domain/work.ts";
import type { OpenSandbox } from "../adapters/sandbox/sandbox.ts";
import { RelayError, Postponed, messageOf } from "../lib/errors.ts";
import { lacksText } from "../notify/lacks.ts";
import { postOnce } from "../notify/post-once.ts";
import { getIssue } from "../storage/issues.ts";
import { getPlan, recordSetUpTry, setLacks, triedSetUp } from "../storage/plans.ts";
import { findRequest } from "../storage/pull-requests.ts";
import { findTask } from "../storage/tasks.ts";
import { type StoredRepository, repositoriesOf } from "../storage/repositories.ts";
import { setUp } from "./run/commands.ts";
import { setupCause, tellingLine } from "./run/setup-failure.ts";
import type { RunLog } from "./run/run-log.ts";
import { openWorkspace } from "./run/workspace/open.ts";
import { networkOf, openSandboxFor, packageFolders } from "./sandboxes.ts";
import type { CodeSource, WorkerDeps } from "./worker.ts";

/**
 * The job `preflight`: checks that a plan can be carried out, before anyone approves it (R-WORK-16). `look` does the
 * quick checks first (sandbox, agent, key), since the plan's comment waits a moment for them. Then it tries the push
 * and the base's set-up, which fills its caches; the status comment lists what is missing. An outage says nothing about
 * the plan; the run deals with it.
 */
export async function preflightPlan(planId: string, look: () => Promise<Lack[]>, deps: WorkerDeps): Promise<void> {
  const plan = await getPlan(deps.db, planId);
  if (plan.status === "stale") return;
  const quick = await look();
  await setLacks(deps.db, planId, quick);
  const slow = await slowLacks(plan, quick, deps).catch((error: unknown) => {
    deps.log.debug({ plan: planId, error: messageOf(error) }, "a plan could not be tried");
    return [];
  });
  if (slow.length === 0) return;
  await setLacks(deps.db, planId, [...quick, ...slow]);
  await deps.jobs.sendStatus(await getIssue(deps.db, plan.issueId));
}

/** Milliseconds until the next check of whether something missing is there now: for quick checks, and for slow ones. */
const LOOK_AGAIN = { quick: 60_000, slow: 600_000 };

/**
 * Checks again what was missing before the plan was approved. While something is still missing, the task stays queued
 * and starts by itself once that is fixed; one reply says so (R-WORK-16). Throws `Postponed` then.
 */
export async function awaitReady(taskId: string, deps: WorkerDeps): Promise<void> {
  const { db } = deps;
  const task = await findTask(db, taskId);
  if (task?.status !== "queued" || (await findRequest(db, taskId)) !== null) return;
  const plan = await getPlan(db, task.planId);
  const known = plan.lacks ?? [];
  const issue = await getIssue(db, plan.issueId);
  if (known.length === 0 || issue.state !== "queued") return;
  const quick = (await deps.machineLacks?.()) ?? [];
  // Without an agent, trying set-up and push can wait.
  const slow = quick.some(isNeeded) ? known.filter(({ what }) => SLOW.has(what)) : await slowLacks(plan, quick, deps);
  const lacks = [...quick, ...slow];
  if (!isDeepStrictEqual(lacks, known)) {
    await setLacks(db, plan.id, lacks);
    await deps.jobs.sendStatus(issue);
  }
  const missing = lacks.filter(isNeeded);
  if (missing.length === 0) return;
  const [repository] = await repositoriesOf(db, issue);
  const words = lacksText(missing, issue.language, "lack_waits");
  const why = "the work waits for what it lacks";
  await postOnce(
    issue,
    { key: `lacking:${plan.id}`, words, why },
    { ...deps, tracker: await deps.trackerFor(repository) },
  );
  const retryAfterMs = slow.some(isNeeded) ? LOOK_AGAIN.slow : LOOK_AGAIN.quick;
  throw new Postponed(`the task ${taskId} waits for ${missing.map(({ what }) => what).join(", ")}`, { retryAfterMs });
}

const SLOW = new Set<Lack["what"]>(["push", "setup"]);

/** An outdated agent may still work. */
function isNeeded({ what }: Lack): boolean {
  return what !== "version";
}

/** What is missing for a plan's set-up and push. Throws on outages, and whatever the workspace throws. */
async function slowLacks(plan: PostedPlan, quick: readonly Lack[], deps: WorkerDeps): Promise<Lack[]> {
  const issue = await getIssue(deps.db, plan.issueId);
  const [repository] = await repositoriesOf(deps.db, issue);
  return await deps.withSource(repository, async (source) => {
    const refused = await isPushRefused(source, plan.plan.branch_name);
    const untried = quick.some(({ what }) => what === "sandbox");
    const failed = untried
      ? null
      : await trySetUp(repository, issueName({ ...issue, externalIssueId: "0" }), source, deps);
    return [...(refused ? [{ what: "push" as const, name: "" }] : []), ...(failed === null ? [] : [failed])];
  });
}

async function isPushRefused({ remote }: CodeSource, branch: string): Promise<boolean> {
  if (remote === null) return false;
  try {
    await probePush(remote, branch);
    return false;
  } catch (error) {
    if (error instanceof RelayError && error.retryable) throw error;
    return true;
  }
}

const NO_LOG: RunLog = { add: () => {}, begin: () => {}, close: async () => await Promise.resolve() };

/**
 * Runs the repository's set-up commands on its base, once per commit. Returns the command that fails and why; null if
 * all pass.
 */
async function trySetUp(
  repository: StoredRepository,
  cacheKey: string,
  { code }: CodeSource,
  deps: WorkerDeps,
): Promise<Lack | null> {
  const { db, clock, settings } = deps;
  const { conventions } = await deps.settingsOf(repository, await deps.codeHostFor(repository));
  const { setup_commands: setup } = await conventionsOf(code, conventions);
  if (setup.length === 0) return null;
  const at = { repositoryId: repository.id, commit: code.commit, commands: JSON.stringify(setup) };
  // Someone may have fixed the failure on the machine since, so only a success is not repeated.
  if ((await triedSetUp(db, at)) === "") return null;
  const { sandbox } = await deps.equip();
  const run = `preflight-${repository.id}`;
  const request = { home: deps.home, run, source: code.gitDirectory, commit: code.commit, cacheKey };
  const workspace = await openWorkspace(request, deps);
  try {
    const { named: certificates } = await readCertificates(settings.certificates);
    const equipment = { sandbox, agent: null, models: [], certificates };
    const opened = await openSandboxFor("commands", workspace, settings.hosts, equipment, deps);
    try {
      const failed = await setUp(
        { commands: { setup, checks: [], tests: [] } },
        {
          workspace,
          commandLaunch: opened.launch,
          commandEnvironment: packageFolders(workspace.cache),
          network: networkOf(opened, sandbox, settings.hosts),
          limits: settings.limits,
          clock,
          signal: deps.signal ?? new AbortController().signal,
          log: NO_LOG,
        },
      );
      // An outage or a shutdown says nothing about the set-up.
      if (failed?.trouble != null || deps.signal?.aborted === true) return null;
      if (failed === null) await workspace.storeCache();
      await recordSetUpTry(db, at, failed?.check.command ?? "");
      return failed === null ? null : setupLack(failed.check, opened);
    } finally {
      await opened.close();
    }
  } finally {
    await workspace.close();
  }
}

const MOST_HOSTS = 5;

/**
 * The failed command, the line that explains it, and the cause. Refused hosts are given only if no other cause is
 * known.
 */
function setupLack(check: CheckResult, { refusedHosts }: Pick<OpenSandbox, "refusedHosts">): Lack {
  const why = tellingLine(check.output);
  const refused = refusedHosts().flatMap(({ host, unlisted }) => (unlisted ? [host] : []));
  const hosts = [...new Set(refused)].slice(0, MOST_HOSTS);
  const cause = setupCause(check) ?? (hosts.length === 0 ? null : { kind: "hosts" as const, hosts });
  return {
    what: "setup",
    name: check.command,
    ...(why === "" ? {} : { why }),
    ...(cause === null ? {} : { cause }),
  };
}
