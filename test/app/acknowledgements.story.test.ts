import { describe, expect, test } from "vitest";
import { z } from "zod";
import { acknowledge } from "../../src/engine/acknowledge.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { silentLog } from "../../src/lib/log.ts";
import { PROJECT, openHosted } from "../support/hosted-relay.ts";

type Life = Awaited<ReturnType<typeof openHosted>>;

/** An issue that Relay was assigned to by somebody who may. */
async function assigned(life: Life, body = "The total is wrong."): Promise<number> {
  const number = life.open("ann", "Wrong total in the cart", body);
  life.mock.act({ do: "assign", as: "tom", repo: PROJECT, number, login: "relay" });
  await expect.poll(() => life.eyes(number)).toEqual(["relay"]);
  return number;
}

/** Resolves when nothing is left to do for what was said so far. */
async function heard(life: Life, number: number): Promise<void> {
  const last = life.say("max", number, "One moment.");
  await expect.poll(() => life.eyes(number, last)).toEqual(["relay"]);
}

describe("Relay reacts at once to what it takes up (R-LIFE-8)", () => {
  test("an assignment, an answer, a go-ahead and a yes, long before the quiet wait is over", async () => {
    const life = await openHosted();
    const number = await assigned(life);
    const answer = life.say("ann", number, "1. Add nothing to the cart.\n2. It should be 0.");
    await expect.poll(() => life.eyes(number, answer)).toEqual(["relay"]);
    const goAhead = life.say("mia", number, "go ahead");
    await expect.poll(() => life.eyes(number, goAhead)).toEqual(["relay"]);
  });

  test("a mention, and an issue that mentions Relay, of somebody who may call it", async () => {
    const life = await openHosted();
    const opened = life.open("mia", "Wrong total", "@relay, please have a look.");
    await expect.poll(() => life.eyes(opened)).toEqual(["relay"]);
    const number = life.open("ann", "Another one", "It is wrong.");
    const mention = life.say("tom", number, "@relay, please.");
    await expect.poll(() => life.eyes(number, mention)).toEqual(["relay"]);
    expect(life.eyes(number)).toEqual([]);
  });

  test("while another process works on the issue", async () => {
    const life = await openHosted();
    const number = await assigned(life);
    await expect.poll(async () => (await life.stored(number))?.state).toBe("pending_plan");
    await life.db.withLock(`issue github/${PROJECT}#${number}`, async () => await heard(life, number));
  });

  test("what is said before it is engaged, as soon as it is, with no job that looks for that again and again", async () => {
    const life = await openHosted();
    const number = life.open("ann", "Wrong total in the cart", "The total is wrong.");
    const comment = await life.db.withLock(`issue github/${PROJECT}#${number}`, async () => {
      life.mock.act({ do: "assign", as: "tom", repo: PROJECT, number, login: "relay" });
      const said = life.say("ann", number, "And another case.");
      const states =
        "select state::text, count(*)::int from pgboss.job where name = 'relay-acknowledge' group by state";
      await expect
        .poll(async () => await life.db.query(z.object({ state: z.string(), count: z.number() }), states, []))
        .toEqual([{ state: "completed", count: 2 }]);
      expect(life.eyes(number, said)).toEqual([]);
      return said;
    });
    await expect.poll(() => life.eyes(number, comment)).toEqual(["relay"]);
  });

  test("twenty in a row", async () => {
    const life = await openHosted();
    const number = await assigned(life);
    await expect.poll(async () => (await life.stored(number))?.state).toBe("pending_plan");
    const comments = Array.from({ length: 20 }, (_, n) => life.say("ann", number, `And in case ${n}.`));
    await expect.poll(() => comments.filter((id) => life.eyes(number, id).length === 0)).toEqual([]);
  });
});

describe("what Relay leaves aside gets no reaction", () => {
  test("words in an issue that it is not engaged in, and mentions of people who may not call it", async () => {
    const life = await openHosted();
    const number = life.open("ann", "Wrong total", "@relay, please have a look.");
    const words = [
      life.say("mia", number, "I see."),
      life.say("ann", number, "@relay, please."),
      life.say("stranger", number, "@relay!"),
    ];
    const mention = life.say("mia", number, "@relay, please.");
    await expect.poll(() => life.eyes(number, mention)).toEqual(["relay"]);
    expect(life.eyes(number)).toEqual([]);
    expect(words.flatMap((id) => life.eyes(number, id))).toEqual([]);
  });

  test("its own comments, and those of other bots", async () => {
    const life = await openHosted({ BOT_IDLE_MINUTES: "0" });
    const number = await assigned(life);
    await life.reaches(number, "clarifying");
    await heard(life, number);
    const own = life.mock.world.item(PROJECT, number).comments.filter(({ author }) => author === "relay");
    expect(own.flatMap(({ id }) => life.eyes(number, id))).toEqual([]);
  });

  test("a stranger's words where a plan waits for a yes", async () => {
    const life = await openHosted({ BOT_IDLE_MINUTES: "0" });
    const number = await assigned(life);
    await life.reaches(number, "clarifying");
    life.say("mia", number, "Go ahead with the assumptions.");
    await life.reaches(number, "waiting_confirmation");
    const remark = life.say("stranger", number, "yes");
    await heard(life, number);
    expect(life.eyes(number, remark)).toEqual([]);
  });
});

describe("words that decide, of somebody who may say them, end the quiet wait (R-LIFE-10)", () => {
  test("from the questions to an agreed plan nobody waits ten minutes", async () => {
    const life = await openHosted();
    const number = life.open("mia", "Wrong total in the cart", "@relay, the total is wrong.");
    await life.reaches(number, "clarifying");
    life.say("mia", number, "Go ahead with the assumptions.");
    await life.reaches(number, "waiting_confirmation");
    life.say("max", number, "yes");
    await expect.poll(async () => (await life.stored(number))?.state).toBe("queued");
  });

  test("a stranger's go-ahead ends none", async () => {
    const life = await openHosted();
    const number = life.open("mia", "Wrong total in the cart", "@relay, the total is wrong.");
    await life.reaches(number, "clarifying");
    const before = life.said(number);
    life.say("stranger", number, "Go ahead with the assumptions.");
    await expect.poll(async () => (await life.stored(number))?.debounceUntil?.getTime()).toBeGreaterThan(Date.now());
    await heard(life, number);
    expect(await life.stored(number)).toMatchObject({ state: "clarifying" });
    expect(life.said(number)).toEqual(before);
  });
});

test("a reaction is tried again after a refused permission, and for a minute where a tracker that lags has no such message (R-LIFE-8, R-IN-11)", async () => {
  const life = await openHosted();
  const number = await assigned(life);
  const comment = life.say("ann", number, "And another case.");
  await expect.poll(() => life.eyes(number, comment)).toEqual(["relay"]);
  const row = z.object({ name: z.string() });
  const last = "select provider || ' ' || delivery_id as name from deliveries order by position desc limit 1";
  const { name } = await life.db.one(row, last, []);
  const failing = async (
    code: "forbidden" | "not_found",
    { accessLost = false, after = 0, settlesAfterMs = 40_000 },
  ) => {
    const addReaction = async () => await Promise.reject(new RelayError(code, "refused", { accessLost }));
    await acknowledge(name, {
      ...life,
      clock: { now: () => new Date(Date.now() + after) },
      log: silentLog,
      engage: "triage",
      confirmation: { confirmers: [], thumbsUp: true },
      trackerFor: async () => ({ ...(await life.trackerOf()), settlesAfterMs, addReaction }),
    });
  };
  await expect(failing("forbidden", { accessLost: true })).rejects.toMatchObject({ retryable: true });
  await expect(failing("not_found", {})).rejects.toMatchObject({ retryable: true, retryAfterMs: expect.any(Number) });
  await failing("not_found", { after: 120_000 });
  await failing("not_found", { settlesAfterMs: 0 });
});
