import { describe, expect, test } from "vitest";
import { RelayError } from "../../src/lib/errors.ts";
import { listDeadLetters } from "../../src/storage/dead-letters.ts";
import { listMessages } from "../../src/storage/messages.ts";
import { type Life, BOT, onPgBoss, openLife, report } from "../support/relay.ts";

const openOnPgBoss = async (change?: Parameters<typeof openLife>[0]) => await openLife(change, 500, {}, onPgBoss);

const SLOW = { timeout: 180_000 };

/** A life whose tracker answers a fetch of an issue with what `trouble` throws, until that throws no more. */
async function troubledLife(trouble: () => void): Promise<Life> {
  return await openOnPgBoss((deps) => ({
    trackerFor: async (repository) => {
      const tracker = await deps.trackerFor(repository);
      return {
        ...tracker,
        getIssue: async (address) => {
          trouble();
          return await tracker.getIssue(address);
        },
      };
    },
  }));
}

describe("deliveries that fail", () => {
  test(
    "are given up after eight tries; those behind them go on; a retry does them in their old place",
    SLOW,
    async () => {
      let tries = 0;
      let broken = true;
      const life = await troubledLife(() => {
        if (broken && (tries += 1) <= 8) throw new TypeError("a fault of the program");
      });
      const issue = await report(life);
      await life.deliver(await life.people.assign(issue, "mia", BOT), "first");
      await expect.poll(async () => await hurry(life), { timeout: 120_000 }).toHaveLength(1);
      broken = false;
      expect(await listDeadLetters(life.db)).toMatchObject([
        { what: "delivery", deliveryId: "first", attempts: 8, error: "a fault of the program" },
      ]);
      expect(tries).toBe(8);

      await life.deliver(await life.people.comment(issue, "ann", "and one more thing"));
      await life.worked(issue);
      expect(await life.stored(issue)).toBeNull();
      expect(await life.orchestrator.retryDeadLetters(issue)).toBe(1);
      expect((await life.settled(issue)).state).toBe("clarifying");
      expect(await listDeadLetters(life.db)).toEqual([]);
    },
  );

  test(
    "for a passing trouble are never given up, and come back when the tracker says so, in their order",
    SLOW,
    async () => {
      let refusals = 12;
      const life = await troubledLife(() => {
        refusals -= 1;
        if (refusals >= 0) throw new RelayError("rate_limited", "too many requests", { retryAfterMs: 10 });
      });
      const issue = await report(life);
      await life.deliver(await life.people.assign(issue, "mia", BOT));
      for (const text of ["one", "two", "three"]) await life.deliver(await life.people.comment(issue, "ann", text));
      const settled = await life.settled(issue);
      expect(refusals).toBeLessThan(0);
      expect((await listMessages(life.db, settled.id)).slice(0, 3).map((one) => one.content)).toEqual([
        "one",
        "two",
        "three",
      ]);
      expect(await listDeadLetters(life.db)).toEqual([]);
    },
  );

  test("because nobody can read what is stored are given up at once", SLOW, async () => {
    const life = await openOnPgBoss();
    const issue = await report(life);
    const event = await life.people.assign(issue, "mia", BOT);
    const address = { provider: event.provider, project: event.externalProjectId, issue: event.externalIssueId };
    await life.db.execute(
      `insert into deliveries (id, provider, delivery_id, event, received_at)
       values (1, $1, 'odd', jsonb_build_object('externalProjectId', $2::text, 'externalIssueId', $3::text), now())`,
      [address.provider, address.project, address.issue],
    );
    await life.deliver(event);
    expect((await life.settled(issue)).state).toBe("clarifying");
    expect(await listDeadLetters(life.db)).toMatchObject([
      { deliveryId: "odd", error: "the stored event cannot be read" },
    ]);
  });
});

test("a wake-up that fails for good is given up and can be seen; a retry ends it well", SLOW, async () => {
  let broken = true;
  const life = await openOnPgBoss((deps) => ({
    withCode: async (repository, work) => {
      if (broken) throw new TypeError("no code today");
      return await deps.withCode(repository, work);
    },
  }));
  const issue = await report(life);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await expect.poll(async () => await hurry(life), { timeout: 120_000 }).toHaveLength(1);
  const deadLettered = [{ what: "wake", deliveryId: null, error: "no code today" }];
  expect(await listDeadLetters(life.db)).toMatchObject(deadLettered);
  const { id } = await life.existing(issue);
  // As a job does that was sent before.
  await life.orchestrator.wake(id);
  expect(await listDeadLetters(life.db)).toMatchObject(deadLettered);
  broken = false;
  await life.orchestrator.wakeNow(id);
  expect((await life.settled(issue)).state).toBe("clarifying");
  expect(await listDeadLetters(life.db)).toEqual([]);
});

test("connections that break again and again lose nothing, repeat nothing, and end no process", SLOW, async () => {
  const life = await openOnPgBoss();
  const issue = await report(life);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  const texts = Array.from({ length: 12 }, (_, n) => `remark ${n}`);
  for (const [n, text] of texts.entries()) {
    const event = await life.people.comment(issue, "ann", text);
    if (n % 4 === 0) await cutAll(life);
    // As a tracker does that got no answer.
    await expect.poll(async () => await life.deliver(event, text).catch(() => null), SLOW).not.toBeNull();
  }
  await cutAll(life);
  await expect.poll(async () => await life.settled(issue).catch(() => null), SLOW).not.toBeNull();
  const id = (await life.existing(issue)).id;
  const said = (await listMessages(life.db, id)).filter((one) => one.author === "ann").map((one) => one.content);
  expect(said).toEqual(texts);
  expect(await life.said(issue)).toHaveLength(1);
  expect(await listDeadLetters(life.db)).toEqual([]);
});

/** What waits for its next try need not. */
async function hurry(life: Life) {
  await life.db.execute("update pgboss.job set start_after = now() where state = 'retry'", []);
  return await listDeadLetters(life.db);
}

async function cutAll(life: Life): Promise<void> {
  await life.db
    .execute(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name = 'relay'`,
      [],
    )
    .catch(() => {});
}
