import { allIssues } from "../support/all-issues.ts";
import { expect, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { proposeLearning } from "../../src/storage/learnings.ts";
import { newDesk, relay, specArgs, withDatabaseOf } from "./cli-harness.ts";

const listed = z.object({
  learnings: z.array(
    z.object({ id: z.string(), repository: z.string().nullable(), status: z.string(), content: z.string() }),
  ),
});
const removed = z.object({ removed: z.array(z.object({ id: z.string() })) });

test("learnings are listed, approved, edited and removed by people (R-PLAN-9, R-SAFE-8)", async () => {
  const desk = await newDesk();
  expect(await relay(desk, specArgs(desk))).toMatchObject({ code: 0 });
  await withDatabaseOf(desk, async (db) => {
    const [issue] = await allIssues(db);
    for (const content of ["Amounts are in cents.", "v1 endpoints are frozen."]) {
      const learning = { type: "domain_learnings" as const, content, proposedBy: "mia", sourceMessageId: "1" };
      await proposeLearning(db, issue?.id ?? "", learning, { clock: systemClock, ids: snowflakes() });
    }
  });
  const run = async (...args: string[]) => await relay(desk, ["learnings", ...args, "--json"]);
  const first = listed.parse(JSON.parse((await run("list")).out)).learnings;
  expect(first.map(({ status }) => status)).toEqual(["proposed", "proposed"]);
  const [one, two] = first.map(({ id }) => id);
  expect(listed.parse(JSON.parse((await run("approve", one ?? "")).out)).learnings).toMatchObject([
    { status: "approved", repository: first[0]?.repository },
  ]);
  expect(listed.parse(JSON.parse((await run("approve", one ?? "", "--everywhere")).out)).learnings).toMatchObject([
    { status: "approved", repository: null },
  ]);
  expect(listed.parse(JSON.parse((await run("edit", two ?? "", "v1 is frozen.")).out)).learnings).toMatchObject([
    { content: "v1 is frozen.", status: "proposed" },
  ]);
  expect(listed.parse(JSON.parse((await run("list", "--status", "approved")).out)).learnings).toHaveLength(1);
  expect(listed.parse(JSON.parse((await run("list", "--repo", "no/such")).out)).learnings).toMatchObject([{ id: one }]);
  expect(await run("remove", two ?? "", "--repo", "no/such")).toMatchObject({ code: 2 });
  expect(removed.parse(JSON.parse((await run("remove", two ?? "")).out)).removed).toMatchObject([{ id: two }]);
  const text = await relay(desk, ["learnings", "list"]);
  expect(text).toMatchObject({ code: 0, err: "" });
  expect(text.out).toContain("approved  all repositories  Amounts are in cents.  (from @mia)");
  expect((await relay(desk, ["log", "57"])).out).toContain("learning.removed");
  for (const wrong of [
    ["approve", "x"],
    ["approve", "123"],
    ["edit", one ?? "", " "],
    ["list", "--status", "new"],
  ]) {
    expect({ wrong, ...(await run(...wrong)) }).toMatchObject({ code: 2, out: "" });
  }
});
