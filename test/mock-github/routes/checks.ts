import { latestRuns } from "../effects/checks.ts";
import { notFound, refuse } from "../http/answer.ts";
import { type Call, type Routes, numberParam, param } from "../http/call.ts";
import { pageOf } from "../http/paging.ts";
import { isPull, read, repositoryOf } from "../http/rights.ts";
import { showAnnotation, showCheckRun, showCombined, showStatus } from "../present/check.ts";
import type { Repository } from "../world/entities.ts";

const CHECKS = read("checks");
const STATUSES = read("statuses");

export const checkRoutes: Routes = {
  "checks/list-for-ref": (call) => {
    const repository = repositoryOf(call, CHECKS);
    const sha = commitOf(call, repository);
    const all = call.query.get("filter") === "all";
    const runs = all ? repository.checkRuns.filter((each) => each.sha === sha) : latestRuns(repository, sha);
    const [name, status] = [call.query.get("check_name"), call.query.get("status")];
    const found = runs
      .map((each) => showCheckRun(call.world, repository, each))
      .filter((each) => [null, each.name].includes(name) && [null, each.status].includes(status))
      .toReversed();
    return pageOf(
      call,
      found,
      (each) => each,
      (page, total) => ({ total_count: total, check_runs: page }),
    );
  },

  "checks/list-annotations": (call) => {
    const repository = repositoryOf(call, CHECKS);
    const run = repository.checkRuns.find((each) => each.id === numberParam(call, "check_run_id"));
    if (run === undefined) throw notFound();
    return pageOf(call, run.annotations, (each) => showAnnotation(call.world, repository, run, each));
  },

  "repos/get-combined-status-for-ref": (call) => {
    const repository = repositoryOf(call, STATUSES);
    const sha = commitOf(call, repository);
    const all = repository.statuses.filter((each) => each.sha === sha);
    const statuses = [...new Map(all.map((each) => [each.context, each])).values()];
    return pageOf(
      call,
      statuses,
      (each) => showStatus(call.world, repository, each),
      (page) => showCombined(call.world, repository, sha, { statuses, page }),
    );
  },
};

/** The commit that a call names, by its id or by a branch. */
function commitOf(call: Call, repository: Repository): string {
  const ref = param(call, "ref");
  const known = [
    ...repository.branches.values(),
    ...[...repository.items.values()].filter(isPull).flatMap(({ pull }) => [pull.headSha, pull.baseSha]),
    ...repository.checkRuns.map(({ sha }) => sha),
    ...repository.statuses.map(({ sha }) => sha),
  ];
  const sha = repository.branches.get(ref) ?? ref;
  if (known.includes(sha)) return sha;
  throw refuse(422, `No commit found for SHA: ${ref}`);
}
