import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openOn } from "../support/find-open-request.ts";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { latestRun } from "../../src/storage/runs.ts";
import {
  type Deed,
  type WorkingLife,
  agentOf,
  agreed,
  idle,
  mends,
  openWorking,
  pushes,
  writes,
} from "../support/working-relay.ts";

const BRANCH = "fix/1-wrong-total-cart";

async function runOf(life: WorkingLife, issue: IssueAddress) {
  const run = await latestRun(life.db, (await life.taskOf(issue)).id);
  if (run === null) throw new Error("there is no run");
  return run;
}

test("what a lost machine had pushed is taken up from the branch, and nothing is done twice (R-WORK-8)", async () => {
  const agent = agentOf(mends, idle);
  const life = await openWorking(agent);
  const issue = await agreed(life);
  const away = async () => {
    await Promise.resolve();
    throw new RelayError("unavailable", "the tracker is down", { retryable: true });
  };
  const tracker = { ...life.tracker, createPullRequest: away };
  const codeHostFor = async () => await Promise.resolve(tracker);
  await expect(life.worksOn(issue, { codeHostFor })).rejects.toMatchObject({ code: "unavailable" });
  const runs = agent.runs();
  await life.git("update-ref", "-d", `refs/relay/runs/${(await runOf(life, issue)).id}`);
  const home = join(life.folder, "another-machine");
  expect(await life.worksOn(issue, { home })).toMatchObject({ state: "in_review" });
  expect(agent.runs()).toBe(runs);
  expect(await life.git("branch", "--list", "fix/*", "--format=%(refname:short)")).toBe(BRANCH);
  expect(await life.git("rev-list", "--count", `main..${BRANCH}`)).toBe("1");
});

/** A tracker that opens a request, and the worker never learns of it. */
function deaf(tracker: WorkingLife["tracker"]): WorkingLife["tracker"] {
  return {
    ...tracker,
    createPullRequest: async (project, request) => {
      await tracker.createPullRequest(project, request);
      throw new RelayError("unavailable", "the connection broke", { retryable: true });
    },
  };
}

test("a request that people ended before anybody knew its number is the task's one, and its end the issue's (R-WORK-8)", async () => {
  const life = await openWorking(agentOf(mends));
  const { people } = life;
  const branches = vi.spyOn(life.tracker, "branchExists");
  branches.mockImplementation(async (_, branch) => (await life.git("branch", "--list", branch)) !== "");
  const codeHostFor = async () => await Promise.resolve(deaf(life.tracker));
  const opened = async () => {
    const issue = await agreed(life);
    await expect(life.worksOn(issue, { codeHostFor })).rejects.toMatchObject({ code: "unavailable" });
    const { branch } = await runOf(life, issue);
    const [{ number } = { number: 0 }] = await life.tracker.listPullRequests("shop", branch);
    return { issue, branch, request: { project: "shop", number } };
  };

  const closed = await opened();
  await people.closeRequest(closed.request, "mia");
  await life.git("branch", "-D", closed.branch);
  await life.worksOn(closed.issue);
  expect(await life.settled(closed.issue)).toMatchObject({ state: "closed" });
  expect(await life.shown(closed.issue)).toContain("was closed without merging, and its branch is gone");
  expect(await life.tracker.listPullRequests("shop", closed.branch)).toHaveLength(1);
  expect(await life.git("branch", "--list", closed.branch)).toBe("");

  // No worker comes back, and the tracker tells that the merge closed the issue.
  const alone = await opened();
  await people.mergeRequest(alone.request, "mia");
  await life.deliver(await people.setState(alone.issue, "mia", "closed"));
  expect(await life.settled(alone.issue)).toMatchObject({ state: "done" });
  expect(await life.taskOf(alone.issue)).toMatchObject({ status: "done" });
});

test("what people push while no worker has the run is never lost to what it had committed before (R-WORK-8)", async () => {
  const ending = new AbortController();
  const dies: Deed = async () => await Promise.resolve(ending.abort());
  const broken = writes("src/cart.ts", "BROKEN\n");
  const life = await openWorking(agentOf(mends, broken, dies, mends), undefined, {
    "test.sh": "! grep BROKEN src/cart.ts\n",
    ".relay.yml": "conventions:\n  test_commands: [sh test.sh]\n",
  });
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  const { number } = (await openOn(life.tracker, "shop", BRANCH)) ?? { number: 0 };
  const request = { project: "shop", number };
  const wish = await life.people.reviewComment(request, "mia", "Please use fewer lines.", null);
  expect(await life.tell(issue, wish)).toMatchObject({ state: "queued" });
  await expect(life.worksOn(issue, { signal: ending.signal })).rejects.toMatchObject({ code: "unavailable" });
  expect(await runOf(life, issue)).toMatchObject({ status: "running", iterations: 1 });
  await pushes(life, BRANCH, "mia.txt");
  await life.worksOn(issue);
  expect(await life.git("show", `${BRANCH}:mia.txt`)).toBe("by mia");
  expect(await life.git("log", "--format=%an", `main..${BRANCH}`)).toMatch(/^(relay\n)?Mia\nrelay$/);
  expect((await life.said(issue)).filter((body) => body.includes("BROKEN"))).toEqual([]);
});
