import { Client } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { jobsOn } from "../../src/engine/send-jobs.ts";
import { takeJobs } from "../../src/engine/take-jobs.ts";
import { createOrchestrator } from "../../src/engine/orchestrator.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openQueue } from "../../src/storage/queue/pg-boss.ts";
import { addManyIssues } from "../support/many-issues.ts";
import { BOT, openLife, report } from "../support/relay.ts";

/** Workers of wake-ups when two are asked for: one each takes no more than what is normal, and what is in the background. */
const WORKERS = 4;

/** A Relay on the real job engine that has not begun yet, with an engaged issue, and a thousand more that waited to be woken. */
async function beforeStart() {
  const life = await openLife();
  const address = await report(life);
  await life.deliver(await life.people.assign(address, "mia", BOT));
  const asked = await life.settled(address);
  await addManyIssues(life.db, { repositories: 10, issues: 1_000, messagesPerIssue: 1 });
  await life.db.execute(
    `update issues set state = 'clarifying', debounce_until = now() - interval '1 minute' where id <> $1`,
    [asked.id],
  );
  const queue = await openQueue(life.connection, { works: true, log: silentLog });
  onTestFinished(async () => await queue.stop());
  const jobs = jobsOn(async () => await Promise.resolve(queue));
  const orchestrator = createOrchestrator({ ...life, jobs });
  return { life, address, asked, queue, jobs, orchestrator };
}

test("who asks directly after a start is heard before all that waited, in a few statements (R-SCALE-1)", async () => {
  const { life, address, asked, queue, orchestrator } = await beforeStart();
  const taken: string[] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  onTestFinished(() => gates.forEach((gate) => gate.resolve()));
  const wake = async (issueId: string) => {
    taken.push(issueId);
    await gates[taken.length <= WORKERS ? 0 : 1]?.promise;
    return { failures: [], error: null, again: null };
  };
  await takeJobs(queue, { ...orchestrator, wake }, 2, async () => await Promise.resolve());
  await expect.poll(() => taken.length).toBe(WORKERS);
  expect((await queue.listKeys("wake")).length).toBe(1_000);
  const event = await life.people.comment(address, "mia", `@${BOT} is this still open?`);
  await orchestrator.receive({ provider: "local", deliveryId: "direct", contentKey: null, events: [event] });
  await expect.poll(async () => (await queue.listWaiting("wake", asked.id)).length).toBe(1);
  gates[0]?.resolve();
  await expect.poll(() => taken.length).toBe(2 * WORKERS);
  expect(taken.slice(0, WORKERS)).not.toContain(asked.id);
  expect(taken.slice(WORKERS)).toContain(asked.id);
});

test("a start sends what is missing in a few statements, leaves what waits as urgent as it is, and can be repeated", async () => {
  const { life, asked, queue, jobs, orchestrator } = await beforeStart();
  await jobs.setWake(asked.id, 0, "direct");
  await life.db.execute(`update issues set debounce_until = now() where id = $1`, [asked.id]);
  const sent = vi.spyOn(Client.prototype, "query");
  await orchestrator.recover();
  await orchestrator.recover();
  const statements = sent.mock.calls.length;
  sent.mockRestore();
  expect(statements).toBeLessThan(100);
  const keys = await queue.listKeys("wake");
  expect(keys).toHaveLength(1_001);
  const taken: string[] = [];
  const gate = Promise.withResolvers<void>();
  onTestFinished(() => gate.resolve());
  await queue.work("wake", 2, async ({ subject }) => {
    taken.push(subject);
    await gate.promise;
  });
  await expect.poll(() => taken.length).toBe(WORKERS);
  expect(taken).toContain(asked.id);
});
