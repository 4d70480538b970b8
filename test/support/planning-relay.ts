import { onTestFinished } from "vitest";
import { z } from "zod";
import type { IssueAddress, Mode } from "../../src/domain/issue.ts";
import { placesAt } from "../../src/dossier/explorations.ts";
import { Explorer } from "../../src/code/index/explorer.ts";
import type { OrchestratorDeps } from "../../src/engine/wake.ts";
import { silentLog } from "../../src/lib/log.ts";
import { planMaker } from "../../src/plan/make-plan.ts";
import { latestPlan } from "../../src/storage/plans.ts";
import { type Life, BOT, openLife, report } from "./relay.ts";

/** A Relay that goes on to the plan. */
export async function openPlanning(
  change: (deps: OrchestratorDeps) => Partial<OrchestratorDeps> = () => ({}),
  files: Record<string, string> = {},
  queueOn?: Parameters<typeof openLife>[3],
): Promise<Life> {
  let explorer: Explorer | null = null;
  onTestFinished(() => explorer?.close());
  return await openLife(
    (deps) => ({
      makePlanFor: (_, { conventions }) =>
        planMaker({
          clock: deps.clock,
          log: silentLog,
          placesOf: async (issueId, code) => await placesAt(deps.db, issueId, code),
          indexOf: async (code) => await (explorer ??= await Explorer.open(code.gitDirectory, null)).at(code),
          branchExists: async () => await Promise.resolve(false),
          conventions,
        }),
      ...change(deps),
    }),
    20,
    files,
    queueOn,
  );
}

/** An issue whose spec is written and whose plan is posted. */
export async function planned(life: Life): Promise<IssueAddress> {
  const issue = await report(life, "`total([])` in src/cart.ts throws. Expected: 0.");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  await say(life, issue, "mia", "go ahead with the spec");
  return issue;
}

/** Somebody comments, and all that follows from it is done. */
export async function say(life: Life, issue: IssueAddress, who: string, words: string) {
  await life.deliver(await life.people.comment(issue, who, words));
  return await life.settled(issue);
}

/** States of all tasks, the oldest first. */
export async function tasksOf(life: Life): Promise<string[]> {
  const row = z.object({ status: z.string() });
  return (await life.db.query(row, "select status from tasks order by id", [])).map(({ status }) => status);
}

/** The newest version of the plan. */
export const planOf = async (life: Life, issue: IssueAddress) =>
  await latestPlan(life.db, (await life.existing(issue)).id);

/** How far the operator lets Relay go from now on. */
export function setMode(life: Life, mode: Mode): void {
  life.operator.mode = mode;
}

/** The local tracker tells milliseconds, and people are not that fast. */
export const moment = async () => await new Promise((resolve) => setTimeout(resolve, 20));
