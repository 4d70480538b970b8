import { readCertificates } from "../adapters/sandbox/certificates.ts";
import { conventionsOf } from "../code/conventions/conventions.ts";
import { probePush } from "../code/mirror/probe-push.ts";
import { issueName } from "../domain/issue.ts";
import type { Lack, PostedPlan } from "../domain/plan.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import { getIssue } from "../storage/issues.ts";
import { getPlan, recordSetUpTry, setLacks, triedSetUp } from "../storage/plans.ts";
import { type StoredRepository, repositoriesOf } from "../storage/repositories.ts";
import { setUp } from "./run/commands.ts";
import type { RunLog } from "./run/run-log.ts";
import { openWorkspace } from "./run/workspace/open.ts";
import { networkOf, openPlace, packageFolders } from "./sandboxes.ts";
import type { CodeSource, WorkerDeps } from "./worker.ts";

/**
 * The job `preflight`: tries what carrying out a plan needs before anybody says yes to it (R-WORK-16). First what is quick,
 * by `look`: sandbox, agent, key; the plan's comment waits a moment for it. Then the push, and the set-up of the base, which
 * fills its caches; the status comment tells what they lack. Outages say nothing of a plan, and are left to its run.
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

/** What the set-up and the push of a plan's repository lack. Throws outages, and what the workspace throws. */
export async function slowLacks(plan: PostedPlan, quick: readonly Lack[], deps: WorkerDeps): Promise<Lack[]> {
  const issue = await getIssue(deps.db, plan.issueId);
  const [repository] = await repositoriesOf(deps.db, issue);
  return await deps.withSource(repository, async (source) => {
    const refused = await isPushRefused(source, plan.plan.branch_name);
    const untried = quick.some(({ what }) => what === "sandbox");
    const failed = untried
      ? ""
      : await trySetUp(repository, issueName({ ...issue, externalIssueId: "0" }), source, deps);
    return [
      ...(refused ? [{ what: "push" as const, name: "" }] : []),
      ...(failed === "" ? [] : [{ what: "setup" as const, name: failed }]),
    ];
  });
}

async function isPushRefused({ remote }: CodeSource, branch: string): Promise<boolean> {
  if (remote === null) return false;
  try {
    await probePush({ url: remote.url, ...(remote.credential && { credential: remote.credential }) }, branch);
    return false;
  } catch (error) {
    if (error instanceof RelayError && error.retryable) throw error;
    return true;
  }
}

const NO_LOG: RunLog = { add: () => {}, begin: () => {}, close: async () => await Promise.resolve() };

/** Runs the repository's set-up commands on its base, once for each commit; the one that fails, empty if all pass. */
async function trySetUp(
  repository: StoredRepository,
  cacheKey: string,
  { code }: CodeSource,
  deps: WorkerDeps,
): Promise<string> {
  const { db, clock, settings } = deps;
  const { conventions } = await deps.settingsOf(repository, await deps.codeHostFor(repository));
  const { setup_commands: setup } = await conventionsOf(code, conventions);
  if (setup.length === 0) return "";
  const at = { repositoryId: repository.id, commit: code.commit, commands: JSON.stringify(setup) };
  const known = await triedSetUp(db, at);
  if (known !== null) return known;
  const { sandbox } = await deps.equip();
  const run = `preflight-${repository.id}`;
  const request = { home: deps.home, run, source: code.gitDirectory, commit: code.commit, cacheKey };
  const workspace = await openWorkspace(request, deps);
  try {
    const { named: certificates } = await readCertificates(settings.certificates);
    const equipment = { sandbox, agent: null, models: [], certificates };
    const place = await openPlace("commands", workspace, settings.hosts, equipment, deps);
    try {
      const failed = await setUp(
        { commands: { setup, checks: [], tests: [] } },
        {
          workspace,
          commandLaunch: place.launch,
          commandEnvironment: packageFolders(workspace.cache),
          network: networkOf(place, sandbox, settings.hosts),
          limits: settings.limits,
          clock,
          signal: deps.signal ?? new AbortController().signal,
          log: NO_LOG,
        },
      );
      // An outage, or a process that is shutting down: nothing was found out.
      if (failed?.trouble != null || deps.signal?.aborted === true) return "";
      if (failed === null) await workspace.storeCache();
      const command = failed?.check.command ?? "";
      await recordSetUpTry(db, at, command);
      return command;
    } finally {
      await place.close();
    }
  } finally {
    await workspace.close();
  }
}
