import { atLeast } from "../../adapters/trackers/tracker.ts";
import type { KeptLearning } from "../../domain/learning.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Db } from "../../storage/db.ts";
import { type LearningChange, changeLearning, findSeenLearning } from "../../storage/learnings.ts";
import { getRepository } from "../../storage/repositories.ts";
import { type Viewer, isOperator } from "./viewer.ts";
import type { Viewers } from "./viewers.ts";

interface Deps {
  db: () => Db;
  clock: Clock;
  ids: Ids;
  viewers: Viewers;
}

/**
 * Carries out a person's decision about a learning. The person needs write access to its repository at this moment. The
 * operator may decide about every learning, and is the only one who may about learnings for all repositories
 * (R-SAFE-8). Throws `not_found` for what the person may not see, and `forbidden` for what they may not decide.
 */
export async function decideLearning(
  id: string,
  change: LearningChange,
  by: Viewer,
  { db, clock, ids, viewers }: Deps,
): Promise<KeptLearning> {
  const decider = { operator: by.login, token: by.token?.name, clock, ids };
  if (isOperator(by)) return await changeLearning(db(), id, change, decider);
  const learning = await findSeenLearning(db(), id, by);
  if (learning === null) throw new RelayError("not_found", `there is no learning ${id} that you may see`);
  const { repositoryId, repository } = learning;
  if (repositoryId === null || (change.kind === "approve" && change.everywhere)) {
    throw new RelayError("forbidden", "what is in force in all repositories is decided by who runs Relay");
  }
  if (!(await mayWrite(repositoryId, by, { db, viewers }))) {
    throw new RelayError("forbidden", `learnings of ${repository} are decided by people who may write there`);
  }
  return await changeLearning(db(), id, change, { ...decider, repositoryId });
}

async function mayWrite(
  repositoryId: string,
  { provider, accountId, login }: Viewer,
  { db, viewers }: Pick<Deps, "db" | "viewers">,
): Promise<boolean> {
  const repository = await getRepository(db(), repositoryId);
  if (provider === null || provider === "local" || accountId === null || repository.provider !== provider) return false;
  return atLeast(await viewers.permissionNow({ provider, accountId, login }, repository.externalProjectId), "write");
}
