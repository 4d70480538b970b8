import { resolve } from "node:path";
import { conventionsOf } from "../../code/conventions/conventions.ts";
import type { Repository } from "../../code/git/repository.ts";
import type { Config } from "../../config/config.ts";
import type { Issue } from "../../domain/issue.ts";
import type { WorkerFacts } from "../../domain/plan.ts";
import type { AdvanceDeps } from "../../engine/advance-issue.ts";
import { lacksByWorkers } from "../../engine/take-jobs.ts";
import type { OrchestratorDeps } from "../../engine/wake.ts";
import type { Log } from "../../lib/log.ts";
import { repositoriesOf } from "../../storage/repositories.ts";

/** The worker that carries a plan out, and the commands that it runs besides the plan's checks (R-WORK-16). */
export interface PlanWork {
  worker: WorkerFacts | null;
  setup: readonly string[];
  tests: readonly string[];
  /** What is wrong with the repository's own settings; null if nothing is. */
  problem: string | null;
}

type Parts = Pick<OrchestratorDeps, "db" | "sleep" | "settingsOf" | "codeHostFor" | "withCode">;

/** The work of this issue's plans, from the settings of its repository. */
export async function workOf(issue: Issue, worker: WorkerFacts | null, parts: Parts): Promise<PlanWork> {
  const [repository] = await repositoriesOf(parts.db, issue);
  const { conventions, problem } = await parts.settingsOf(repository, await parts.codeHostFor(repository));
  return await parts.withCode(repository, async (code) => {
    const { setup_commands: setup, test_commands: tests } = await conventionsOf(code, conventions);
    return { worker, setup, tests, problem };
  });
}

/** What a plan's comment says about the worker; empty if no agent is configured. */
export function workerParts(
  config: Config,
  {
    jobs,
    works,
    log,
    ...looking
  }: Pick<Parts, "db" | "sleep"> &
    Pick<OrchestratorDeps, "jobs"> & {
      /** Whether this process belongs to a server, whose workers try plans. */
      works: () => boolean;
      log: Log;
    },
): Pick<AdvanceDeps, "prepareWork" | "worker" | "lacksOf"> {
  const { work, models } = config;
  if (work.agent === undefined) return {};
  const lacksOf = lacksByWorkers(jobs, looking);
  return {
    prepareWork: async (code: Repository) => {
      const { prepare } = await import("../../implementation/execute-task.ts");
      await prepare(code, { home: resolve(config.home), log });
    },
    worker: {
      agent: work.agent,
      model: models.worker ?? null,
      usd: work.usd === "off" ? null : work.usd,
      hosts: [...work.network, ...work.private_network],
      sandbox: work.sandbox === "auto" ? "bubblewrap" : work.sandbox === "none" ? null : work.sandbox,
    },
    lacksOf: async (planId) => (works() ? await lacksOf(planId) : []),
  };
}
