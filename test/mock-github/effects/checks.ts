import { isPull } from "../http/rights.ts";
import { ACTIONS, showStatus } from "../present/check.ts";
import { showApp } from "../present/app.ts";
import { showUser } from "../present/account.ts";
import { showCommit } from "../present/commit.ts";
import { time } from "../present/ids.ts";
import type { PullItem } from "../present/pull.ts";
import { pageUrl, repositoryUrl } from "../present/repository.ts";
import type { CheckRun, CommitStatus, Repository } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { type Doer, tell } from "./doer.ts";
import type { PullPlace } from "./pulls.ts";

interface Where {
  world: World;
  repository: Repository;
}

export interface NewCheckRun extends Pick<CheckRun, "sha" | "name" | "conclusion" | "annotations"> {
  workflow: string;
  title: string | null;
  summary: string | null;
  text: string | null;
}

/** A job says how it stands: a new run, among the others of its workflow on the commit. */
export function runCheck({ world, repository }: Where, by: Doer, wanted: NewCheckRun): CheckRun {
  const { sha, name, conclusion, annotations, title, summary, text } = wanted;
  const key = `${sha} ${wanted.workflow}`;
  const suiteId = repository.suites.get(key) ?? world.nextId();
  repository.suites.set(key, suiteId);
  const now = world.now();
  const run: CheckRun = {
    id: world.nextId(),
    sha,
    suiteId,
    name,
    conclusion,
    annotations,
    output: { title, summary, text },
    startedAt: now,
    completedAt: conclusion === null ? null : now,
  };
  repository.checkRuns.push(run);
  const all = latestRuns(repository, sha).filter((each) => each.suiteId === suiteId);
  if (all.every((each) => each.conclusion !== null)) {
    const bad = all.find((each) => !["success", "neutral", "skipped"].includes(each.conclusion ?? ""));
    tellSuite({ world, repository }, by, { id: suiteId, sha, conclusion: bad?.conclusion ?? "success" });
  }
  return run;
}

/** Of each name in each suite the last. */
export function latestRuns(repository: Repository, sha: string): CheckRun[] {
  const runs = repository.checkRuns.filter((each) => each.sha === sha);
  return [...new Map(runs.map((each) => [`${each.suiteId} ${each.name}`, each])).values()];
}

export function setStatus(
  { world, repository }: Where,
  by: Doer,
  { sha, context, state, description, targetUrl }: Omit<CommitStatus, "id" | "createdAt">,
): CommitStatus {
  const status = { id: world.nextId(), sha, context, state, description, targetUrl, createdAt: world.now() };
  repository.statuses.push(status);
  tell({ world, repository }, by, "status", null, () => {
    const { updated_at, created_at, avatar_url } = showStatus(world, repository, status);
    // Branches of the repository that have the commit; here, that it is the last of.
    const branches = [...repository.branches].filter(([, last]) => last === sha).slice(0, 10);
    return {
      id: status.id,
      sha,
      name: `${repository.owner}/${repository.name}`,
      target_url: targetUrl,
      avatar_url,
      context,
      description,
      state,
      commit: showCommit(world, repository, sha),
      branches: branches.map(([name, last]) => ({
        name,
        commit: { sha: last, url: `${repositoryUrl(world, repository)}/commits/${last}` },
        protected: false,
      })),
      created_at,
      updated_at,
    };
  });
  return status;
}

/** Tells that the checks of a pull request's last commit are over. */
export function tellChecks({ world, repository, item }: PullPlace, by: Doer, conclusion: string): void {
  tellSuite({ world, repository }, by, { id: world.nextId(), sha: item.pull.headSha, conclusion });
}

function tellSuite(
  { world, repository }: Where,
  by: Doer,
  { id, sha, conclusion }: { id: number; sha: string; conclusion: string },
): void {
  const url = repositoryUrl(world, repository);
  const now = time(world.now());
  const heads = [...repository.items.values()].filter(isPull).filter(({ pull }) => pull.headSha === sha);
  // Those of forks are not told.
  const own = heads.filter(({ pull, state }) => pull.headRepository === repository.id && state === "open");
  tell({ world, repository }, by, "check_suite", "completed", () => ({
    check_suite: {
      id,
      node_id: `CS_${id}`,
      head_branch: heads[0]?.pull.head ?? [...repository.branches].find(([, last]) => last === sha)?.[0] ?? null,
      head_sha: sha,
      status: "completed",
      conclusion,
      url: `${url}/check-suites/${id}`,
      before: heads[0]?.pull.baseSha ?? null,
      after: sha,
      pull_requests: own.map((item) => showMinimalPull(world, repository, item)),
      app: showApp(world, ACTIONS),
      created_at: now,
      updated_at: now,
      rerequestable: true,
      runs_rerequestable: true,
      latest_check_runs_count: 1,
      check_runs_url: `${url}/check-suites/${id}/check-runs`,
      head_commit: {
        id: sha,
        tree_id: sha,
        message: `A change of ${pageUrl(world, repository)}`,
        timestamp: now,
        author: { name: by.login, email: `${showUser(world, by.login).id}@users.noreply.github.com` },
        committer: { name: "GitHub", email: "noreply@github.com" },
      },
    },
  }));
}

function showMinimalPull(world: World, repository: Repository, { number, pull }: PullItem) {
  const url = repositoryUrl(world, repository);
  const repo = { id: repository.id, url, name: repository.name };
  return {
    url: `${url}/pulls/${number}`,
    id: pull.id,
    number,
    head: { ref: pull.head, sha: pull.headSha, repo },
    base: { ref: pull.base, sha: pull.baseSha, repo },
  };
}
