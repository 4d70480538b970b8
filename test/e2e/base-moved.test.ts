import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { openRepository } from "../../src/code/git/repository.ts";
import type { TrackerEvent } from "../../src/domain/event.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { listRuns } from "../../src/storage/runs.ts";
import { retryTask } from "../../src/implementation/resume-task.ts";
import { ANSWERS_FILE, QUESTION_FILE, TASK_FILE } from "../../src/implementation/run/notes.ts";
import { NOTES } from "../../src/implementation/run/workspace/scan-tree.ts";
import { BOT } from "../support/relay.ts";
import { moment, say } from "../support/planning-relay.ts";
import { openOn } from "../support/find-open-request.ts";
import {
  type Deed,
  type WorkingLife,
  agentOf,
  agreed,
  idle,
  mends,
  openWorking,
  saidAt,
  pushes,
  writes,
} from "../support/working-relay.ts";

const BRANCH = "fix/1-wrong-total-cart";
const CI = ".github/workflows/ci.yml";
const THEIRS = "export const total = (prices: number[]) => prices.length;\n";
const BOTH =
  "export const total = (prices: number[]) => prices.reduce((sum, price) => sum + price, 0) || prices.length;\n";

/** Its tests pass where nothing has marks of a merge. */
const TESTED = {
  "test.sh": "! grep -r '<<<<<<<' src\n",
  ".relay.yml": 'conventions:\n  test_commands: [sh test.sh]\n  type_check_command: "true"\n',
};

/** An issue whose request is open. */
async function inReview(life: WorkingLife) {
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  // A look that still waits would find what the test changes next, before it is told of it.
  await life.settled(issue);
  const opened = await openOn(life.tracker, "shop", BRANCH);
  if (opened === null) throw new Error("there is no request");
  return { issue, request: { project: "shop", number: opened.number } };
}

/** Others change the default branch; gives its head. */
async function others(life: WorkingLife, files: Record<string, string>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(life.code.root, path)), { recursive: true });
    await writeFile(join(life.code.root, path), text);
  }
  await life.git("add", "--all", "--force", ...Object.keys(files));
  await life.git("-c", "user.name=Bo", "-c", "user.email=bo@example.org", "commit", "--quiet", "-m", "Others");
  return await life.git("rev-parse", "main");
}

/** Somebody merged a request. */
function mergeOf(address: IssueAddress): TrackerEvent {
  const nothing = { assignee: null, commentId: null, threadId: null, text: null, branch: null, outcome: null };
  return { ...address, ...nothing, kind: "pull_request_merged", actor: "bo", actorIsBot: false, at: new Date(0) };
}

/** What the hourly look does. */
async function lookedAt(life: WorkingLife, issue: IssueAddress) {
  await life.orchestrator.wake((await life.existing(issue)).id, "directly");
  return await life.existing(issue);
}

async function runsOf(life: WorkingLife, issue: IssueAddress): Promise<string[]> {
  const runs = await listRuns(life.db, (await life.existing(issue)).id);
  return runs.map(({ reason, status }) => `${reason} ${status}`);
}

test("a base that moved is left alone until there is more to do, and is merged then, without losing what people pushed (R-WORK-9)", async () => {
  const life = await openWorking(
    agentOf(mends, writes("src/digits.ts", "export const digits = 2;\n")),
    undefined,
    TESTED,
  );
  const { issue, request } = await inReview(life);
  await pushes(life, BRANCH, "mia.txt");
  const main = await others(life, { [CI]: "jobs: {}\n", "README.md": "# a shop\n" });
  expect(await lookedAt(life, issue)).toMatchObject({ state: "in_review" });
  expect(await runsOf(life, issue)).toEqual(["plan done"]);
  const wish = await life.people.reviewComment(request, "mia", "Please round it.", null);
  expect(await life.tell(issue, wish)).toMatchObject({ state: "queued" });
  const before = await life.git("rev-parse", BRANCH);
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(await life.git("log", "--format=%s", `${before}..${BRANCH}`, "--not", main)).toMatch(
    /^fix: .*\nMerge branch 'main' \(#1\)$/,
  );
  expect(await life.git("log", "-1", "--format=%P", `${BRANCH}~1`)).toBe(`${before} ${main}`);
  expect(await life.git("show", `${BRANCH}:mia.txt`)).toBe("by mia");
  expect((await life.git("diff", "--name-only", `main...${BRANCH}`)).split("\n")).toEqual([
    "mia.txt",
    "src/cart.ts",
    "src/digits.ts",
  ]);
  const body = (await life.tracker.getPullRequest("shop", request.number)).body;
  expect(body).not.toContain(CI);
});

test("a conflict is resolved by the agent once, and told to people once where it cannot (R-WORK-9)", async () => {
  const tasks: string[] = [];
  const resolves: Deed = async (request) => {
    tasks.push(await readFile(join(request.directory, NOTES, TASK_FILE), "utf8"));
    tasks.push(await readFile(join(request.directory, "src/cart.ts"), "utf8"));
    await writes("src/cart.ts", BOTH)(request);
  };
  const rounds: Deed = async (request) => {
    tasks.push(await readFile(join(request.directory, "src/cart.ts"), "utf8"));
    await writes("src/digits.ts", "export const digits = 2;\n")(request);
  };
  const agent = agentOf(mends, resolves, idle, idle, rounds);
  const life = await openWorking(agent, undefined, TESTED);
  const { issue, request } = await inReview(life);
  const first = await life.git("rev-parse", BRANCH);
  const merged = mergeOf({ ...issue, externalIssueId: "!99" });
  const main = await others(life, { "src/cart.ts": THEIRS, [CI]: "jobs: {}\n" });
  // By a request that Relay has nothing to do with.
  await life.deliver(merged);
  await life.worked(merged);
  await expect.poll(async () => (await life.existing(issue)).state, { timeout: 60_000 }).toBe("queued");
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(tasks[0]).toMatch(/Conflicts to resolve[\s\S]*src\/cart\.ts/);
  expect(tasks[1]).toMatch(/<<<<<<<[\s\S]*reduce[\s\S]*=======[\s\S]*prices\.length[\s\S]*>>>>>>>/);
  expect(await life.git("log", "-1", "--format=%P", BRANCH)).toBe(`${first} ${main}`);
  expect(await life.git("show", `${BRANCH}:src/cart.ts`)).toBe(BOTH.trim());
  expect(await life.git("show", `${BRANCH}:${CI}`)).toBe("jobs: {}");
  expect(await lookedAt(life, issue)).toMatchObject({ state: "in_review" });

  const said = await saidAt(life, request);
  const second = await life.git("rev-parse", BRANCH);
  await others(life, { "src/cart.ts": THEIRS.replace("length", "size") });
  expect(await lookedAt(life, issue)).toMatchObject({ state: "queued" });
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(await life.git("rev-parse", BRANCH)).toBe(second);
  const told = (await saidAt(life, request)).slice(said.length);
  expect(told).toEqual([expect.stringMatching(/conflicts with `main`[\s\S]*- `src\/cart\.ts`/)]);
  expect(await runsOf(life, issue)).toEqual(["plan done", "conflict done", "conflict failed"]);
  expect(await life.shown(issue)).toContain("conflicts with its base branch, and I couldn’t resolve that.");
  expect((await life.tracker.getIssue(issue)).labels).toContain("relay:stuck");

  // The base moves on elsewhere: the same conflict.
  await others(life, { "README.md": "# a shop\n" });
  expect(await lookedAt(life, issue)).toMatchObject({ state: "in_review" });
  const wish = await life.people.reviewComment(request, "mia", "Please round it.", null);
  expect(await life.tell(issue, wish)).toMatchObject({ state: "queued" });
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(tasks[2]).toBe(BOTH);
  expect(await life.git("log", "-1", "--format=%P", BRANCH)).toBe(second);
  const later = (await saidAt(life, request)).slice(said.length);
  expect(later).toEqual([...told, expect.stringContaining("`src/digits.ts:1`")]);
});

test("wishes of people are carried out without a base that cannot be brought in", async () => {
  const seen: string[] = [];
  const rounds: Deed = async (request) => {
    seen.push(await readFile(join(request.directory, "src/cart.ts"), "utf8"));
    await writes("src/digits.ts", "export const digits = 2;\n")(request);
  };
  const life = await openWorking(agentOf(mends, rounds), undefined, TESTED);
  const { issue, request } = await inReview(life);
  const before = await life.git("rev-parse", BRANCH);
  await others(life, { "src/cart.ts": THEIRS });
  const wish = await life.people.reviewComment(request, "mia", "Please round it.", null);
  expect(await life.tell(issue, wish)).toMatchObject({ state: "queued" });
  // The worker dies as soon as people know of it.
  const transaction: typeof life.db.transaction = async (work) => {
    if ((await saidAt(life, request)).some((body) => body.includes("conflicts with")))
      throw new RelayError("unavailable", "the database is down", { retryable: true });
    return await life.db.transaction(work);
  };
  const dying = { db: { ...life.db, transaction } };
  await expect(life.worksOn(issue, dying)).rejects.toMatchObject({ code: "unavailable" });
  await expect(life.worksOn(issue)).rejects.toMatchObject({ code: "conflict", retryable: true });
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(seen.map((text) => text.includes("<<<<<<<"))).toEqual([true, true, false]);
  expect(await life.git("log", "-1", "--format=%P", BRANCH)).toBe(before);
  expect((await saidAt(life, request)).filter((body) => body.includes("conflicts with"))).toHaveLength(1);
  expect(await runsOf(life, issue)).toEqual(["plan done", "review done"]);
});

test("a thread is told what was changed for it, also in the commit that resolves a conflict, and of several commits once (R-WORK-9)", async () => {
  const answers = writes(`${NOTES}/${ANSWERS_FILE}`, "## 1\nIt is done.\n");
  const both: Deed = async (request) => {
    await writes("src/cart.ts", BOTH)(request);
    await writes("src/digits.ts", "export const digits = 2;\n")(request);
    await answers(request);
  };
  const tries: Deed = async (request) => {
    await writes("src/digits.ts", "\n\n// <<<<<<<\nexport const digits = 3;\n")(request);
    await writes("src/more.ts", "export const more = 3;\n")(request);
  };
  const mendsThat: Deed = async (request) => {
    await writes("src/digits.ts", "export const digits = 4;\n")(request);
    await rm(join(request.directory, "src/more.ts"));
    await answers(request);
  };
  const life = await openWorking(agentOf(mends, both, tries, mendsThat), undefined, TESTED);
  const { issue, request } = await inReview(life);
  await others(life, { "src/cart.ts": THEIRS, "README.md": "# a shop\n" });
  const told = async () => {
    const threads = await life.tracker.listReviewThreads("shop", request.number);
    const own = threads.flatMap(({ comments }) => comments.filter(({ author }) => author === BOT));
    return own.map(({ body }) => body.replace(/\n\n<!--.*/, "")).at(-1);
  };
  for (const places of ["`src/cart.ts:1`, `src/digits.ts:1`", "`src/digits.ts:1`"]) {
    const wish = await life.people.reviewComment(request, "mia", `Please round it (not ${places}).`, null);
    expect(await life.tell(issue, wish)).toMatchObject({ state: "queued" });
    expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
    const commit = (await life.git("rev-parse", BRANCH)).slice(0, 10);
    expect(await told()).toBe(`Changed in ${commit}: ${places}.\n\n> It is done.`);
  }
});

test("a run for a conflict that failed asks no agent where people resolved it meanwhile", async () => {
  const agent = agentOf(mends, idle);
  const life = await openWorking(agent, undefined, TESTED);
  const { issue } = await inReview(life);
  await others(life, { "src/cart.ts": THEIRS });
  expect(await lookedAt(life, issue)).toMatchObject({ state: "queued" });
  const equip = async () => await Promise.reject(new RelayError("config", "there is no sandbox"));
  expect(await life.worksOn(issue, { equip })).toMatchObject({ state: "failed" });
  await others(life, { "src/cart.ts": await life.git("show", `${BRANCH}:src/cart.ts`).then((text) => `${text}\n`) });
  expect(await retryTask((await life.existing(issue)).id, life)).toBe(true);
  const runs = agent.runs();
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(agent.runs()).toBe(runs);
  expect(await runsOf(life, issue)).toEqual(["plan done", "conflict failed", "conflict done"]);
});

test("a merge is pushed once, and in one shape, whenever a worker dies (R-WORK-8)", async () => {
  const agent = agentOf(mends, writes("src/cart.ts", BOTH));
  const life = await openWorking(agent, undefined, TESTED);
  const { issue } = await inReview(life);
  await others(life, { "src/cart.ts": THEIRS });
  expect(await lookedAt(life, issue)).toMatchObject({ state: "queued" });
  // Between the merge and its push.
  const remote = { url: "http://127.0.0.1:1/shop.git" };
  const withSource: typeof life.work.withSource = async (_, look) =>
    await look({ code: life.code, defaultBranch: "main", remote, refresh: async () => await Promise.resolve() });
  await expect(life.worksOn(issue, { withSource })).rejects.toMatchObject({ retryable: true });
  const runs = agent.runs();
  const branch = await life.git("rev-parse", BRANCH);
  // Between the push and its record.
  const getPullRequest: typeof life.tracker.getPullRequest = async (...address) => {
    if ((await life.git("rev-parse", BRANCH)) !== branch)
      throw new RelayError("unavailable", "the tracker is down", { retryable: true });
    return await life.tracker.getPullRequest(...address);
  };
  const codeHostFor = async () => await Promise.resolve({ ...life.tracker, getPullRequest });
  await expect(life.worksOn(issue, { codeHostFor })).rejects.toMatchObject({ code: "unavailable" });
  const pushed = await life.git("rev-parse", BRANCH);
  expect(await life.git("log", "-1", "--format=%P", BRANCH)).toBe(`${branch} ${await life.git("rev-parse", "main")}`);
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(await life.git("rev-parse", BRANCH)).toBe(pushed);
  expect(agent.runs()).toBe(runs);
  expect(await runsOf(life, issue)).toEqual(["plan done", "conflict done"]);
});

test("work that nobody has seen yet is put on the new base", async () => {
  const asks: Deed = async (request) => {
    await writes("src/digits.ts", "export const digits = 2;\n")(request);
    await writeFile(join(request.directory, NOTES, QUESTION_FILE), "Is an empty cart worth 0 or nothing?\n");
  };
  const life = await openWorking(agentOf(asks, mends), undefined, TESTED);
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "stuck" });
  const main = await others(life, { "README.md": "# a shop\n" });
  await moment();
  expect(await say(life, issue, "mia", "It is worth 0.")).toMatchObject({ state: "queued" });
  const code = await openRepository(life.code.root);
  const withSource: typeof life.work.withSource = async (_, look) =>
    await look({ code, defaultBranch: "main", remote: null, refresh: async () => await Promise.resolve() });
  expect(await life.worksOn(issue, { withSource })).toMatchObject({ state: "in_review" });
  await code.close();
  expect(await life.git("log", "--format=%an", `main..${BRANCH}`)).toBe("relay\nrelay");
  expect(await life.git("merge-base", "main", BRANCH)).toBe(main);
});

test("commits that the base lost during a run do not come back with the branch", async () => {
  const places: { life?: WorkingLife } = {};
  let runs = 0;
  const rewrites: Deed = async (request) => {
    await mends(request);
    runs += 1;
    if (runs === 1) await places.life?.git("reset", "--quiet", "--hard", "main~1");
  };
  const life = await openWorking(agentOf(rewrites, rewrites), undefined, TESTED);
  places.life = life;
  await others(life, { "secret.txt": "published by mistake\n" });
  const issue = await agreed(life);
  const withSource: typeof life.work.withSource = async (_, look) => {
    const code = await openRepository(life.code.root);
    try {
      return await look({ code, defaultBranch: "main", remote: null, refresh: async () => await Promise.resolve() });
    } finally {
      await code.close();
    }
  };
  await expect(life.worksOn(issue, { withSource })).rejects.toMatchObject({ retryable: true });
  expect(await life.worksOn(issue, { withSource })).toMatchObject({ state: "in_review" });
  expect(await life.git("log", "--format=%an", `main..${BRANCH}`)).toBe("relay");
  expect(runs).toBe(2);
});
