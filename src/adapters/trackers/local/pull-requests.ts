import { sameLogin } from "../../../domain/login.ts";
import type { Clock } from "../../../lib/clock.ts";
import { RelayError } from "../../../lib/errors.ts";
import type { NewPullRequest, PullRequest, PullRequests } from "../code-host.ts";
import { memberOf, permit } from "./access.ts";
import { makeLabels } from "./labels.ts";
import type { LocalCode } from "./projects.ts";
import { pullRequestRow, takeNumber, type Sql } from "./rows.ts";
import { checkName, checkPullRequest, unfit } from "../texts.ts";

/** Pull requests of the local tracker. What people do to their branches with git alone ends them. */
export function localPullRequests(
  db: Sql,
  { bot, clock, code }: { bot: string; clock: Clock; code: Pick<LocalCode, "endOf"> },
): PullRequests {
  return {
    createPullRequest: async (project, request) =>
      await once(request.head, async () =>
        db.transaction(async (tx) => {
          await permit(tx, project, bot, "write");
          check(request);
          const number = await takeNumber(tx, project, null);
          const { title, body, head, base, draft } = request;
          await tx.execute(
            `insert into local_pull_requests (project, number, title, body, author, head, base, draft, state, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, 'open', $9, $9)`,
            [project, number, title, body, bot, head, base, draft, clock.now()],
          );
          return await lockPullRequest(tx, project, number);
        }),
      ),
    listPullRequests: async (project, head) => {
      await permit(db, project, bot, "read");
      return await db.query(
        pullRequestRow,
        `select * from local_pull_requests where project = $1 and head = $2 order by number desc limit 30`,
        [project, head],
      );
    },
    updatePullRequest: async (project, number, change) =>
      await once(`pull request ${number}`, async () =>
        db.transaction(async (tx) => {
          await permit(tx, project, bot, "write");
          const before = await lockPullRequest(tx, project, number);
          const after = { ...before, ...change };
          check(after);
          if (before.state === "merged" && after.state !== "merged") throw unfit("what is merged stays merged");
          await tx.execute(
            `update local_pull_requests set title = $3, body = $4, draft = $5, state = $6, updated_at = $7
             where project = $1 and number = $2`,
            [project, number, after.title, after.body, after.draft, after.state, clock.now()],
          );
          return after;
        }),
      ),
    getPullRequest: async (project, number) => {
      await permit(db, project, bot, "read");
      const request = await loadPullRequest(db, project, number);
      const ended = request.state === "open" ? await code.endOf(project, request) : null;
      if (ended === null) return request;
      await db.execute(
        `update local_pull_requests set state = $3, updated_at = $4 where project = $1 and number = $2 and state = 'open'`,
        [project, number, ended, clock.now()],
      );
      return { ...request, state: ended };
    },
    labelPullRequest: async (project, number, labels) =>
      await db.transaction(async (tx) => {
        await permit(tx, project, bot, "triage");
        await lockPullRequest(tx, project, number);
        for (const label of labels) checkName(label, "a label");
        await makeLabels(tx, project, labels);
        await tx.execute(
          `update local_pull_requests set updated_at = $4, labels = (
             select coalesce(jsonb_agg(name order by name), '[]') from (
               select jsonb_array_elements_text(labels) as name union select jsonb_array_elements_text($3::jsonb)) as all_names)
           where project = $1 and number = $2`,
          [project, number, JSON.stringify(labels), clock.now()],
        );
      }),
    requestReview: async (project, number, logins) =>
      await db.transaction(async (tx) => {
        await permit(tx, project, bot, "triage");
        const { reviewers } = await lockPullRequest(tx, project, number);
        for (const login of logins) {
          if (sameLogin(login, bot)) throw unfit(`${login} cannot review their own pull request`);
          if ((await memberOf(tx, project, login)).permission === "none") {
            throw unfit(`${login} is not a member of ${project} and cannot review`);
          }
          if (!reviewers.some((reviewer) => sameLogin(reviewer, login))) reviewers.push(login);
        }
        await tx.execute(
          `update local_pull_requests set reviewers = $3, updated_at = $4 where project = $1 and number = $2`,
          [project, number, JSON.stringify(reviewers), clock.now()],
        );
      }),
  };
}

function check(request: NewPullRequest): void {
  checkPullRequest(request);
  if (request.head === request.base) throw unfit(`a pull request from ${request.head} into itself holds no changes`);
}

/** The request as it is now. @throws RelayError `not_found` */
export async function loadPullRequest(db: Sql, project: string, number: number): Promise<PullRequest> {
  return await load(db, project, number, "");
}

/** The request, locked until the transaction ends. @throws RelayError `not_found` */
export async function lockPullRequest(tx: Sql, project: string, number: number): Promise<PullRequest> {
  return await load(tx, project, number, "for update");
}

async function load(db: Sql, project: string, number: number, lock: "" | "for update"): Promise<PullRequest> {
  const found = await db.maybeOne(
    pullRequestRow,
    `select * from local_pull_requests where project = $1 and number = $2 ${lock}`,
    [project, number],
  );
  if (found) return found;
  throw new RelayError("not_found", `there is no pull request ${number} in ${project}`, { status: 404 });
}

/** At most one open request per branch and target, as on hosted trackers. */
async function once<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof RelayError && cause.code === "conflict" && !cause.retryable)) throw cause;
    throw unfit(`a pull request for ${what} is open already`, cause);
  }
}
