import { expect, test } from "vitest";
import { moment, openPlanning, planOf, planned, say, tasksOf } from "../support/planning-relay.ts";

const STOPPED = "I’ve stopped, as you asked";

test("“hold on” on a waiting plan is answered once, and nothing starts until somebody says what they want", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  const before = (await life.said(issue)).length;
  await moment();
  expect(await say(life, issue, "mia", "hold on, please")).toMatchObject({ state: "waiting_confirmation" });
  expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "stale", stopped: true });
  expect((await life.said(issue)).slice(before)).toEqual([expect.stringContaining(STOPPED)]);
  await say(life, issue, "ann", "thanks!");
  await life.orchestrator.wakeNow((await life.existing(issue)).id);
  await life.settled(issue);
  expect(await life.said(issue)).toHaveLength(before + 1);
  expect(await planOf(life, issue)).toMatchObject({ version: 1 });
  await moment();
  // A yes to the plan that was stopped starts nothing; there is a new one to agree to.
  await say(life, issue, "mia", "yes");
  expect(await tasksOf(life)).toEqual([]);
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
});

test.each([
  ["On second thought, go on.", []],
  ["Go on, I talked to Walt.", []],
  ["Why is src/cart.ts affected? Go on.", ["@mia, I can’t answer questions without a model."]],
])(
  "after a halt of a waiting plan, %j is answered by the new version, and by nothing against it",
  async (words, more) => {
    const life = await openPlanning();
    const issue = await planned(life);
    await moment();
    await say(life, issue, "mia", "Hmm, on reflection: no, not like this.");
    const before = (await life.said(issue)).length;
    await moment();
    await say(life, issue, "mia", words);
    expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
    const said = (await life.said(issue)).slice(before).map((text) => text.split("\n")[0]);
    expect(said).toEqual([...more, expect.stringContaining("Nothing in it changed since plan 1.")]);
  },
);

test.each(["On second thought, go on.", "My mistake, please continue.", "Fehlalarm: mach weiter."])(
  "after a halt of queued work, %j of its author carries it on as planned",
  async (words) => {
    const life = await openPlanning();
    const issue = await planned(life);
    await moment();
    await say(life, issue, "mia", "yes");
    await say(life, issue, "mia", "stop");
    await moment();
    expect(await say(life, issue, "mia", words)).toMatchObject({ state: "queued" });
    expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "confirmed" });
  },
);

test("“stop” takes a task back that nobody works on yet", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  await moment();
  await say(life, issue, "mia", "yes");
  expect(await say(life, issue, "ann", "stop")).toMatchObject({ state: "waiting_confirmation" });
  expect(await tasksOf(life)).toEqual(["cancelled"]);
  expect(await planOf(life, issue)).toMatchObject({ version: 1, stopped: true });
  expect((await life.said(issue)).at(-1)).toContain(STOPPED);
});

test("a stranger's “stop” stops nothing, and whoever takes their own back may agree", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  const before = (await life.said(issue)).length;
  await life.people.setMember("shop", "eve", "read");
  await moment();
  await say(life, issue, "eve", "stop");
  expect(await planOf(life, issue)).toMatchObject({ status: "posted" });
  expect(await life.said(issue)).toHaveLength(before);
  const stopped = await life.people.comment(issue, "mia", "stop");
  const yes = await life.people.comment(issue, "mia", "yes");
  await life.deliver(stopped);
  await life.deliver(yes);
  await life.settled(issue);
  expect(["confirmed", "stale"]).toContain((await planOf(life, issue))?.status);
});

test("thanks on a waiting plan cause no comment and no other plan", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  const before = (await life.said(issue)).length;
  await moment();
  for (const words of ["Thank you!", "спасибо 🙏", "谢谢"]) await say(life, issue, "ann", words);
  expect(await life.existing(issue)).toMatchObject({ state: "waiting_confirmation" });
  expect(await life.said(issue)).toHaveLength(before);
  expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "posted" });
});

test("who agreed is told that a wish takes the task back (R-CONF-5)", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  await moment();
  await say(life, issue, "mia", "yes");
  await say(life, issue, "ann", "Please also handle undefined in src/cart.ts.");
  expect(await tasksOf(life)).toEqual(["cancelled"]);
  const said = (await life.said(issue)).filter((text) =>
    text.includes("The request has changed since I posted plan 1"),
  );
  expect(said).toHaveLength(1);
});

test.each(["no", "Stop! Why does it touch the cart?"])(
  "after the yes, %j of somebody who could have said yes ends the task",
  async (words) => {
    const life = await openPlanning();
    const issue = await planned(life);
    await moment();
    await say(life, issue, "mia", "yes");
    expect(await say(life, issue, "mia", words)).toMatchObject({ state: "waiting_confirmation" });
    expect(await tasksOf(life)).toEqual(["cancelled"]);
    expect(await planOf(life, issue)).toMatchObject({ version: 1, stopped: true });
    expect((await life.said(issue)).at(-1)).toContain(STOPPED);
  },
);

test("what a stranger wishes after a stop does not take it back", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  await life.people.setMember("shop", "eve", "read");
  await moment();
  await say(life, issue, "mia", "yes");
  const stopped = await life.people.comment(issue, "mia", "stop");
  const wish = await life.people.comment(issue, "eve", "Please also handle undefined in src/cart.ts.");
  await life.deliver(wish);
  await life.deliver(stopped);
  await life.settled(issue);
  expect(await tasksOf(life)).toEqual(["cancelled"]);
  expect(await planOf(life, issue)).toMatchObject({ version: 1, stopped: true });
});
