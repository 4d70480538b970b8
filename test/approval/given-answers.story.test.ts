import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { givenAnswer } from "../../src/domain/given-answer.ts";
import { QUESTION_FILE } from "../../src/implementation/run/notes.ts";
import { NOTES } from "../../src/implementation/run/workspace/scan-tree.ts";
import { moment, planned, say, tasksOf } from "../support/planning-relay.ts";
import { type Deed, agentOf, idle, openWorking, writes } from "../support/working-relay.ts";

const given = (text: string) => givenAnswer(1, { head: "_Answer to question 1, given by a program._", text });

test("what a program gives as an answer agrees to no plan, stops no work, and sets no run going (R-SAFE-1)", async () => {
  const asks: Deed = async (request) => {
    await writes("src/rounding.ts", "export const digits = 2;\n")(request);
    await writeFile(join(request.directory, NOTES, QUESTION_FILE), "Is an empty cart worth 0?\n");
  };
  const life = await openWorking(agentOf(asks, idle));
  const issue = await planned(life);
  await moment();
  expect(await say(life, issue, "mia", given("Yes, go ahead."))).toMatchObject({ state: "waiting_confirmation" });
  expect(await tasksOf(life)).toEqual([]);
  await moment();
  expect(await say(life, issue, "mia", "Yes, go ahead.")).toMatchObject({ state: "queued" });
  await moment();
  expect(await say(life, issue, "mia", given("Stop! Do something else instead."))).toMatchObject({ state: "queued" });
  expect(await life.worksOn(issue)).toMatchObject({ state: "stuck" });
  await moment();
  expect(await say(life, issue, "mia", given("Yes. Go ahead."))).toMatchObject({ state: "stuck" });
  expect(await say(life, issue, "mia", "Yes, 0.")).toMatchObject({ state: "queued" });
});
