import { expect, test } from "vitest";
import { issueName } from "../../src/domain/issue.ts";
import { type Life, BOT, openLife, report } from "../support/relay.ts";

/** Deliveries of many issues wait; the jobs that were sent are run in the order of their priority, one at a time. */
test("a stop that waits behind words in other issues is processed right after the first of them (R-SCALE-2)", async () => {
  const sent: { issue: string; first: boolean }[] = [];
  let isHeld = false;
  const life: Life = await openLife(({ jobs }) => ({
    jobs: {
      ...jobs,
      sendEvents: async (events, within) => {
        if (!isHeld) return await jobs.sendEvents(events, within);
        sent.push(...events.map(({ issue, first = false }) => ({ issue, first })));
      },
    },
  }));
  const issues = [];
  for (const title of ["One", "Two", "Three"]) {
    const issue = await report(life, "It shows 0 in `total`.", title);
    await life.deliver(await life.people.assign(issue, "mia", BOT));
    await life.settled(issue);
    issues.push(issue);
  }
  const [one, two, three] = issues.map((issue) => ({ issue, name: issueName(issue) }));
  if (!one || !two || !three) throw new Error("there are three issues");
  isHeld = true;
  await life.deliver(await life.people.comment(one.issue, "ann", "I saw it in Firefox."));
  await life.deliver(await life.people.comment(two.issue, "ann", "I saw it, too."));
  await life.deliver(await life.people.comment(three.issue, "mia", "Stop, please. We do it another way."));
  expect(sent).toEqual([one, two, three].map(({ name }) => ({ issue: name, first: false })));
  await life.orchestrator.processDeliveries(one.issue);
  expect(sent.slice(3)).toEqual([{ issue: three.name, first: true }]);
  await life.orchestrator.processDeliveries(two.issue);
  expect(sent).toHaveLength(4);
});
