import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openOn } from "../support/find-open-request.ts";
import { boundaryFrom } from "../../src/adapters/models/fence.ts";
import { takeTasks } from "../../src/engine/take-jobs.ts";
import { QUESTION_FILE, TASK_FILE } from "../../src/implementation/run/notes.ts";
import { NOTES } from "../../src/implementation/run/workspace/scan-tree.ts";
import { listGaps } from "../../src/storage/gaps.ts";
import { listRuns } from "../../src/storage/runs.ts";
import { type Deed, agentOf, agreed, idle, mends, openWorking, writes } from "../support/working-relay.ts";
import { moment, say } from "../support/planning-relay.ts";

const BRANCH = "fix/1-wrong-total-cart";
const BROKEN = writes("src/cart.ts", "BROKEN\n");

/** Its tests pass but for a cart that is broken. */
function tested(more = ""): Record<string, string> {
  const script = `if grep -q BROKEN src/cart.ts; then echo "expected 0, but the cart is broken"; exit 1; fi\n`;
  return { "test.sh": script, ".relay.yml": `conventions:\n  test_commands: [sh test.sh]\n${more}` };
}

test("what was agreed to becomes one branch and one request, and the issue is in review (R-WORK-1, R-WORK-7)", async () => {
  const life = await openWorking(agentOf(mends));
  const issue = await agreed(life);
  expect(await life.existing(issue)).toMatchObject({ state: "queued" });
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  const task = await life.taskOf(issue);
  expect(task).toMatchObject({ status: "done" });
  const opened = await openOn(life.tracker, "shop", BRANCH);
  expect(opened).toMatchObject({ head: BRANCH, base: "main", state: "open" });
  expect(opened?.body).toContain("Closes #1");
  expect(await life.git("show", `${BRANCH}:src/cart.ts`)).not.toContain("cart is empty");
  expect(await life.git("log", "--format=%s", `main..${BRANCH}`)).toMatch(/^fix: .*\(#1\)$/);
  expect(await life.git("status", "--porcelain")).toBe("");
  const said = await life.said(issue);
  expect(await life.shown(issue)).toBe(`**The change is in #${opened?.number}. I’m waiting for a review.**`);
  // Its job may come again: there is nothing to do.
  await life.executeTask(task.id);
  expect(await life.said(issue)).toEqual(said);
  expect(await readdir(join(life.work.home, "work"))).toEqual([]);
});

test("the boundary of a task's fences comes from the source of randomness that the worker is given (R-SAFE-1)", async () => {
  const tasks: string[] = [];
  const reads: Deed = async ({ directory }) => {
    tasks.push(await readFile(join(directory, NOTES, TASK_FILE), "utf8"));
  };
  const life = await openWorking(agentOf(reads, mends));
  await life.worksOn(await agreed(life), { random: () => 0 });
  expect(tasks[0]).toContain(boundaryFrom(() => 0));
});

test("a question waits for somebody who may answer, and the work goes on where it stopped (R-WORK-4)", async () => {
  const tasks: string[] = [];
  const asks: Deed = async (request) => {
    await writes("src/rounding.ts", "export const digits = 2;\n")(request);
    await writeFile(join(request.directory, NOTES, QUESTION_FILE), "Is an empty cart worth 0 or nothing?\n");
  };
  const goesOn: Deed = async (request) => {
    tasks.push(await readFile(join(request.directory, NOTES, TASK_FILE), "utf8"));
    tasks.push(await readFile(join(request.directory, "src/rounding.ts"), "utf8"));
    await BROKEN(request);
  };
  const life = await openWorking(agentOf(asks, goesOn, idle, idle, mends), undefined, tested());
  await life.people.setMember("shop", "eve", "read");
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "stuck" });
  const { id } = await life.existing(issue);
  expect((await life.said(issue)).at(-1)).toContain("> Is an empty cart worth 0 or nothing?");
  const gaps = async () => (await listGaps(life.db, id)).filter(({ evidence }) => evidence?.includes("coding agent"));
  expect(await gaps()).toMatchObject([{ status: "open", question: "Is an empty cart worth 0 or nothing?" }]);
  await moment();
  expect(await say(life, issue, "eve", "It is worth a fortune.")).toMatchObject({ state: "stuck" });
  expect(await say(life, issue, "mia", "Thanks!")).toMatchObject({ state: "stuck" });
  expect(await say(life, issue, "mia", "It is worth 0.")).toMatchObject({ state: "queued" });
  expect(await gaps()).toMatchObject([{ status: "closed", closedReason: "answered" }]);

  // The next run is told, breaks the tests, and comes no further.
  expect(await life.worksOn(issue)).toMatchObject({ state: "stuck" });
  expect(tasks[0]).toContain("It is worth 0.");
  expect(tasks[0]).not.toContain("a fortune");
  expect(tasks[1]).toContain("digits = 2");
  expect((await life.said(issue)).at(-1)).toMatch(/two attempts in a row[\s\S]*sh test\.sh[\s\S]*the cart is broken/);
  expect(await openOn(life.tracker, "shop", BRANCH)).toBeNull();
  await moment();
  expect(await say(life, issue, "ann", "Add the prices up with reduce.")).toMatchObject({ state: "queued" });
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(await life.git("show", `${BRANCH}:src/rounding.ts`)).toContain("digits = 2");
  expect(await life.git("for-each-ref", "refs/relay/runs")).toBe("");
});

test("a question that stands unanswered is not posted again, and its answer reaches whoever asked last (R-WORK-4)", async () => {
  const asks = (question: string) => writes(`${NOTES}/${QUESTION_FILE}`, question);
  const told: string[] = [];
  const goesOn: Deed = async (request) => {
    told.push(await readFile(join(request.directory, NOTES, TASK_FILE), "utf8"));
    await mends(request);
  };
  const life = await openWorking(
    agentOf(asks("Is it worth 0 or nothing?"), asks("is it worth 0,\nor nothing"), goesOn),
  );
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "stuck" });
  const said = await life.said(issue);
  const { id } = await life.existing(issue);
  expect(await life.orchestrator.retryTask(id)).toBe(true);
  expect(await life.worksOn(issue)).toMatchObject({ state: "stuck" });
  expect(await life.said(issue)).toEqual(said);
  expect((await listGaps(life.db, id)).filter(({ status }) => status === "open")).toHaveLength(1);
  await moment();
  expect(await say(life, issue, "mia", "It is worth 0.")).toMatchObject({ state: "queued" });
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(told[0]?.split("It is worth 0.")).toHaveLength(2);
  expect(told[0]).toMatch(/is it worth 0,\s+or nothing/i);
});

test("a set-up that fails for want of a program says which, and who can install it (R-WORK-16)", async () => {
  const setup = '  setup_commands: ["no-such-composer install"]\n';
  const life = await openWorking(agentOf(mends), undefined, tested(setup));
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "stuck" });
  expect((await life.said(issue)).at(-1)).toMatch(/couldn’t set up[\s\S]*`no-such-composer` isn’t installed/);
  const [run] = await listRuns(life.db, (await life.existing(issue)).id);
  expect(run?.detail).toMatch(
    /^the set-up command no-such-composer install does not pass: .*not found\n`no-such-composer` isn’t installed/,
  );
});

test("whatever ends a run without a change is told, and can be mended (R-WORK-2)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "relay-registry-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const registry = join(folder, "registry");
  const setup = `  setup_commands: ["cat ${registry}"]\n`;
  const keyless: Deed = async () =>
    await Promise.resolve({ ending: { kind: "failed" as const, detail: "the key was refused", usable: false } });
  const life = await openWorking(agentOf(keyless, BROKEN, mends), undefined, tested(setup));
  const issue = await agreed(life);
  const last = async () => (await life.said(issue)).at(-1);
  expect(await life.worksOn(issue)).toMatchObject({ state: "stuck" });
  expect(await last()).toMatch(/couldn’t set up[\s\S]*cat [\s\S]*No such file/i);
  await writeFile(registry, "here\n");
  await moment();
  expect(await say(life, issue, "mia", "The registry is back.")).toMatchObject({ state: "queued" });

  expect(await life.worksOn(issue)).toMatchObject({ state: "failed" });
  expect(await last()).toContain("The coding agent isn’t working right now");
  expect(await say(life, issue, "mia", "What happened?")).toMatchObject({ state: "failed" });
  expect(await life.orchestrator.retryTask((await life.existing(issue)).id)).toBe(true);
  expect(await life.settled(issue)).toMatchObject({ state: "queued" });

  const limits = { ...life.work.settings.limits, iterations: 1 };
  expect(await life.worksOn(issue, { settings: { ...life.work.settings, limits } })).toMatchObject({ state: "stuck" });
  expect(await last()).toMatch(/number of attempts[\s\S]*the cart is broken/);
  expect(await life.orchestrator.retryTask((await life.existing(issue)).id)).toBe(true);
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  const runs = await listRuns(life.db, (await life.existing(issue)).id);
  expect(runs.map(({ status }) => status)).toEqual(["stuck", "failed", "stuck", "done"]);
});

test("of two workers with the same task one makes the run, and the other looks again later (R-WORK-8)", async () => {
  const agent = agentOf(mends);
  const life = await openWorking(agent);
  const issue = await agreed(life);
  const { id } = await life.taskOf(issue);
  const both = await Promise.allSettled([life.executeTask(id), life.executeTask(id)]);
  const refused = both.filter(({ status }) => status === "rejected");
  expect(refused).toMatchObject([{ reason: { code: "conflict", retryable: true } }]);
  expect(await life.existing(issue)).toMatchObject({ state: "in_review" });
  expect(await listRuns(life.db, (await life.existing(issue)).id)).toHaveLength(1);
});

test("words that are said while a run is under way are answered once it is over, and told where to say them", async () => {
  const life = await openWorking(
    agentOf(async (request) => {
      await say(life, issue, "ann", "Please also rename the function.");
      await mends(request);
    }),
  );
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  const elsewhere = async () =>
    (await life.said(issue)).filter((body) => body.includes("please ask for changes there"));
  await expect.poll(elsewhere).toEqual([expect.stringContaining("#2")]);
  // Thanks need no answer, and one answer is enough.
  await say(life, issue, "mia", "Thank you!");
  await say(life, issue, "mia", "It should be green, too.");
  expect(await elsewhere()).toHaveLength(1);
  expect(await life.existing(issue)).toMatchObject({ state: "in_review" });
});

test("where people keep the work to themselves no job begins it, and whoever asks directly has it done (R-LIFE-7)", async () => {
  const life = await openWorking(agentOf(mends), undefined, { ".relay.yml": "mode: plan\n" });
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "queued" });
  expect(await listRuns(life.db, (await life.existing(issue)).id)).toEqual([]);
  await life.directly(issue);
  expect(await life.existing(issue)).toMatchObject({ state: "in_review" });
});

test("tasks of smaller issue numbers are taken first (R-WORK-1)", async () => {
  const life = await openWorking(agentOf(mends));
  for (const rank of [12, 3, 7]) await life.jobs.sendTask({ id: `of ${rank}`, rank });
  const taken: string[] = [];
  await takeTasks(life.queue, async (taskId) => void (await Promise.resolve(taken.push(taskId))), 1);
  await expect.poll(() => taken).toEqual(["of 3", "of 7", "of 12"]);
});
