import { expect, test } from "vitest";
import { z } from "zod";
import type { Db } from "../../../src/storage/db.ts";
import { environmentWith, exec } from "../../../src/lib/exec.ts";
import { openApi } from "../../support/api.ts";
import { ADMIN_TOKEN } from "../../support/dashboard.ts";
import { addManyIssues } from "../../support/many-issues.ts";
import { openPlanning, planned } from "../../support/planning-relay.ts";
import { commandsOf } from "../../e2e/docs-shell.ts";

test("the examples of docs/api.md do what they say", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  await life.people.setMember("shop", "olga", "write");
  await addManyIssues(life.db, { repositories: 1, issues: 40, messagesPerIssue: 1 });
  const { address } = await openApi(life);
  const env = environmentWith({ RELAY: `${address}/api/v1`, RELAY_ADMIN_TOKEN: ADMIN_TOKEN, RUN: undefined });
  const [, ...blocks] = await commandsOf("api.md");
  expect(blocks).toHaveLength(6);
  const run = async (index: number, changes: Record<string, string>) => {
    const changed = Object.entries(changes).reduce(
      (text, [from, to]) => text.replace(from, to),
      blocks[index]?.text ?? "",
    );
    const { code, stdout, stderr } = await exec("sh", ["-ec", changed], { env });
    expect([changed, code, stderr]).toEqual([changed, 0, ""]);
    return stdout.toString();
  };
  const here = { "github/acme/shop/12": "local/shop/1" };
  const waiting = listed.parse(JSON.parse(await run(0, {}))).issues;
  expect(waiting.map(({ title }) => title)).toContain("Wrong total in the cart");
  expect(JSON.parse(await run(1, here))).toMatchObject({ number: 1, words: expect.stringContaining("plan 1") });
  expect(await run(2, here)).toMatch(/^# Spec: Wrong total in the cart/);
  const yes = [await run(3, here), await run(3, here)];
  expect(yes.map((answer) => JSON.parse(answer))).toMatchObject([{ issue: "local/shop#1" }, { issue: "local/shop#1" }]);
  expect(await life.settled(issue)).toMatchObject({ state: "queued" });
  const worked = { "github/acme/shop/12": `local/acme%2Fmany-1/${await numberInReview(life.db)}` };
  const [newest] = ran.parse(JSON.parse(await run(4, worked))).runs;
  const log = JSON.parse(await run(5, { ...worked, RUN: newest?.id ?? "" }));
  expect(log).toMatchObject({ status: "done", last: 10, entries: [...Array(10)].map(() => ({ kind: "step" })) });
});

const listed = z.looseObject({ issues: z.array(z.looseObject({ title: z.string() })) });
const ran = z.looseObject({ runs: z.array(z.looseObject({ id: z.string() })) });

async function numberInReview(db: Db): Promise<string> {
  const sql = `select external_issue_id as number from issues where state = 'in_review' limit 1`;
  return (await db.one(z.object({ number: z.string() }), sql, [])).number;
}
