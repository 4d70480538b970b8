import { readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import type { Lack } from "../../src/domain/plan.ts";
import { lacksByWorkers, takePlans } from "../../src/engine/take-jobs.ts";
import { preflightPlan } from "../../src/implementation/preflight.ts";
import { sleep } from "../../src/lib/clock.ts";
import { STATUS_KEY } from "../../src/domain/marker.ts";
import { findEditedPost } from "../../src/storage/posts.ts";
import { getPlan } from "../../src/storage/plans.ts";
import { moment, planOf, planned, say } from "../support/planning-relay.ts";
import { type WorkingLife, agentOf, idle, mends, openWorking } from "../support/working-relay.ts";

const NO_KEY: Lack = { what: "key", name: "claude" };

/** A Relay whose repository is set up by this command, and an issue whose plan waits for a yes. */
async function waiting(setUp: string) {
  const files = { ".relay.yml": `conventions:\n  setup_commands: [${JSON.stringify(setUp)}]\n` };
  const life = await openWorking(agentOf(mends, idle), () => ({}), files);
  const issue = await planned(life);
  const id = (await planOf(life, issue))?.id ?? "";
  const tries = async (...quick: Lack[]) =>
    await preflightPlan(id, async () => await Promise.resolve(quick), life.work);
  const lacks = async () => (await planOf(life, issue))?.lacks ?? null;
  return { life, issue, id, tries, lacks };
}

async function statusOf(life: WorkingLife, issue: IssueAddress): Promise<string> {
  const { id } = await life.existing(issue);
  await life.orchestrator.updateStatus(id);
  return (await findEditedPost(life.db, id, STATUS_KEY))?.shown ?? "";
}

test("what the work of a plan lacks is found before the yes, the set-up of the base included (R-WORK-16)", async () => {
  const { life, issue, tries, lacks } = await waiting("echo broken; exit 3");
  expect(await lacks()).toBeNull();
  await tries(NO_KEY);
  expect(await lacks()).toEqual([NO_KEY, { what: "setup", name: "echo broken; exit 3", why: "broken" }]);
  const status = await statusOf(life, issue);
  expect(status).toContain("The coding agent `claude` has no key for its model.");
  expect(status).toContain("The set-up command `echo broken; exit 3` fails on the default branch: `broken`. Relay");
  // Nothing is left of the try.
  expect(await readdir(join(life.work.home, "work"))).toEqual([]);
  expect(await life.git("for-each-ref", "refs/relay/runs")).toBe("");
  await tries();
  expect(await lacks()).toEqual([{ what: "setup", name: "echo broken; exit 3", why: "broken" }]);
  // Doctor tries no set-up.
  expect(await statusOf(life, issue)).not.toContain("relay doctor");
});

test("the set-up is tried once for each commit of the base, and what passes lacks nothing", async () => {
  const { life, issue, tries, lacks } = await waiting("true");
  let opened = 0;
  const { equip } = life.work;
  life.work.equip = async () => {
    opened += 1;
    return await equip();
  };
  await tries();
  await tries();
  expect([await lacks(), opened]).toEqual([[], 1]);
  expect(await statusOf(life, issue)).not.toContain("Not ready yet");
});

test("of a set-up that fails, people read the line that says why, without secrets, and how to fix it (R-WORK-16)", async () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const quoted = await waiting(`echo added 1 package; echo npm error 401 for token ${token}; exit 1`);
  await quoted.tries();
  const why = (await quoted.lacks())?.[0]?.why ?? "";
  expect(why).toMatch(/^npm error 401 for token /);
  expect(why).not.toContain(token);
  expect(await statusOf(quoted.life, quoted.issue)).not.toContain(token);

  const missing = await waiting("no-such-composer install");
  await missing.tries();
  expect(await missing.lacks()).toMatchObject([{ cause: { kind: "program", program: "no-such-composer" } }]);
  expect(await statusOf(missing.life, missing.issue)).toMatch(
    /`no-such-composer` isn’t installed where .* install it there/,
  );
});

test("a set-up that the sandbox keeps from its registry is told which hosts to allow", async () => {
  const { life, issue, tries, lacks } = await waiting("echo npm error network request failed; exit 1");
  const { equip } = life.work;
  life.work.equip = async () => {
    const { sandbox, agent } = await equip();
    const refused = { host: "registry.npmjs.org", reason: "not in work.network", unlisted: true };
    const open: typeof sandbox.open = async (...given) => ({
      ...(await sandbox.open(...given)),
      refusedHosts: () => [refused, refused],
    });
    return { agent, sandbox: { ...sandbox, open } };
  };
  await tries();
  const cause = { kind: "hosts", hosts: ["registry.npmjs.org"] };
  expect(await lacks()).toMatchObject([{ what: "setup", why: "npm error network request failed", cause }]);
  expect(await statusOf(life, issue)).toContain(
    "fails on the default branch: `npm error network request failed`. It tried to reach `registry.npmjs.org`, which isn’t allowed here. Relay’s operator can allow it in `work.network`. Until then, the work may fail.",
  );
});

test("an outage of the network says nothing of the set-up", async () => {
  const { tries, lacks } = await waiting("echo npm error code EAI_AGAIN; exit 1");
  await tries();
  expect(await lacks()).toEqual([]);
});

test("the plan's comment waits a moment for a worker's look, and not again for workers that do not answer (R-WORK-16)", async () => {
  const { life, id, lacks } = await waiting("true");
  let waited = 0;
  const nobody = { db: life.db, sleep: async (ms: number) => await Promise.resolve(void (waited += ms)) };
  const lacksOf = lacksByWorkers(life.jobs, nobody);
  expect(await lacksOf(id)).toEqual([]);
  expect(waited).toBeGreaterThan(1_000);
  expect(waited).toBeLessThan(15_000);
  const before = waited;
  expect(await lacksOf(id)).toEqual([]);
  expect(waited - before).toBeLessThan(1_000);
  await takePlans(
    life.queue,
    async (planId) => await preflightPlan(planId, async () => await Promise.resolve([NO_KEY]), life.work),
  );
  await expect.poll(lacks).toEqual([NO_KEY]);
  expect(await lacksByWorkers(life.jobs, { db: life.db, sleep })(id)).toEqual([NO_KEY]);
  expect(await lacksOf(id)).toEqual([NO_KEY]);
});

test("a yes while something lacks gets one reply, and the work begins by itself once that is mended (R-WORK-16)", async () => {
  const { life, issue, id, tries } = await waiting("true");
  const lacking: Lack[] = [NO_KEY];
  life.work.machineLacks = async () => await Promise.resolve([...lacking]);
  await tries(...lacking);
  await moment();
  await say(life, issue, "mia", "yes");
  const waits = expect.objectContaining({ retryable: true, retryAfterMs: 60_000 });
  await expect(life.worksOn(issue)).rejects.toEqual(waits);
  await expect(life.worksOn(issue)).rejects.toEqual(waits);
  expect(await life.existing(issue)).toMatchObject({ state: "queued" });
  const replies = (await life.said(issue)).filter((body) => body.includes("no second yes is needed"));
  expect(replies).toEqual([
    expect.stringMatching(/^\*\*Not ready yet:\*\* The coding agent `claude` has no key for its model\./),
  ]);
  lacking.length = 0;
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect((await getPlan(life.db, id)).lacks).toEqual([]);
});

test("set-up that failed is tried again, since it may be mended on the machine; an old agent keeps no work waiting", async () => {
  const mended = join(tmpdir(), `relay-mended-${process.pid}`);
  onTestFinished(() => rm(mended, { force: true }));
  const { life, issue, tries, lacks } = await waiting(`test -e ${mended}`);
  const old: Lack = { what: "version", name: "claude" };
  life.work.machineLacks = async () => await Promise.resolve([old]);
  await tries();
  expect(await lacks()).toEqual([{ what: "setup", name: `test -e ${mended}` }]);
  await moment();
  await say(life, issue, "mia", "yes");
  await expect(life.worksOn(issue)).rejects.toMatchObject({ retryAfterMs: 600_000 });
  await writeFile(mended, "");
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  expect(await lacks()).toEqual([old]);
});
