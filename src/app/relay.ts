import { budgetsOf } from "../budget/budget.ts";
import { type Dossier, loadDossier } from "../dossier/dossier.ts";
import { placesAt } from "../dossier/explorations.ts";
import { userInfo } from "node:os";
import type { Config } from "../config/config.ts";
import { environment } from "../config/environment.ts";
import { type PlanWork, workOf, workerParts } from "./worker/plan-work.ts";
import { openConnections } from "./trackers/connections.ts";
import { repositoryOf } from "./trackers/known-repositories.ts";
import { detectLanguage } from "../domain/text/language.ts";
import type { Issue } from "../domain/issue.ts";
import type { Repository } from "../code/git/repository.ts";
import type { OrchestratorDeps } from "../engine/wake.ts";
import { type Runtime, openRuntime } from "./runtime.ts";
import { createExecutor } from "../engine/transition.ts";
import { type Orchestrator, createOrchestrator } from "../engine/orchestrator.ts";
import type { Transition } from "../storage/context.ts";
import { localCode } from "./code/local-code.ts";
import { connectLocalProject } from "./trackers/local-projects.ts";
import { eraseIssue } from "./erase-issue.ts";
import { jobsOn } from "../engine/send-jobs.ts";
import { inTurns, lockOf, takePlans, takeTasks } from "../engine/take-jobs.ts";
import { type Clock, sleep } from "../lib/clock.ts";
import { secretVariables } from "../domain/text/secrets/remove-secrets.ts";
import { secretsAt, secretsOfIssues } from "./code/repository-secrets.ts";
import { isTaken } from "../implementation/pull-request/lost-request.ts";
import { keepSecret } from "../lib/own-secrets.ts";
import { RelayError } from "../lib/errors.ts";
import type { Ids } from "../lib/ids.ts";
import { takeWork } from "./maintenance/maintenance.ts";
import { noticesOf } from "./notices.ts";
import { openModels } from "./models/models.ts";
import type { Log } from "../lib/log.ts";
import { createLabelSync } from "../notify/sync-labels.ts";
import { type Repositories, openRepositories } from "./code/repositories.ts";
import { settingsReader } from "./code/repository-settings.ts";
import type { Planner } from "../planner/planner.ts";
import { type CycleRecords, fileRecords } from "../engine/recording/recordings.ts";
import { type SpecMove, moveSpecs } from "./specs/move-specs.ts";
import { openSpecStores } from "./specs/spec-stores.ts";
import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import type { Database } from "../storage/db.ts";
import { postgresVersion } from "../storage/migrate.ts";
import { type StoredRepository, repositoriesOf } from "../storage/repositories.ts";
import { type People, localPeople } from "../adapters/trackers/local/people.ts";
import { localTracker } from "../adapters/trackers/local/tracker.ts";
import type { CodeHost, Forge } from "../adapters/trackers/code-host.ts";

/** Everything that a surface needs, built from the configuration here and nowhere else. */
export interface Relay {
  config: Config;
  db: Database;
  clock: Clock;
  ids: Ids;
  orchestrator: Orchestrator;
  /** Hands the operator's decisions to the state machine. */
  transition: Transition;
  /** The local tracker, and the actions of people in it. */
  tracker: Forge;
  people: People;
  specStore: SpecStore;
  /** Moves all specs to the store of this name. */
  moveSpecs(to: string): Promise<SpecMove[]>;
  /** Recorded cycles, for replays. */
  records: CycleRecords;
  /** The code of a directory at a commit, and the rules planner on it. */
  rulesAt(source: string, commit: string): Promise<{ code: Repository; rules: Planner }>;
  /** The operating system's user: its login in the local tracker and in the audit log. */
  operator: string;
  migrations: { applied: string[] };
  databaseLocation: string;
  databaseVersion: string;
  /** Whether no hosted tracker has credentials. */
  isLocalOnly: boolean;
  /** Registers the repository in a directory; returns its name in the local tracker. */
  connectLocal(directory: string): Promise<string>;
  /** Erases an issue everywhere: local tracker, database, specs, recordings, commits of runs. */
  forget(issue: Issue): Promise<void>;
  /** Takes jobs until it is closed. `looksForMissed` (default): also looks, now and hourly, for lost deliveries. */
  work(concurrency: number, how?: { looksForMissed: boolean }): Promise<void>;
  /** Executes approved tasks until it is closed. Throws `config` if no agent is configured. */
  takeTasks(concurrency: number): Promise<void>;
  /** Executes one task now. */
  executeTask(taskId: string): Promise<void>;
  /** The worker for a plan of this issue, and the commands that it runs besides the plan's checks (R-WORK-16). */
  workOf(issue: Issue): Promise<PlanWork>;
  /** Checks what the work of a plan needs, and stores what is missing (R-WORK-16). */
  preflight(planId: string): Promise<void>;
  /** What is known about an issue at its current code (R-PLAN-13). */
  dossierOf(issue: Issue): Promise<Dossier>;
  /** Where the code of an issue lives. */
  codeHostOf(issue: Issue): Promise<CodeHost>;
  /** The code of repositories, and its indexes. */
  code: Pick<Repositories, "withCode" | "indexOf">;
  close(): Promise<void>;
}

const WORKSPACE = "default";
const NO_AGENT = "no coding agent is configured; set work.agent, or RELAY_AGENT (docs/agents.md)";

export interface OpenOptions {
  log: Log;
  /** Source of the secrets; by default the environment of this process. */
  env?: Record<string, string | undefined>;
  /** Whether issues of the local tracker get a plan after their spec. */
  plansLocally?: boolean;
  /** An open runtime to use; it is closed with the rest. */
  runtime?: Runtime;
}

export async function openRelay(
  config: Config,
  { log, env, plansLocally = false, runtime: given }: OpenOptions,
): Promise<Relay> {
  for (const secret of secretVariables(environment(env))) keepSecret(secret);
  const runtime = given ?? (await openRuntime(config, log));
  const { db, clock, ids, migrations, queue: jobs } = runtime;
  let repositories: Repositories | null = null;
  let closing: Promise<void> | null = null;
  const close = async () => await (closing ??= closeAll());
  const leaving = new AbortController();
  const { signal } = leaving;
  const closeAll = async () => {
    // Running tasks are released, so that another worker can resume them.
    leaving.abort();
    await runtime.stopQueue();
    await repositories?.close();
    await runtime.close();
  };
  try {
    const connections = await openConnections(config, { db, clock, sleep, log, ...(env ? { env } : {}) });
    const hosted = ({ provider }: Pick<StoredRepository, "provider">) =>
      provider === "local" ? null : (connections.get(provider) ?? null);
    const credentialFor = (repository: StoredRepository) => {
      const from = hosted(repository);
      if (from === null) return null;
      return async (why: "first" | "refused") =>
        await from.gitCredential(repository.externalProjectId, why === "refused");
    };
    const values = secretsAt(config.explore.protect);
    const codes = openRepositories({ home: config.home, clock, log, credentialFor, secretsAt: values });
    repositories = codes;
    const bot = config.bot.username ?? "relay";
    const tracker = localTracker(db, { bot, clock, ids, code: localCode(db) });
    const people = localPeople(db, { clock, ids });
    const forgeFor = async (repository: Pick<StoredRepository, "provider">): Promise<Forge> => {
      const linked = config.link_hosts.map((host) => `https://${host}`);
      if (repository.provider === "local") return { ...tracker, linked };
      const from = hosted(repository);
      if (from !== null) return { ...(await from.tracker()), linked };
      throw new RelayError("config", `there are no credentials for ${repository.provider}; run relay doctor`);
    };
    const storing = { ...codes, db, clock, log, env: environment(env), forgeFor };
    const { specStore, ...specs } = openSpecStores(config, storing);
    const records = fileRecords(config.home, { log });
    const operator = userInfo().username;
    const models = openModels(config, { indexOf: codes.indexOf, specStore, clock, db, ids });
    const placesOf = async (issueId: string, code: Repository) => await placesAt(db, issueId, code);
    const sending = jobsOn(jobs, { tellsLocally: runtime.works });
    const told = noticesOf(config, { ...runtime, log });
    const parts: OrchestratorDeps = {
      ...told,
      transition: createExecutor({ clock, ids, ...sending, ...told }),
      db,
      clock,
      ids,
      log,
      sleep,
      records,
      home: config.home,
      idleMinutes: config.bot.idle_minutes,
      engage: config.bot.engage,
      respondToBots: config.bot.respond_to_bots,
      budgets: budgetsOf(config),
      labels: config.labels,
      specStore,
      detectLanguage,
      repositoryOf: async (event) =>
        await repositoryOf(event, connections, config, {
          db,
          clock,
          ids,
          log,
          workspace: WORKSPACE,
          config,
          sendEvents: sending.sendEvents,
        }),
      trackerFor: forgeFor,
      codeHostFor: forgeFor,
      settingsOf: settingsReader({
        operator: { mode: config.mode, fastTrack: config.approval.fast_track },
        log,
        withCode: codes.withCode,
      }),
      withCode: codes.withCode,
      ...models,
      makePlanFor: (repository, { conventions }) => {
        const from = hosted(repository);
        // Most commands on local issues end with the spec.
        if (from === null && !plansLocally) return null;
        const branchExists = async (branch: string) =>
          await isTaken(
            { project: repository.externalProjectId, branch },
            { db, codeHost: await forgeFor(repository) },
          );
        return async (...wanted) => {
          const { planMaker } = await import("../plan/make-plan.ts");
          return await planMaker({ clock, log, placesOf, indexOf: codes.indexOf, branchExists, conventions })(
            ...wanted,
          );
        };
      },
      isSmall: async (...wanted) => {
        const { smallness } = await import("../plan/fast-track.ts");
        return await smallness({ clock, indexOf: codes.indexOf })(...wanted);
      },
      confirmation: { confirmers: config.approval.people, thumbsUp: config.approval.thumbs_up },
      secretsOf: secretsOfIssues({ db: () => db, home: config.home, clock, log, secretsAt: values }),
      withIssueLock: async (issue, work) => await db.withLock(lockOf(issue), work),
      jobs: sending,
      ...workerParts(config, { db, sleep, log, jobs: sending, works: runtime.works }),
    };
    const orchestrator = createOrchestrator(parts);
    const syncLabels = createLabelSync(parts);
    // The worker, its agents and its sandbox are loaded only if an agent is configured: most commands execute nothing.
    const agentRunner = config.work.agent === undefined ? null : await import("./worker/agent-runner.ts");
    const { catchUp, yieldToHalt: recheck } = orchestrator;
    const runner = await agentRunner?.openAgentRunner(
      config,
      { ...parts, ...parts.confirmation, catchUp, recheck, syncLabels, withSource: codes.withSource, signal },
      env,
    );
    const worker = () => {
      if (!runner) throw new RelayError("config", NO_AGENT);
      return runner;
    };
    return {
      config,
      db,
      clock,
      ids,
      orchestrator,
      transition: parts.transition,
      tracker,
      people,
      specStore,
      moveSpecs: async (to) => await moveSpecs(to, { ...specs, db, clock, ids, operator, specStore }),
      operator,
      records,
      rulesAt: async (source, commit) => {
        const code = await codes.inDirectory(source, commit);
        const { offlinePlanner } = await import("../planner/rules/planner.ts");
        return { code, rules: offlinePlanner(code, async () => await codes.indexOf(code)) };
      },
      migrations,
      databaseLocation: runtime.location,
      isLocalOnly: connections.size === 0,
      databaseVersion: await postgresVersion(db),
      connectLocal: async (directory) =>
        await connectLocalProject(directory, { db, clock, ids, codes, people, bot, operator, workspace: WORKSPACE }),
      forget: async (issue) => {
        await eraseIssue(issue, { db, specStore, people, records, operator, clock, ids, jobs, home: config.home });
      },
      work: async (concurrency, { looksForMissed } = { looksForMissed: true }) => {
        runtime.willWork();
        const working = createOrchestrator({ ...parts, withIssueLock: inTurns(db) });
        const rest = { env, config, connections, workspace: WORKSPACE, signal };
        const about = { ...parts, ...sending, ...rest, orchestrator: working };
        await takeWork(await jobs(), concurrency, about, looksForMissed);
      },
      takeTasks: async (concurrency) => {
        const { executeTask, preflight } = worker();
        runtime.willWork();
        const queue = await jobs();
        await takePlans(queue, preflight);
        await takeTasks(queue, executeTask, concurrency);
      },
      executeTask: async (taskId) => await worker().executeTask(taskId, "directly"),
      workOf: async (issue) => await workOf(issue, parts.worker ?? null, parts),
      preflight: async (planId) => await worker().preflight(planId),
      dossierOf: async (issue) => {
        const [repository] = await repositoriesOf(db, issue);
        const from = await forgeFor(repository);
        return await codes.withCode(repository, async (code) => await loadDossier(db, issue, { code, tracker: from }));
      },
      code: codes,
      codeHostOf: async (issue) => {
        const [repository] = await repositoriesOf(db, issue);
        return await forgeFor(repository);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
