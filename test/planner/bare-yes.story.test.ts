import { expect, test } from "vitest";
import { storedSpec } from "../../src/adapters/spec-stores/stored-spec.ts";
import { listGaps } from "../../src/storage/gaps.ts";
import { moment, openPlanning, say, setMode } from "../support/planning-relay.ts";
import { BOT, report } from "../support/relay.ts";

test("a bare yes in a thread agrees to what a question would assume; it is no text of the spec", async () => {
  const life = await openPlanning();
  setMode(life, "spec");
  const issue = await report(life, "It breaks sometimes.", "Totals are odd");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  const gaps = async () => await listGaps(life.db, (await life.existing(issue)).id);
  const numberOf = Object.fromEntries((await gaps()).map(({ topic, number }) => [topic, number]));
  expect(Object.keys(numberOf).toSorted()).toEqual(["expected", "reproduction"]);

  await say(life, issue, "ann", `${numberOf["expected"]}. no\n${numberOf["reproduction"]}. y`);
  const byTopic = async (topic: string) => (await gaps()).find((gap) => gap.topic === topic);
  expect(await byTopic("expected")).toMatchObject({ status: "open" });
  const agreed = await byTopic("reproduction");
  expect(agreed).toMatchObject({ status: "closed", closedReason: "inferred", closedNote: agreed?.proposedDefault });
  expect(agreed?.answeredIn).not.toBeNull();

  await say(life, issue, "ann", `${numberOf["expected"]}. It prints 4.`);
  await say(life, issue, "mia", "go ahead with the spec");
  await moment();
  const spec = (await storedSpec((await life.existing(issue)).spec, life.specStore))?.content ?? "";
  expect(spec).toContain(`- Assumed, and agreed to: ${agreed?.proposedDefault?.replace(/\.$/, "")}. — @ann`);
  expect(spec).not.toMatch(/\b(?:yes|y) \(Gap #|“(?:yes|y|no)”/);
});

test("a stop while questions are open gets an answer, once", async () => {
  const life = await openPlanning();
  const issue = await report(life, "It breaks sometimes.", "Totals are odd");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  expect(await life.settled(issue)).toMatchObject({ state: "clarifying" });
  const before = (await life.said(issue)).length;
  expect(await say(life, issue, "mia", "Stop, please.")).toMatchObject({ state: "clarifying" });
  expect((await life.said(issue)).slice(before)).toEqual([
    expect.stringContaining("@mia, all right, I start nothing. If you change your mind, reply “go ahead”."),
  ]);
  await say(life, issue, "mia", "Stop, please!");
  expect(await life.said(issue)).toHaveLength(before + 1);
});
