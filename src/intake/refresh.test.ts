import { array, assert, asyncProperty, boolean, constant, constantFrom, integer, nat, oneof, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { threadTracker } from "../../test/support/thread-tracker.ts";
import { type TrackerEvent, isSpeech } from "../domain/event.ts";
import { RelayError } from "../lib/errors.ts";
import { silentLog } from "../lib/log.ts";
import { NotShownYet } from "./lag.ts";
import { type RefreshedDiscussion, refreshDiscussion } from "./refresh.ts";
import { toMessages } from "./thread.ts";
import { triesOf } from "../../test/support/tries.ts";

/** A tracker, and what a Relay whose clock is wrong by `skew` milliseconds has stored of it. */
function life(shape: { threaded?: boolean; page?: number } = {}, skew = 0) {
  const there = threadTracker(shape);
  let stored: RefreshedDiscussion | null = null;
  const clock = { now: () => new Date(there.now().getTime() + skew) };
  const refresh = async (event: TrackerEvent, before: (request: number) => void = () => {}) => {
    there.beforeRequest(before);
    const deps = { tracker: there.tracker, log: silentLog, clock };
    // As the job does that is tried again until the list is believed.
    for (let looks = 0; ;) {
      try {
        stored = await refreshDiscussion(event, stored, false, { ...deps, looks });
        return there.requests();
      } catch (error) {
        if (!(error instanceof RelayError && error.retryable)) throw error;
        if (error instanceof NotShownYet) looks += 1;
        there.wait(error.retryAfterMs ?? 11 * 60_000 + Math.abs(skew));
      }
    }
  };
  const truth = () => toMessages(there.issue(), there.listed(), "relay");
  return { there, refresh, truth, stored: () => stored };
}

type Life = ReturnType<typeof life>;

const lateness = constantFrom(0, 0, 1_000, 60_000);
const act = oneof(
  record({ what: constant("add"), late: lateness }),
  record({ what: constant("reply"), choice: nat(50), late: lateness }),
  record({ what: constant("edit"), choice: nat(50), late: lateness }),
  record({ what: constant("remove"), choice: nat(50) }),
  record({ what: constant("insert"), ago: integer({ min: 300_000, max: 900_000 }) }),
  record({ what: constant("assign"), who: constantFrom("mia", "guest") }),
);
type Act = Parameters<typeof change>[1];

function change({ there }: Life, it: { what: string; late?: number; choice?: number; ago?: number; who?: string }) {
  const { late = 0, choice = 0, ago = 0, who = "mia" } = it;
  switch (it.what) {
    case "add":
      return there.add(who, { late });
    case "reply":
      return there.add("guest", { late, reply: choice });
    case "edit":
      return there.edit(choice, late);
    case "remove":
      return there.remove(choice);
    case "insert":
      return there.add("mia", { ago });
    default:
      return there.assign(who);
  }
}

const step = oneof(
  { weight: 5, arbitrary: record({ kind: constant("change" as const), act }) },
  {
    weight: 4,
    arbitrary: record({
      kind: constant("deliver" as const),
      which: nat(20),
      meanwhile: oneof(constant(null), record({ act, request: integer({ min: 1, max: 4 }) })),
    }),
  },
  { weight: 1, arbitrary: record({ kind: constant("lose" as const), which: nat(20) }) },
  { weight: 1, arbitrary: record({ kind: constant("hide" as const), which: nat(20) }) },
  { weight: 3, arbitrary: record({ kind: constant("wait" as const), ms: integer({ min: 1, max: 2_000_000 }) }) },
);

describe("a thread that is kept by asking for changes equals one that is fetched whole (R-IN-5)", () => {
  test.each([
    { threaded: false, page: 100 },
    { threaded: false, page: 3 },
    { threaded: true, page: 3 },
  ])("whatever happens, whatever events are lost, in whatever order they come: %j", async (shape) => {
    const property = asyncProperty(
      array(step, { maxLength: 40, size: "max" }),
      constantFrom(-3_600_000, 0, 3_600_000),
      boolean(),
      async (steps, skew, heal) => {
        const issue = life(shape, skew);
        await issue.refresh(issue.there.assign("relay"));
        const told: TrackerEvent[] = [];
        const tell = (it: Act) => {
          const event = change(issue, it);
          if (event) told.push(event);
          return event;
        };
        const past = new Set<TrackerEvent>();
        let unsure = false;
        const checked: [unknown, unknown][] = [];
        for (const one of steps) {
          if (one.kind === "wait") issue.there.wait(one.ms);
          if (one.kind === "hide") {
            issue.there.hide(one.which);
            unsure = true;
          }
          if (one.kind === "change") {
            const event = tell(one.act);
            if (event && one.act.what === "insert") past.add(event);
          }
          if (one.kind === "lose") {
            const [event] = told.splice(one.which % Math.max(told.length, 1), 1);
            if (event && past.has(event)) unsure = true;
          }
          if (one.kind !== "deliver") continue;
          const [event] = told.splice(one.which % Math.max(told.length, 1), 1);
          if (!event) continue;
          const { meanwhile } = one;
          await issue.refresh(event, (request) => {
            if (meanwhile?.request !== request) return;
            const made = tell(meanwhile.act);
            if (made && meanwhile.act.what === "insert") past.add(made);
          });
          past.delete(event);
          // Unless something was put into the past and not told yet, a refresh in quiet is right at once.
          const quiet = meanwhile === null && isSpeech(event) && past.size === 0 && !unsure;
          if (quiet) checked.push([issue.stored()?.messages, issue.truth()]);
        }
        for (const [kept, whole] of checked) expect(kept).toEqual(whole);
        for (const event of told.toReversed()) await issue.refresh(event);
        await issue.refresh(unsure || heal ? issue.there.found() : issue.there.add("mia"));
        expect(issue.stored()?.messages).toEqual(issue.truth());
      },
    );
    await assert(property, { numRuns: triesOf(250) });
  });
});

describe("where the tracker's answers are behind its webhooks, nothing told is lost (R-IN-11)", () => {
  const lag = constantFrom(0, 200, 3_000, 29_000);
  const said = oneof(
    record({ what: constant("add") }),
    record({ what: constant("reply"), choice: nat(50) }),
    record({ what: constant("edit"), choice: nat(50) }),
    record({ what: constant("remove"), choice: nat(50) }),
  );
  const happens = record({ act: said, wait: constantFrom(0, 400, 1_500, 40_000), list: lag, count: lag });

  test.each([
    { threaded: false, page: 100 },
    { threaded: false, page: 3 },
    { threaded: true, page: 3 },
  ])("whether the list lags, the count, or both: %j", async (shape) => {
    const property = asyncProperty(
      array(happens, { minLength: 1, maxLength: 12 }),
      constantFrom(-3_600_000, 0, 3_600_000),
      boolean(),
      async (all, skew, changes) => {
        const issue = life(shape, skew);
        await issue.refresh(issue.there.assign("relay"));
        const [{ list, count } = { list: 0, count: 0 }] = all;
        for (const one of all) {
          // A lag that changes brings no answer older than one before.
          issue.there.wait(changes ? 30_000 : one.wait);
          issue.there.lagBy(changes ? one : { list, count });
          const event = change(issue, one.act);
          if (event) await issue.refresh(event);
        }
        expect(issue.stored()?.messages).toEqual(issue.truth());
      },
    );
    await assert(property, { numRuns: triesOf(150) });
  });

  async function behind(lags: { list: number; count: number }) {
    const issue = life();
    await issue.refresh(issue.there.assign("relay"));
    for (const author of ["ann", "mia", "ann"]) {
      issue.there.wait(60_000);
      await issue.refresh(issue.there.add(author));
    }
    issue.there.wait(60_000);
    issue.there.lagBy(lags);
    return issue;
  }

  test.each([
    ["list", { list: 200, count: 0 }],
    ["count", { list: 0, count: 200 }],
    ["both", { list: 200, count: 200 }],
    ["both, for half a minute", { list: 29_000, count: 29_000 }],
  ])("a comment, an edit and a deletion are waited for: %s", async (_, lags) => {
    const issue = await behind(lags);
    const acts = [() => issue.there.add("mia"), () => issue.there.edit(3), () => issue.there.remove(0)];
    for (const does of acts) {
      issue.there.wait(60_000);
      const event = does();
      if (event) await issue.refresh(event);
      expect(issue.stored()?.messages).toEqual(issue.truth());
    }
  });

  test.each([0, 10 * 60_000])("a short list is no more right for an event of %i ms before", async (before) => {
    const issue = await behind({ list: 3_000, count: 0 });
    const event = issue.there.assign("relay");
    issue.there.wait(before);
    issue.there.add("mia");
    await issue.refresh(event);
    expect(issue.stored()?.messages).toEqual(issue.truth());
  });

  test("a short lag costs a short wait, and none costs nothing", async () => {
    const issue = await behind({ list: 200, count: 200 });
    const before = issue.there.now().getTime();
    expect(await issue.refresh(issue.there.add("mia"))).toBe(4);
    expect(issue.there.now().getTime() - before).toBe(500);
    issue.there.lagBy({ list: 0, count: 0 });
    expect(await issue.refresh(issue.there.add("mia"))).toBe(2);
  });

  test("a comment that was deleted before it was listed holds nothing up for long", async () => {
    const issue = await behind({ list: 0, count: 0 });
    const event = issue.there.add("mia");
    issue.there.remove(3);
    const before = issue.there.now().getTime();
    await issue.refresh(event);
    expect(issue.stored()?.messages).toEqual(issue.truth());
    expect(issue.there.now().getTime() - before).toBeLessThan(65_000);
  });

  test("an old delivery that comes once more does not wait for a comment that was deleted since", async () => {
    const issue = await behind({ list: 0, count: 0 });
    const event = issue.there.add("mia");
    issue.there.remove(3);
    issue.there.wait(3_600_000);
    const before = issue.there.now();
    await issue.refresh(event);
    expect(issue.there.now()).toEqual(before);
    expect(issue.stored()?.messages).toEqual(issue.truth());
  });
});

describe("what a refresh costs", () => {
  async function long(comments: number, shape = {}) {
    const issue = life(shape);
    for (let n = 0; n < comments; n += 1) {
      issue.there.wait(60_000);
      issue.there.add("ann");
    }
    await issue.refresh(issue.there.assign("relay"));
    issue.there.wait(60_000);
    return issue;
  }

  test.each([10, 5_000])(
    "one comment more, edited or deleted costs the same few requests in a thread of %d",
    async (n) => {
      const issue = await long(n);
      const costs = [
        await issue.refresh(issue.there.add("mia")),
        await issue.refresh(issue.there.edit(n / 2) ?? issue.there.found()),
        await issue.refresh(issue.there.remove(n / 2) ?? issue.there.found()),
      ];
      expect(costs).toEqual([2, 2, 2]);
      expect(issue.stored()?.messages).toEqual(issue.truth());
    },
  );

  test("an event that is not about the thread costs one, and roles follow the issue", async () => {
    const issue = await long(300);
    issue.there.add("mia");
    await issue.refresh(issue.there.found());
    expect(issue.stored()?.messages.at(-1)).toMatchObject({ author: "mia", role: "other" });
    expect(await issue.refresh(issue.there.assign("mia"))).toBe(1);
    expect(issue.stored()?.messages.at(-1)).toMatchObject({ author: "mia", role: "assignee" });
  });

  test("pages that move while they are read leave no gap, though the numbers agree", async () => {
    const issue = await long(300);
    await issue.refresh(issue.there.found(), (request) => {
      if (request !== 3) return;
      issue.there.remove(0);
      issue.there.add("mia");
    });
    expect(issue.stored()?.messages).toEqual(issue.truth());
  });

  test("a deletion that nobody told is found with the next comment", async () => {
    const issue = await long(300);
    issue.there.remove(17);
    await issue.refresh(issue.there.add("mia"));
    expect(issue.stored()?.messages).toEqual(issue.truth());
    expect(await issue.refresh(issue.there.add("mia"))).toBe(2);
  });

  test("a list that lacks what is stored and still counted is not believed at once (R-IN-6)", async () => {
    const issue = await long(300);
    const before = issue.stored();
    const cut = {
      ...issue.there.tracker,
      listComments: async () => await Promise.resolve({ comments: [], next: null }),
    };
    const clock = { now: issue.there.now };
    const deps = { tracker: cut, log: silentLog, clock };
    await expect(refreshDiscussion(issue.there.found(), before, false, deps)).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
    });
    await issue.refresh(issue.there.found());
    expect(issue.stored()?.messages).toEqual(before?.messages);
  });

  test("comments that are counted and not listed do not cost the whole thread with every event", async () => {
    const issue = await long(300);
    for (const one of [3, 50, 200]) issue.there.hide(one);
    await issue.refresh(issue.there.found());
    expect(issue.stored()?.messages).toHaveLength(297);
    const costs: number[] = [];
    for (let n = 0; n < 120; n += 1) costs.push(await issue.refresh(issue.there.add("mia")));
    expect(costs.filter((requests) => requests > 2)).toHaveLength(2);
    expect(issue.stored()?.messages).toEqual(issue.truth());
  });

  test("what changes alone cannot tell is seen within a day", async () => {
    const issue = await long(300);
    issue.there.wait(25 * 3_600_000);
    expect(await issue.refresh(issue.there.add("mia"))).toBeGreaterThan(4);
    expect(await issue.refresh(issue.there.add("mia"))).toBe(2);
  });
});

test("what the tracker counts and Relay does not read, such as an internal note, keeps nobody waiting", async () => {
  const { there, refresh, stored } = life();
  await refresh(there.assign("relay"));
  there.add("mia");
  there.hide(0);
  const yes = there.add("mia");
  const look = async (leftOut: number) => {
    const listComments: typeof there.tracker.listComments = async (address, cursor) => ({
      ...(await there.tracker.listComments(address, cursor)),
      leftOut,
    });
    return await refreshDiscussion(yes, stored(), false, {
      tracker: { ...there.tracker, listComments },
      log: silentLog,
      clock: there,
    });
  };
  await expect(look(0)).rejects.toThrow(NotShownYet);
  const { messages, fetch } = await look(1);
  expect(messages.map(({ externalId }) => externalId)).toContain(yes.commentId);
  expect(fetch).toMatchObject({ hiddenComments: 1, fullFetchAt: expect.any(Date) });
});
