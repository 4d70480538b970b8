import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { IssueAddress } from "../../../src/domain/issue.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { listRunning, listRuns } from "../../../src/storage/runs.ts";
import { sweepWorkspaces } from "../../../src/implementation/run/workspace/run-paths.ts";
import { obey } from "../../children/obedient.ts";
import { onPgBoss } from "../../support/relay.ts";
import { type Deed, type WorkingLife, agentOf, agreed, openWorking } from "../../support/working-relay.ts";

/*
 * A worker that is killed at points of its way from the job to the issue in review, evenly spread; another one goes on.
 * RELAY_TEST_KILLS chooses at how many of them, each on a task of its own.
 */
const KILLS = Number(process.env["RELAY_TEST_KILLS"] ?? 1);
const CHILD = join(import.meta.dirname, "../../children/doomed-worker.ts");

test(
  `a task whose worker is killed at one of ${KILLS} points comes to one branch, one request, one word of each kind (R-WORK-8)`,
  { timeout: 200_000 + KILLS * 90_000 },
  async () => {
    const life = await openWorking(agentOf(obeys), undefined, {}, onPgBoss);
    const first = await agreed(life);
    const way = await workerOf(life, (await life.taskOf(first)).id, null);
    expect(await leftOf(life, first)).toEqual(WHOLE);
    expect(way.length).toBeGreaterThan(30);
    const wrong: unknown[] = [];
    for (let n = 0; n < KILLS; n += 1) {
      const issue = await agreed(life);
      const { id } = await life.taskOf(issue);
      const killAt = 1 + Math.floor(((n + 0.5) * way.length) / KILLS);
      const lived = await workerOf(life, id, killAt);
      // Its lock goes with its connection.
      await expect.poll(async () => await life.executeTask(id).then(() => "done", codeOf)).toBe("done");
      const left = await leftOf(life, issue);
      if (!isDeepStrictEqual(left, WHOLE)) wrong.push({ killAt, point: lived.at(-1), ...left });
    }
    expect(wrong).toEqual([]);
  },
);

/** The two occasions of a further run, and how often each may come to one request. */
const OCCASIONS = [
  { name: "a review's wish", most: KILLS, kills: KILLS },
  { name: "a red check", most: 2, kills: Math.ceil(KILLS / 4) },
] as const;

test.skipIf(KILLS === 1).each(OCCASIONS)(
  `a further run for $name whose worker is killed comes to one commit and one answer (R-WORK-8, R-WORK-9)`,
  { timeout: 200_000 + KILLS * 90_000 },
  async ({ name, most, kills }) => {
    const life = await openWorking(agentOf(obeys), undefined, {}, onPgBoss);
    await life.people.setMember("shop", "ci", "write", true);
    let way: string[] = [];
    let under = await inReview(life);
    const wrong: unknown[] = [];
    // The first one lives, and tells the points.
    for (let n = 0; n <= kills; n += 1) {
      if (under.rounds === most) under = await inReview(life);
      const { issue, request, branch } = under;
      under.rounds += 1;
      const asked = await ask(life, name, { request, branch, part: n });
      expect(await life.tell(issue, asked.event)).toMatchObject({ state: "queued" });
      const { id } = await life.taskOf(issue);
      const killAt = n === 0 ? null : 1 + Math.floor(((n - 0.5) * way.length) / kills);
      const lived = await workerOf(life, id, killAt);
      if (n === 0) way = lived;
      await expect.poll(async () => await life.executeTask(id).then(() => "done", codeOf)).toBe("done");
      const left = { ...(await leftOf(life, issue)), ...(await answeredIn(life, under, asked.threadId)) };
      const reasons = Array.from({ length: under.rounds }, () =>
        asked.threadId === null ? "checks done" : "review done",
      );
      const whole = {
        ...WHOLE,
        ...{ commits: 1 + under.rounds, recorded: 1 + under.rounds, runs: ["plan done", ...reasons] },
        ...{ part: `part ${n}`, answers: asked.threadId === null ? 0 : 1 },
      };
      if (!isDeepStrictEqual(left, whole)) wrong.push({ killAt, point: lived.at(-1), ...left });
    }
    expect(way.length).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
  },
);

async function inReview(life: WorkingLife) {
  const issue = await agreed(life);
  await life.worksOn(issue);
  const [run] = await listRuns(life.db, (await life.existing(issue)).id);
  const branch = run?.branch ?? "none";
  const [opened] = await life.tracker.listPullRequests("shop", branch);
  return { issue, branch, request: { project: "shop", number: opened?.number ?? 0 }, rounds: 0 };
}

/** Mia asks for one part more, or the branch's newest commit is red. */
async function ask(
  { people, git }: WorkingLife,
  name: string,
  { request, branch, part }: { request: { project: string; number: number }; branch: string; part: number },
) {
  const words = `Please do part ${part}.`;
  if (name === "a red check") {
    const check = { name: "build", outcome: "failed" as const, detail: words };
    const event = await people.reportCheck(request, "ci", await git("rev-parse", branch), check);
    return { event, threadId: null };
  }
  const event = await people.reviewComment(request, "mia", words, { path: "notes.md", line: 1 });
  return { event, threadId: event.threadId };
}

async function answeredIn(
  { tracker, git }: WorkingLife,
  { request, branch }: { request: { number: number }; branch: string },
  threadId: string | null,
) {
  const threads = await tracker.listReviewThreads("shop", request.number);
  const own = threads.find(({ id }) => id === threadId)?.comments.filter(({ author }) => author === "relay") ?? [];
  return { part: (await git("show", `${branch}:notes.md`)).split("\n").at(-1), answers: own.length };
}

test("the job of a worker that was killed comes to another one by itself (R-WORK-8)", async () => {
  const life = await openWorking(agentOf(obeys), undefined, {}, onPgBoss);
  const issue = await agreed(life);
  const child = start(life, null, 60);
  await once(child, "exit");
  expect(await life.existing(issue)).toMatchObject({ state: "in_progress" });
  await life.employ();
  await expect.poll(async () => (await life.existing(issue)).state).toBe("in_review");
  expect(await leftOf(life, issue)).toEqual(WHOLE);
});

test.each([
  ["after the approval is stored and before its run is", "before db."],
  ["after its branch is pushed and before its request is opened", "before tracker.createPullRequest"],
  ["after its request is opened and before that is stored", "after tracker.createPullRequest"],
])("a worker that is killed %s leaves one of each to the next one (R-WORK-7, R-WORK-8)", async (_, point) => {
  const life = await openWorking(agentOf(obeys), undefined, {}, onPgBoss);
  const issue = await agreed(life);
  const { id } = await life.taskOf(issue);
  const lived = await workerOf(life, id, point);
  expect(lived.at(-1)).toContain(point);
  expect(await life.existing(issue)).toMatchObject({ state: point === "before db." ? "queued" : "in_progress" });
  await expect.poll(async () => await life.executeTask(id).then(() => "done", codeOf)).toBe("done");
  expect(await leftOf(life, issue)).toEqual(WHOLE);
});

/** What the child's agent does. */
const obeys: Deed = async ({ directory }) => await obey(directory);

function start({ connection, folder, code }: WorkingLife, taskId: string | null, killAt: number | string | null) {
  const about = JSON.stringify({ connection, folder, repository: code.root, taskId, killAt });
  const child = spawn(process.execPath, ["--no-warnings", CHILD, about], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** The points that a worker comes by, until its end. */
async function workerOf(life: WorkingLife, taskId: string, killAt: number | string | null): Promise<string[]> {
  const child = start(life, taskId, killAt);
  const said = text(child.stdout);
  await once(child, "exit");
  return (await said).trim().split("\n");
}

const WHOLE = {
  state: "in_review",
  task: "done",
  runs: ["plan done"],
  branches: 1,
  commits: 1,
  requests: 1,
  twice: [],
  // The status comment tells the request; it has no comment of its own.
  told: 0,
  recorded: 1,
  workspaces: [],
  held: "",
  dirty: "",
  labels: ["bug", "relay:review"],
};

/** All that people and the next worker see of it. */
async function leftOf(life: WorkingLife, issue: IssueAddress): Promise<Record<string, unknown>> {
  const { db, git, tracker, work } = life;
  const stored = await life.existing(issue);
  const runs = await listRuns(db, stored.id);
  const branch = runs[0]?.branch ?? "none";
  const named = `fix/${issue.externalIssueId}-*`;
  const count = async (sql: string, value: string) =>
    (await db.one(z.object({ n: z.number() }), `select count(*)::int as n from ${sql}`, [value])).n;
  const markers = (await life.said(issue)).map((body) => /<!-- relay:(\S+) -->/.exec(body)?.[1] ?? body);
  // What upkeep does.
  await life.orchestrator.syncLabels();
  await sweepWorkspaces(work.home, async () => await listRunning(db), silentLog);
  return {
    state: stored.state,
    task: (await life.taskOf(issue)).status,
    runs: runs.map(({ reason, status }) => `${reason} ${status}`),
    branches: (await git("branch", "--list", named)).split("\n").filter((line) => line !== "").length,
    commits: Number(await git("rev-list", "--count", `main..${branch}`)),
    requests: await count("local_pull_requests where head = $1", branch),
    twice: markers.filter((marker, at) => markers.indexOf(marker) !== at),
    told: markers.filter((marker) => marker.startsWith("request:")).length,
    recorded: await count("audit_log where what = 'request.opened' and issue_id = $1", stored.id),
    workspaces: await readdir(join(work.home, "work")),
    held: await git("for-each-ref", "refs/relay/runs"),
    dirty: await git("status", "--porcelain"),
    labels: (await tracker.getIssue(issue)).labels.toSorted(),
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
