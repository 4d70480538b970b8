import { INVALID_SPAN_CONTEXT, trace } from "@opentelemetry/api";
import { describe, expect, onTestFinished, test } from "vitest";
import { sleep } from "../../src/lib/clock.ts";
import { Postponed, RelayError } from "../../src/lib/errors.ts";
import { currentPriority } from "../../src/lib/priority.ts";
import { traceWith } from "../../src/lib/trace.ts";
import type { Db } from "../../src/storage/db.ts";
import type { Queue } from "../../src/storage/queue/queue.ts";

const inAnHour = () => new Date(Date.now() + 3_600_000);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

/** What every queue does. `open` gives one that works, and the database whose transactions its jobs may belong to. */
export function describeQueue(name: string, open: () => Promise<{ db: Db; queue: Queue }>): void {
  describe(`a queue ${name}`, () => {
    test("jobs of one key run in order and never at once; other keys go on meanwhile", async () => {
      const { queue } = await open();
      const ran: string[] = [];
      const running = new Set<string>();
      for (let n = 0; n < 12; n += 1) await queue.send("event", { key: `issue-${n % 3}`, subject: String(n) });
      await queue.work("event", 4, async (job) => {
        expect(running.has(job.key)).toBe(false);
        running.add(job.key);
        await sleep(5);
        running.delete(job.key);
        ran.push(job.subject);
      });
      await until(() => ran.length === 12);
      for (const key of [0, 1, 2]) {
        const own = ran.map(Number).filter((n) => n % 3 === key);
        expect(own).toEqual(own.toSorted((a, b) => a - b));
      }
      await queue.stop();
    });

    test("a task that was put back goes before those that were not taken yet", async () => {
      const { queue } = await open();
      const ran: string[] = [];
      const send = async (rank: number) => await queue.send("task", { key: String(rank), subject: "", rank });
      await send(9);
      await queue.work("task", 1, async ({ key }) => {
        ran.push(key);
        if (ran.length > 2) return;
        if (key !== "9") return await sleep(1_500);
        await send(1);
        await send(2);
        throw new Postponed("it makes way", { retryAfterMs: 500 });
      });
      await until(() => ran.length === 4);
      expect(ran).toEqual(["9", "1", "9", "2"]);
      await queue.stop();
    });

    test("a long job holds up its own key only", async () => {
      const { queue } = await open();
      const long = Promise.withResolvers<void>();
      const ran: string[] = [];
      await queue.work("event", 2, async (job) => {
        if (job.key === "long") await long.promise;
        ran.push(job.subject);
      });
      await queue.send("event", { key: "long", subject: "long" });
      for (let n = 0; n < 3; n += 1) await queue.send("event", { key: "short", subject: `short ${n}` });
      await until(() => ran.length === 3);
      expect(ran).toEqual(["short 0", "short 1", "short 2"]);
      long.resolve();
      await until(() => ran.includes("long"));
      await queue.stop();
    });

    test("what has to wait does, no later and no less urgently than it did, however many there are", async () => {
      const { queue } = await open();
      const later = { key: "later", subject: "brought forward", priority: "direct" } as const;
      await queue.debounce("wake", later, inAnHour());
      await queue.debounce("wake", { key: "soon", subject: "left as it is", priority: "normal" }, 0);
      const many = Array.from({ length: 2_100 }, (_, n) => ({ key: String(n), subject: "added", at: "now" as const }));
      const hour = { key: "hour", subject: "not yet", at: inAnHour() };
      const soon = { key: "soon", subject: "x", at: inAnHour() };
      const due = [...many, hour, soon, { ...later, at: new Date() }];
      for (let n = 0; n < 2; n += 1) {
        await queue.ensure(
          "wake",
          due.map((job) => ({ ...job, priority: "background" as const })),
        );
      }
      expect((await queue.listKeys("wake")).length).toBe(2_103);
      expect(await queue.listKeys("wake", ["7", "hour", "none"])).toHaveLength(2);
      const ran: string[] = [];
      const [begun, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await queue.work("wake", 1, async (job) => {
        ran.push(job.key);
        // One worker takes all, and one each no more than what is normal, and what is in the background: each has one.
        if (ran.length === 3) begun.resolve();
        await begun.promise;
        if (ran.length >= 10) await stopped.promise;
      });
      await until(() => ran.length >= 10);
      expect(ran.slice(0, 3)).toEqual(expect.arrayContaining(["later", "soon"]));
      expect(ran).not.toContain("hour");
      stopped.resolve();
      await queue.stop();
    });

    test("a job that fails runs again before its successors", async () => {
      const { queue } = await open();
      const ran: string[] = [];
      await queue.send("event", { key: "a", subject: "first" });
      await queue.send("event", { key: "a", subject: "second" });
      await queue.work("event", 2, async (job) => {
        ran.push(job.subject);
        await Promise.resolve();
        if (ran.length === 1) throw new Error("not yet");
      });
      await until(() => ran.length === 3);
      expect(ran).toEqual(["first", "first", "second"]);
      await queue.stop();
    });

    test.each([new Date(0), 0])("the wake-up of an issue is one job that later calls move: %s", async (at) => {
      const { queue } = await open();
      const ran: string[] = [];
      await queue.work("wake", 2, async (job) => {
        ran.push(job.subject);
        await Promise.resolve();
      });
      for (let n = 0; n < 4; n += 1) await queue.debounce("wake", { key: "a", subject: `call ${n}` }, inAnHour());
      await queue.debounce("wake", { key: "a", subject: "call 4" }, at);
      await until(() => ran.length > 0);
      expect(await queue.listWaiting("wake", "a")).toEqual([]);
      expect(ran).toEqual(["call 4"]);
      await queue.stop();
    });

    test("a job goes on from the span that it was sent in, a moved one from that of the last call, linked with the others", async () => {
      const { queue } = await open();
      const begun: { name: string; parent: unknown; links: unknown }[] = [];
      traceWith({
        start: (of, { parent, links }) => {
          begun.push({ name: of, parent, links });
          return trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
        },
        fail: () => {},
      });
      onTestFinished(() => traceWith(null));
      const [first, second, third] = ["a", "b", "c"].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);
      await queue.send("event", { key: "e", subject: "e", trace: first ?? null });
      for (const span of [first, second]) {
        await queue.debounce("wake", { key: "w", subject: "w", trace: span ?? null }, inAnHour());
      }
      await queue.debounce("wake", { key: "w", subject: "w", trace: third ?? null }, 0);
      await queue.send("wake", { key: "x", subject: "x", trace: first ?? null, priority: "background" });
      for (const of of ["event", "wake"] as const) await queue.work(of, 1, async () => await Promise.resolve());
      await until(() => begun.length === 3);
      expect(begun.toSorted((a, b) => String(b.parent).localeCompare(String(a.parent)))).toEqual([
        { name: "job wake", parent: null, links: [first] },
        { name: "job wake", parent: third, links: [first, second] },
        { name: "job event", parent: first, links: [] },
      ]);
      await queue.stop();
    });

    test("a job is moved within a transaction only if that commits", async () => {
      const { db, queue } = await open();
      const ran: string[] = [];
      await queue.send("status", { key: "a", subject: "a", delayMs: 3_600_000 });
      await queue.send("status", { key: "b", subject: "b", delayMs: 3_600_000 });
      const failing = db.transaction(async (tx) => {
        await queue.debounce("status", { key: "a", subject: "moved" }, 0, tx);
        throw new Error("rolled back");
      });
      await expect(failing).rejects.toThrow("rolled back");
      await db.transaction(async (tx) => await queue.debounce("status", { key: "b", subject: "moved" }, 0, tx));
      await queue.work("status", 1, async ({ key, subject }) => {
        ran.push(`${key} ${subject}`);
        await Promise.resolve();
      });
      await until(() => ran.length > 0);
      expect(ran).toEqual(["b moved"]);
      await expect.poll(async () => await queue.listKeys("status")).toEqual(["a"]);
      await queue.stop();
    });

    test("a job sent within a transaction that fails does not exist", async () => {
      const { db, queue } = await open();
      const failing = db.transaction(async (tx) => {
        await queue.send("event", { key: "a", subject: "lost" }, tx);
        throw new Error("rolled back");
      });
      await expect(failing).rejects.toThrow("rolled back");
      await db.transaction(async (tx) => {
        await queue.send("event", { key: "a", subject: "kept" }, tx);
      });
      const ran: string[] = [];
      await queue.work("event", 1, async (job) => {
        ran.push(job.subject);
        await Promise.resolve();
      });
      await until(() => ran.length > 0);
      expect(ran).toEqual(["kept"]);
      await queue.stop();
    });

    test("jobs of several queues are sent together, with a transaction or not at all", async () => {
      const { db, queue } = await open();
      const lost = db.transaction(async (tx) => {
        await queue.sendTogether([{ queue: "event", key: "a", subject: "lost" }], tx);
        throw new Error("rolled back");
      });
      await expect(lost).rejects.toThrow("rolled back");
      await db.transaction(async (tx) => {
        const acknowledged = { queue: "acknowledge", key: "m", subject: "message", priority: "direct" } as const;
        await queue.sendTogether([{ queue: "event", key: "a", subject: "kept" }, acknowledged], tx);
      });
      const ran: string[] = [];
      for (const kind of ["event", "acknowledge"] as const) {
        await queue.work(kind, 1, async ({ key, subject }) => {
          await Promise.resolve(ran.push(`${kind} ${key} ${subject} ${currentPriority()}`));
        });
      }
      await expect.poll(() => ran.toSorted()).toEqual(["acknowledge m message direct", "event a kept normal"]);
      await queue.stop();
    });

    test("a job that is told when to come back keeps its place and leaves its worker to others", async () => {
      const { queue } = await open();
      const ran: string[] = [];
      await queue.sendAll("event", [{ key: "a", subject: "a1" }]);
      await queue.sendAll("event", [{ key: "a", subject: "a2" }]);
      await queue.work("event", 1, async ({ key, subject }) => {
        ran.push(subject);
        if (subject === "a1" && ran.length === 1) {
          await queue.send("event", { key: "b", subject: "b1" });
          throw new RelayError("rate_limited", "too many requests", { retryAfterMs: 3_000 });
        }
        await Promise.resolve(key);
      });
      await expect.poll(() => ran.length).toBe(4);
      expect(ran).toEqual(["a1", "b1", "a1", "a2"]);
      await queue.stop();
    });

    test("what a person waits for goes first, and the background goes on while that never ends", async () => {
      const { queue } = await open();
      const held = Promise.withResolvers<void>();
      const ran: string[] = [];
      for (const priority of ["background", "normal", "direct"] as const) {
        for (const n of [1, 2]) await queue.send("wake", { key: `${priority} ${n}`, subject: priority, priority });
      }
      await queue.work("wake", 1, async ({ subject }) => {
        ran.push(subject);
        if (subject === "direct") await held.promise;
      });
      // The one worker for everything is held by the first direct call; those for the rest are not.
      await expect.poll(() => ran.toSorted()).toEqual(["background", "background", "direct", "normal", "normal"]);
      held.resolve();
      await expect.poll(() => ran.filter((one) => one === "direct").length).toBe(2);
      await queue.stop();
    });

    test("a task is sent once while it waits, and the smallest rank goes first", async () => {
      const { queue } = await open();
      for (const rank of [3, 1, 2, 1]) await queue.send("task", { key: `task ${rank}`, subject: String(rank), rank });
      const ran: string[] = [];
      await queue.work("task", 1, async ({ subject }) => void (await Promise.resolve(ran.push(subject))));
      await until(() => ran.length === 3);
      expect(ran).toEqual(["1", "2", "3"]);
      await expect.poll(async () => await queue.listKeys("task")).toEqual([]);
      await queue.stop();
    });

    test("a job runs with its priority, so does what it sends, and a job that was postponed", async () => {
      const { queue } = await open();
      const ran: string[] = [];
      const note = (subject: string) => void ran.push(`${subject}: ${currentPriority()}`);
      await queue.work("status", 1, async ({ subject }) => await Promise.resolve(note(subject)));
      await queue.work("wake", 1, async ({ key, subject }) => {
        note(subject);
        await queue.send("status", { key, subject: `sent by ${subject}` });
        if (ran.filter((one) => one.startsWith(subject)).length > 1) return;
        throw new RelayError("rate_limited", "not yet", { retryAfterMs: 1 });
      });
      await queue.send("wake", { key: "a", subject: "first", priority: "direct" });
      await until(() => ran.length === 4);
      await queue.send("wake", { key: "b", subject: "second", priority: "background" });
      await until(() => ran.length === 8);
      expect(ran.filter((one) => one.endsWith("first: direct"))).toHaveLength(4);
      expect(ran.filter((one) => one.endsWith("second: background"))).toHaveLength(4);
      await queue.stop();
    });

    test("a job that is moved becomes no less urgent", async () => {
      const { queue } = await open();
      const ran: string[] = [];
      const moved = { key: "a", subject: "a" };
      await queue.debounce("wake", { ...moved, priority: "direct" }, inAnHour());
      await queue.debounce("wake", { ...moved, priority: "background" }, new Date(0));
      await queue.debounce("status", { ...moved, priority: "background" }, inAnHour());
      await queue.debounce("status", moved, new Date(0));
      for (const kind of ["wake", "status"] as const) {
        await queue.work(kind, 1, async () => void ran.push(await Promise.resolve(`${kind}: ${currentPriority()}`)));
      }
      await until(() => ran.length === 2);
      expect(ran.toSorted()).toEqual(["status: normal", "wake: direct"]);
      await queue.stop();
    });

    test("upkeep that waits or runs is not sent again", async () => {
      const { queue } = await open();
      const held = Promise.withResolvers<void>();
      let runs = 0;
      const send = async () => await queue.send("upkeep", { key: "upkeep", subject: "start" });
      await send();
      await send();
      await queue.work("upkeep", 1, async () => {
        runs += 1;
        await held.promise;
      });
      await until(() => runs > 0);
      await send();
      held.resolve();
      await queue.stop();
      expect(runs).toBe(1);
    });

    test("jobs that wait can be seen and removed; one that runs is left alone", async () => {
      const { queue } = await open();
      const held = Promise.withResolvers<void>();
      const ran: string[] = [];
      await queue.work("event", 1, async ({ subject }) => {
        ran.push(subject);
        if (subject === "first") await held.promise;
      });
      await queue.send("event", { key: "a", subject: "first" });
      await until(() => ran.length === 1);
      for (const subject of ["second", "third", "fourth"]) await queue.send("event", { key: "a", subject });
      const [second = ""] = await queue.listWaiting("event", "a");
      await queue.remove("event", [second]);
      expect(await queue.listWaiting("event", "a")).toHaveLength(2);
      await queue.forget("event", "a");
      expect(await queue.listWaiting("event", "a")).toEqual([]);
      expect(await queue.listKeys("event")).toEqual(["a"]);
      held.resolve();
      await expect.poll(async () => await queue.listKeys("event")).toEqual([]);
      expect(ran).toEqual(["first"]);
      await queue.stop();
    });

    test("a job that is taken from its worker is given to another one, and counts once", async () => {
      const { queue } = await open();
      const held = Promise.withResolvers<void>();
      let runs = 0;
      await queue.work("task", 2, async () => {
        runs += 1;
        if (runs === 1) await held.promise;
      });
      await queue.send("task", { key: "t", subject: "t" });
      await until(() => runs === 1);
      await expect.poll(async () => await queue.listTaken("task", 0)).toHaveLength(1);
      expect(await queue.listTaken("task", 600_000)).toEqual([]);
      for (const job of await queue.listTaken("task", 0)) await queue.giveBack("task", job);
      await until(() => runs === 2);
      await expect.poll(async () => await queue.listKeys("task")).toEqual([]);
      held.resolve();
      await queue.stop();
      expect(runs).toBe(2);
    });
  });
}
