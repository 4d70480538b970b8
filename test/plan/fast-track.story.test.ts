import { expect, test } from "vitest";
import { z } from "zod";
import { type Life, BOT, report } from "../support/relay.ts";
import { moment, openPlanning, planOf, say, tasksOf } from "../support/planning-relay.ts";

const SMALL = `### Steps to reproduce
1. Call \`total([])\` of src/cart.ts

### Expected
It answers 0.

### Actual
It throws a TypeError.`;

async function engaged(files: Record<string, string>, body: string, title?: string) {
  const life = await openPlanning(() => ({}), files);
  const issue = await report(life, body, title);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  return { life, issue, state: (await life.settled(issue)).state };
}

const QUICK = { ".relay.yml": "fast_track: true\n" };

const recorded = async (life: Life) =>
  (await life.db.query(z.object({ what: z.string() }), "select what from audit_log order by id", [])).map(
    ({ what }) => what,
  );

test("a small issue gets spec and plan in one comment, and one yes is to both (R-LIFE-7)", async () => {
  const { life, issue, state } = await engaged(QUICK, SMALL);
  expect(state).toBe("waiting_confirmation");
  const said = await life.said(issue);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("The spec, version 1");
  expect(said[0]).toContain("Your approval covers both the spec and the plan.");
  expect(await tasksOf(life)).toEqual([]);
  expect(await recorded(life)).toContain("spec.quick_way");
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
  expect(await tasksOf(life)).toEqual(["queued"]);
});

test.each([
  ["where the repository does not ask for it", {}, SMALL],
  ["where the risk is not low", QUICK, `${SMALL} Also, it then deletes all passwords in production.`],
  ["where the repository takes it back", { ".relay.yml": "fast_track: false\n" }, SMALL],
])("the spec is asked about apart %s", async (_, files, body) => {
  const { life, issue, state } = await engaged(files, body);
  expect(state).toBe("awaiting_proceed");
  expect((await life.existing(issue)).spec).toBeNull();
  expect(await recorded(life)).not.toContain("spec.quick_way");
});

test("a question to the people is never skipped; with its answer the quick way goes on", async () => {
  const { life, issue, state } = await engaged(QUICK, "`total([])` in src/cart.ts throws.");
  expect(state).toBe("clarifying");
  expect((await life.existing(issue)).spec).toBeNull();
  const answer = "1. Steps to reproduce: call `total([])` of src/cart.ts.\n\n2. Expected: it answers 0.";
  expect(await say(life, issue, "ann", answer)).toMatchObject({ state: "waiting_confirmation" });
  expect(await recorded(life)).toContain("spec.quick_way");
});

test("in mode spec there is no quick way, as nobody agrees to a plan there", async () => {
  const { life, issue, state } = await engaged({ ".relay.yml": "fast_track: true\nmode: spec\n" }, SMALL);
  expect(state).toBe("awaiting_proceed");
  expect(await planOf(life, issue)).toBeNull();
});

test("a wish about a quick plan has it thought over, and nothing starts without a new yes", async () => {
  const { life, issue } = await engaged(QUICK, SMALL);
  await moment();
  const { state } = await say(life, issue, "ann", "It must also refuse negative prices in src/cart.ts.");
  expect(state).not.toBe("queued");
  expect(await tasksOf(life)).toEqual([]);
});
