import type { z } from "zod";
import { OF_A_BRANCH } from "../../../domain/event.ts";
import type { checkSuitePayload, statusPayload } from "./webhook-payloads.ts";
import { IGNORED, isHere, mayBeHead, ownBranch, pullRequestId, eventOf } from "./event-builder.ts";
import type { Telling } from "./event-builder.ts";

/**
 * One event for each pull request of this repository that the commit heads; for the branch where there is none yet:
 * checks may be over before the request of a branch that was just pushed is open.
 */
export function ofChecks({ check_suite: suite, ...origin }: z.infer<typeof checkSuitePayload>): Telling {
  const [first, ...rest] = suite.pull_requests
    .filter(({ base }) => isHere(origin, base?.repo))
    .map((request) =>
      eventOf(origin, "checks_completed", pullRequestId(request.number), suite.updated_at, {
        branch: ownBranch(origin, request.head),
        outcome: suite.conclusion ?? null,
      }),
    );
  const besides = [suite.id, suite.head_sha];
  if (first !== undefined) return { kind: "events", events: [first, ...rest], besides };
  const { head_branch: branch, updated_at: at, conclusion } = suite;
  if (suite.pull_requests.length > 0 || !mayBeHead(origin, branch)) return IGNORED;
  const ofBranch = eventOf(origin, "checks_completed", OF_A_BRANCH, at, { branch, outcome: conclusion ?? null });
  return { kind: "events", events: [ofBranch], besides };
}

/**
 * What an older service says of a commit, one event for each branch that ends with it. GitHub names no pull request
 * here. Nothing that is still under way is told.
 */
export function ofStatus({
  id,
  sha,
  state,
  context,
  branches,
  updated_at: at,
  ...origin
}: z.infer<typeof statusPayload>): Telling {
  if (state === "pending") return IGNORED;
  const [first, ...rest] = branches
    .filter(({ name, commit }) => commit.sha === sha && mayBeHead(origin, name))
    .map(({ name }) => eventOf(origin, "checks_completed", OF_A_BRANCH, at, { branch: name, outcome: state }));
  if (first === undefined) return IGNORED;
  return { kind: "events", events: [first, ...rest], besides: [id, sha, context] };
}
