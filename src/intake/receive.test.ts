import { array, assert, asyncProperty, constantFrom, integer, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../../test/support/database.ts";
import { trackedIssue } from "../../test/support/tracked-issue.ts";
import type { TrackerEvent } from "../domain/event.ts";
import { type Clock, sleep, systemClock } from "../lib/clock.ts";
import { RelayError } from "../lib/errors.ts";
import { snowflakes } from "../lib/ids.ts";
import { type Database, openDatabase } from "../storage/db.ts";
import { readFigures } from "../storage/figures.ts";
import { connectRepository } from "../storage/repositories.ts";
import { savingDeliveries } from "../storage/saving-deliveries.ts";
import { type Delivery, type EventJob, type ReceiveDeps, createReceive } from "./receive.ts";

function comment(issue: string, text = "words"): TrackerEvent {
  return {
    provider: "github",
    externalProjectId: "acme/shop",
    externalIssueId: issue,
    kind: "commented",
    actor: "ann",
    actorIsBot: false,
    at: new Date(0),
    assignee: null,
    commentId: null,
    threadId: null,
    text,
    branch: null,
    outcome: null,
  };
}

function delivery(deliveryId: string, issue = "1", contentKey: string | null = null): Delivery {
  return { provider: "github", deliveryId, contentKey, events: [comment(issue)] };
}

function intake(db: Database, change: Partial<ReceiveDeps> = {}, node = 1) {
  const jobs: EventJob[] = [];
  const enqueue: ReceiveDeps["enqueue"] = async (sent) => {
    await Promise.resolve();
    jobs.push(...sent);
  };
  return { jobs, receive: createReceive({ db, clock: systemClock, ids: snowflakes(node), enqueue, ...change }) };
}

/** Issues enough that two transactions share the calls. */
const FURTHER = Array.from({ length: 20 }, (_, n) => `${n + 4}`);

const row = z.object({ delivery_id: z.string(), text: z.string() });

async function stored(db: Database): Promise<string[]> {
  const rows = await db.query(
    row,
    "select delivery_id, event ->> 'text' as text from deliveries order by position",
    [],
  );
  return rows.map((one) => one.delivery_id);
}

describe("a delivery", () => {
  test("of an id that was taken in is repeated, also among many at once and in several processes", async () => {
    const { db, connection } = await freshDatabase();
    const other = openDatabase(connection);
    const [here, there] = [intake(db), intake(other, {}, 2)];
    const ids = Array.from({ length: 60 }, (_, n) => `d${n % 20}`);
    const receipts = await Promise.all(
      ids.map(async (id, n) => await (n % 2 === 0 ? here : there).receive(delivery(id, String(n % 3)))),
    );
    await other.close();
    expect(receipts.filter((receipt) => receipt.kind === "stored")).toHaveLength(20);
    expect((await stored(db)).toSorted()).toEqual([...new Set(ids)].toSorted());
  });

  test("of several events is stored whole, in order, with one job for each issue, or is repeated whole", async () => {
    const { db } = await freshDatabase();
    const { receive, jobs } = intake(db);
    const whole: Delivery = { ...delivery("d"), events: [comment("1"), comment("2"), comment("1")] };
    const receipt = await receive(whole);
    expect(receipt.kind === "stored" && receipt.deliveryIds).toHaveLength(3);
    expect(await stored(db)).toEqual(["d", "d#2", "d#3"]);
    expect(jobs.map((job) => job.issue)).toEqual(["github/acme/shop#1", "github/acme/shop#2"]);
    expect(await receive({ ...whole, events: [comment("1"), comment("9"), comment("9"), comment("9")] })).toEqual({
      kind: "repeated",
    });
    expect(await stored(db)).toHaveLength(3);
  });

  test("that tells what the last one of its issue told is repeated; what happens again after something else is not", async () => {
    const { db } = await freshDatabase();
    const { receive } = intake(db);
    const told = [
      delivery("a1", "1", "assigned"),
      delivery("a2", "1", "assigned"),
      delivery("b", "2", "assigned"),
      delivery("c", "1", "unassigned"),
      delivery("d", "1", "assigned"),
    ];
    const receipts = await Promise.all(told.map(receive));
    expect(receipts.map((receipt) => receipt.kind)).toEqual(["stored", "repeated", "stored", "stored", "stored"]);
    expect(await stored(db)).toEqual(["a1", "b", "c", "d"]);
  });

  test("that tells the same much later is another one", async () => {
    const { db } = await freshDatabase();
    let now = Date.parse("2026-01-01T00:00:00Z");
    const clock: Clock = { now: () => new Date(now) };
    const { receive } = intake(db, { clock });
    expect((await receive(delivery("a", "1", "same"))).kind).toBe("stored");
    now += 59 * 60_000;
    expect((await receive(delivery("b", "1", "same"))).kind).toBe("repeated");
    now += 2 * 60_000;
    expect((await receive(delivery("c", "1", "same"))).kind).toBe("stored");
  });

  test("may hold text that a database cannot store", async () => {
    const { db } = await freshDatabase();
    const { receive } = intake(db);
    const events: Delivery["events"] = [comment("1", "a\0b\uD800c")];
    expect((await receive({ ...delivery("odd\0"), events })).kind).toBe("stored");
    expect(await db.query(row, "select delivery_id, event ->> 'text' as text from deliveries", [])).toEqual([
      { delivery_id: "odd\u{FFFD}", text: "a\u{FFFD}b\u{FFFD}c" },
    ]);
  });
});

describe("where Relay is not engaged, a delivery that calls nobody (R-IN-2)", () => {
  const decided = z.object({ delivery_id: z.string(), decision: z.string().nullable() });
  const decisions = async (db: Database) => {
    const rows = await db.query(decided, "select delivery_id, decision from deliveries order by position", []);
    return rows.map((one) => `${one.delivery_id}: ${one.decision}`);
  };
  const told = (id: string, change: Partial<TrackerEvent>): Delivery => ({
    ...delivery(id),
    events: [{ ...comment("1"), ...change }],
  });
  const open = async () => {
    const { db } = await freshDatabase();
    const repository = await connectRepository(
      db,
      {
        workspace: "default",
        provider: "github",
        baseUrl: "https://github.com",
        botUsername: "relay",
        externalProjectId: "acme/shop",
        stableId: "12",
        cloneSource: null,
      },
      { clock: systemClock, ids: snowflakes() },
    );
    return { db, repository, ...intake(db, { dropsIrrelevant: true }) };
  };

  test("is stored as processed without a job, and is repeated like any other", async () => {
    const { db, jobs, receive } = await open();
    const elsewhere = told("c", { externalProjectId: "acme/other" });
    const deliveries = [delivery("a"), told("b", { kind: "labelled", text: null }), elsewhere];
    const receipts = await Promise.all(deliveries.map(receive));
    expect(receipts.map(({ kind }) => kind)).toEqual(["stored", "stored", "stored"]);
    expect(jobs).toEqual([]);
    expect((await receive(delivery("a"))).kind).toBe("repeated");
    expect(await decisions(db)).toEqual([
      "a: drop: not engaged",
      "b: drop: not engaged",
      "c: drop: unknown repository",
    ]);
  });

  test("is counted once, those of a transaction in one row", async () => {
    const { db, receive } = await open();
    await Promise.all(["a", "b", "c"].map(async (id) => await receive(delivery(id, "1", id))));
    await receive(delivery("a", "1", "a"));
    expect(await db.query(z.object({ amount: z.number() }), "select amount from figures_added", [])).toEqual([
      { amount: 3 },
    ]);
    expect(await readFigures(db)).toEqual([{ name: "deliveries", labels: ["github", "drop"], amount: 3 }]);
  });

  test("is looked up by itself, however much waits", async () => {
    const { db } = await open();
    const fill = async (from: number, processed: boolean) =>
      await db.execute(
        `insert into deliveries (id, provider, delivery_id, event, received_at, processed_at)
         select n, 'github', 'old-' || n, $1::jsonb || jsonb_build_object('externalIssueId', n::text), now(), $3::timestamptz
         from generate_series($2::int, $2::int + 5000) n`,
        [JSON.stringify(comment("x")), from, processed ? new Date() : null],
      );
    await fill(1, true);
    await db.execute("analyze", []);
    // A backlog grows faster than PostgreSQL takes notice of it.
    await fill(10_000, false);
    const { statements } = savingDeliveries([delivery("a", "1", "key")], {
      clock: systemClock,
      ids: snowflakes(),
      halts: () => false,
      dropsIrrelevant: true,
    });
    const storing = z.object({ sql: z.string(), parameters: z.array(z.unknown()) }).parse(statements.at(-1));
    const { rows } = await db.executeSql(`explain (analyze, timing off) ${storing.sql}`, storing.parameters);
    const plan = z
      .array(z.object({ "QUERY PLAN": z.string() }))
      .parse(rows)
      .map((line) => line["QUERY PLAN"]);
    const read = plan.flatMap((line) => (/ on deliveries d.*actual rows=(\d+)/.exec(line) ?? []).slice(1).map(Number));
    expect(read.length).toBeGreaterThan(2);
    expect(Math.max(...read)).toBeLessThan(5);
  });

  test("is processed where anything may become of it", async () => {
    const { db, repository, jobs, receive } = await open();
    await trackedIssue(db, repository.id, "7");
    const deliveries = [
      told("mention", { externalIssueId: "1", text: "@relay, please" }),
      told("assigned", { externalIssueId: "2", kind: "assigned", text: null, assignee: "relay" }),
      told("reopened", { externalIssueId: "3", kind: "reopened", text: null }),
      told("request", { externalIssueId: "!4", kind: "checks_completed", text: null }),
      told("engaged", { externalIssueId: "7" }),
      told("renamed", { externalIssueId: "5", externalProjectId: "acme/new", stableProjectId: "12" }),
      told("reused", { externalIssueId: "6", stableProjectId: "99" }),
    ];
    await Promise.all(deliveries.map(receive));
    expect(await decisions(db)).toEqual(deliveries.map(({ deliveryId }) => `${deliveryId}: null`));
    expect(jobs).toHaveLength(deliveries.length);
  });

  test.each([1, 2])(
    "waits behind one of its issue that may engage Relay, also where both come at once: %i",
    async (n) => {
      const { db, jobs, receive } = await open();
      const both = [told("call", { text: "@relay" }), delivery("words")];
      if (n === 1) await Promise.all(both.map(receive));
      else for (const one of both) await receive(one);
      expect(await decisions(db)).toEqual(["call: null", "words: null"]);
      expect(jobs.map(({ issue }) => issue)).toContain("github/acme/shop#1");
    },
  );
});

describe("failures", () => {
  test("of the queue leave nothing behind, and tell that the tracker must deliver again", async () => {
    const { db } = await freshDatabase();
    const enqueue = async () => await Promise.reject(new RelayError("unavailable", "the queue is down"));
    const { receive } = intake(db, { enqueue });
    const taken = await Promise.allSettled(["a", "b", "c"].map(async (id) => await receive(delivery(id))));
    expect(taken).toMatchObject(
      ["a", "b", "c"].map(() => ({ status: "rejected", reason: { code: "unavailable", retryable: true } })),
    );
    expect(await stored(db)).toEqual([]);
  });

  test("of one delivery are its own; the others that came at the same time are stored", async () => {
    const { db } = await freshDatabase();
    const refused = async (jobs: EventJob[]) => {
      await Promise.resolve();
      if (jobs.some((job) => job.issue.endsWith("#bad"))) throw new RelayError("invalid", "this one is not taken");
    };
    const { receive } = intake(db, { enqueue: refused });
    const taken = await Promise.allSettled(
      ["1", "2", "bad", "3"].map(async (issue) => await receive(delivery(issue, issue))),
    );
    expect(taken.map((one) => one.status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect((await stored(db)).toSorted()).toEqual(["1", "2", "3"]);
  });
});

describe("order", () => {
  test("a call waits for those of its issue that are under way, and for no others", async () => {
    const { db } = await freshDatabase();
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    const sent: (string | undefined)[] = [];
    const batch: Database["batch"] = async (statements) => {
      sent.push(/(?:first|second|other|third)-/.exec(JSON.stringify(statements))?.[0]);
      if (sent.length === 1) await gate;
      return await db.batch(statements);
    };
    const { receive } = intake({ ...db, batch });
    const first = receive(delivery("first-1", "1"));
    await expect.poll(() => sent.length).toBe(1);
    const other = receive(delivery("other-2", "2"));
    expect(await other).toMatchObject({ kind: "stored" });
    const second = receive(delivery("second-1", "1"));
    await sleep(50);
    expect(sent).toEqual(["first-", "other-"]);
    expect(await receive(delivery("third-3", "3"))).toMatchObject({ kind: "stored" });
    open(undefined);
    expect(await Promise.all([first, second])).toMatchObject([{ kind: "stored" }, { kind: "stored" }]);
    expect(await stored(db)).toEqual(["other-2", "third-3", "first-1", "second-1"]);
  });

  test("what one process takes in of an issue is in the order of the calls, whatever its clock says and whatever comes twice", async () => {
    const call = record({
      id: integer({ min: 0, max: 30 }),
      issue: constantFrom("1", "2", "3", ...FURTHER),
      key: integer({ max: 2 }),
    });
    const { db } = await freshDatabase();
    await assert(
      asyncProperty(array(call, { maxLength: 60 }), array(integer()), async (calls, jumps) => {
        await db.execute("delete from deliveries", []);
        let step = 0;
        const clock: Clock = { now: () => new Date(1e12 + ((jumps[(step += 1) % jumps.length] ?? 0) % 1000)) };
        const { receive } = intake(db, { clock });
        await Promise.all(
          calls.map(async (one) => await receive(delivery(`${one.issue}-${one.id}`, one.issue, `${one.key}`))),
        );
        for (const issue of ["1", "2", "3", ...FURTHER]) {
          const own = (name: string) => name.startsWith(`${issue}-`);
          expect((await stored(db)).filter(own)).toEqual(oneByOne(calls).filter(own));
        }
      }),
      { numRuns: 40 },
    );
  });

  /** What is left of the calls when they are judged one after the other. */
  function oneByOne(calls: { id: number; issue: string; key: number }[]): string[] {
    const ids = new Set<string>();
    const last = new Map<string, number>();
    return calls.flatMap(({ id, issue, key }) => {
      const name = `${issue}-${id}`;
      if (ids.has(name) || last.get(issue) === key) return [];
      ids.add(name);
      last.set(issue, key);
      return [name];
    });
  }
});

test("what may halt something goes before others; words are not read before they are stored (R-LIFE-10)", async () => {
  const { db } = await freshDatabase();
  const { jobs, receive } = intake(db);
  const happen = async (event: TrackerEvent, priority?: "background") => {
    const { externalIssueId: issue } = event;
    const said = { ...delivery(`d${issue}`, issue), events: [event] as [TrackerEvent] };
    await receive(priority === undefined ? said : { ...said, priority });
  };
  const say = async (issue: string, words: string, priority?: "background") =>
    await happen(comment(issue, words), priority);
  await say("1", "@relay what does the cart do?");
  await say("2", "Stop, please.");
  await say("3", "Stop, please.", "background");
  await happen({ ...comment("4", "No, not like this."), kind: "comment_edited" });
  await happen({ ...comment("5", "yes"), kind: "comment_deleted" });
  await happen({ ...comment("6"), text: null, kind: "closed" });
  await happen({ ...comment("7"), text: null, kind: "edited", actor: "" });
  expect(jobs.map(({ issue, priority, first = false }) => [issue, priority, first])).toEqual([
    ["github/acme/shop#1", "direct", false],
    ["github/acme/shop#2", "direct", false],
    ["github/acme/shop#3", "background", false],
    ["github/acme/shop#4", "direct", false],
    ["github/acme/shop#5", "direct", false],
    ["github/acme/shop#6", "direct", true],
    ["github/acme/shop#7", "normal", false],
  ]);
});
