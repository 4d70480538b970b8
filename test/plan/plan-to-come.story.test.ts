import { expect, test } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { BOT, report } from "../support/relay.ts";
import { openPlanning, planOf } from "../support/planning-relay.ts";

type Life = Awaited<ReturnType<typeof openPlanning>>;

/** An issue whose spec is written, and whose plan cannot be made until `goOn`. */
async function specified() {
  const there = { isAway: true };
  const life: Life = await openPlanning(({ specStore }) => ({
    specStore: {
      ...specStore,
      read: async (...given) => {
        if (there.isAway) throw new RelayError("unavailable", "the spec store is away", { retryable: true });
        return await specStore.read(...given);
      },
    },
  }));
  const issue = await report(life, "`total([])` in src/cart.ts throws. Expected: 0.");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  await life.deliver(await life.people.comment(issue, "mia", "go ahead with the spec"));
  await comesTo(life, issue, "specifying");
  return { life, issue, goOn: () => (there.isAway = false) };
}

async function comesTo(life: Life, issue: IssueAddress, state: string) {
  await expect
    .poll(async () => {
      await life.queue.drain?.();
      return (await life.existing(issue)).state;
    })
    .toBe(state);
}

test.each(["Thanks!", "Why is it in src/cart.ts?"])(
  "a spec gets its plan, also where somebody says %s before",
  async (words) => {
    const { life, issue, goOn } = await specified();
    await life.deliver(await life.people.comment(issue, "mia", words));
    await life.worked(issue);
    goOn();
    await comesTo(life, issue, "waiting_confirmation");
    expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "posted" });
  },
);

test("a spec gets its plan, also where its issue is closed before and reopened later", async () => {
  const { life, issue, goOn } = await specified();
  await life.deliver(await life.people.setState(issue, "mia", "closed"));
  await comesTo(life, issue, "closed");
  goOn();
  await life.deliver(await life.people.setState(issue, "mia", "open"));
  await comesTo(life, issue, "waiting_confirmation");
  expect(await planOf(life, issue)).toMatchObject({ status: "posted" });
});
