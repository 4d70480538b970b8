import type { People } from "../adapters/trackers/local/people.ts";
import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import type { CycleRecords } from "../engine/recording/recordings.ts";
import { forgetJobs } from "../engine/send-jobs.ts";
import { lockOf } from "../engine/take-jobs.ts";
import { pruneRunHeads } from "../implementation/run/workspace/source.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Database } from "../storage/db.ts";
import { forgetIssue } from "../storage/issues.ts";
import { listRequestNumbers } from "../storage/pull-requests.ts";
import type { Queue } from "../storage/queue/queue.ts";
import { repositoriesOf } from "../storage/repositories.ts";
import { listRuns } from "../storage/runs.ts";
import { eraseSpecs } from "./specs/move-specs.ts";
import { directoryOf } from "./code/repositories.ts";

interface Deps {
  db: Database;
  specStore: SpecStore;
  people: People;
  records: Pick<CycleRecords, "remove">;
  /** The person who erases it; the audit log keeps the name. */
  operator: string;
  clock: Clock;
  ids: Ids;
  jobs: () => Promise<Queue>;
  home: string;
}

/**
 * Erases all that Relay keeps of an issue (`relay forget`): what stays is in docs/operations.md. After a crash, it can
 * be erased again, since its rows go last.
 */
export async function eraseIssue(issue: Issue, deps: Deps): Promise<void> {
  const { db, people, records, operator, home } = deps;
  await db.withLock(lockOf(issueName(issue)), async () => {
    await eraseSpecs(issue, deps);
    const runs = await listRuns(db, issue.id);
    await dropCommits(
      issue,
      runs.map(({ id }) => id),
      { db, home },
    );
    if (issue.provider === "local") {
      const commits = runs.flatMap(({ head }) => head ?? []);
      await people.erase(issue, { requests: await listRequestNumbers(db, issue.id), commits });
    }
    await forgetJobs(await deps.jobs(), issue, db);
    await records.remove(issue.id);
    await forgetIssue(db, issue, operator, deps);
  });
}

/** Lets git prune commits of runs on this machine that were not pushed. */
async function dropCommits(
  issue: Issue,
  ids: readonly string[],
  { db, home }: Pick<Deps, "db" | "home">,
): Promise<void> {
  const [repository] = await repositoriesOf(db, issue);
  const directory = directoryOf(repository, home);
  if (directory === null || ids.length === 0) return;
  await pruneRunHeads(directory, (runs) => Promise.resolve(runs.filter((run) => ids.includes(run))));
}
