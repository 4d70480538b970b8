import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { addManyIssues } from "../support/many-issues.ts";
import { type Desk, newDesk, relay, withDatabaseOf } from "./cli-harness.ts";

const listed = z.object({
  issues: z.array(z.object({ repository: z.string(), number: z.number(), state: z.string(), open_gaps: z.number() })),
  dead_letters: z.array(z.object({ issue: z.string() })),
});

/** A desk with 1,000 issues in two repositories, of which 100 are open. */
async function fullDesk() {
  const desk = await newDesk();
  await relay(desk, ["status"]);
  await withDatabaseOf(desk, async (db) => {
    await addManyIssues(db, { repositories: 2, issues: 1_000, messagesPerIssue: 1 });
    await db.execute(
      `update deliveries set dead_lettered_at = now(), error = 'no answer' where provider = 'local' and delivery_id in ('many-3-0', 'many-4-0')`,
      [],
    );
  });
  const asText = async (...options: string[]) => {
    const { code, out, err } = await relay(desk, ["status", ...options]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const lines = out.trimEnd().split("\n");
    const heads = lines.filter((line) => /^local\/acme\/many-\d#\d+ {2}[a-z_]+ {2}The total/.test(line));
    const issues = heads.map((line) => {
      const [, repository = "", number = "", state = ""] = /(many-\d)#(\d+) {2}([a-z_]+)/.exec(line) ?? [];
      return { repository, number: Number(number), state };
    });
    return { issues, rest: lines.filter((line) => !line.startsWith(" ") && !heads.includes(line)) };
  };
  return { desk, asText, asJson: async (...options: string[]) => await readJson(desk, options) };
}

async function readJson(desk: Desk, options: string[]) {
  const { code, out } = await relay(desk, ["status", "--json", ...options]);
  expect(code).toBe(0);
  return listed.parse(JSON.parse(out));
}

test("relay status lists what is open, the last change first, and says how to see the rest", async () => {
  const { desk, asText, asJson } = await fullDesk();
  const open = await asText();
  expect(open.issues).toHaveLength(50);
  expect(open.issues.filter(({ state }) => state === "done" || state === "closed")).toEqual([]);
  const numbers = open.issues.map(({ number }) => number);
  expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
  expect(open.rest).toEqual([
    expect.stringMatching(/^local\/acme\/many-2#3 {2}delivery many-3-0 given up: no answer; `relay retry`/),
    expect.stringMatching(/^local\/acme\/many-1#4 {2}delivery many-4-0 given up/),
    "50 more: --limit 100 lists them, --state and --repo only some.",
    "Done and closed issues: `relay status --all`.",
  ]);
  const whole = await asText("--limit", "100");
  expect(whole.issues).toHaveLength(100);
  expect(whole.rest.slice(2)).toEqual(["Done and closed issues: `relay status --all`."]);
  const all = await asText("--all", "--limit", "3", "--repo", "ACME/many-1");
  expect(all.issues.map(({ number }) => number)).toEqual([1000, 998, 996]);
  expect(all.rest.slice(1)).toEqual(["497 more: --limit 500 lists them, --state and --repo only some."]);
  const some = await asText("--state", "in_review", "--state", "paused", "--repo", "local/acme/many-2");
  expect(new Set(some.issues.map(({ state }) => state))).toEqual(new Set(["in_review", "paused"]));
  expect(new Set(some.issues.map(({ repository }) => repository))).toEqual(new Set(["many-2"]));
  expect((await asText("--state", "queued")).rest.slice(2)).toEqual(["No such issues."]);

  // What scripts rely on: without options, all there are.
  const everything = await asJson();
  expect(new Set(everything.issues.map(({ number }) => number)).size).toBe(1_000);
  expect(everything.issues[0]).toMatchObject({ repository: "acme/many-1", number: 1_000, state: "done" });
  expect(everything.dead_letters).toHaveLength(2);
  expect((await asJson("--state", "clarifying", "--limit", "7")).issues).toMatchObject(
    Array.from({ length: 7 }, () => ({ state: "clarifying", open_gaps: 1 })),
  );
  expect(await asJson("acme/many-2#3")).toMatchObject({ issues: [{ number: 3 }], dead_letters: [{}] });
  expect(await asJson("5")).toMatchObject({ issues: [{ number: 5 }], dead_letters: [] });

  const written = await relay(desk, ["status", "5", "--write-files"]);
  expect(written.err).toContain("70 state file(s) written below ");
  expect((await readdir(join(desk.home, "state/acme/many-1"))).length).toBeGreaterThan(10);
});

test.each([
  [["--limit", "0"], "--limit must be a whole number from 1, not “0”"],
  [["--limit", "many"], "--limit must be a whole number from 1, not “many”"],
  [["--repo", "acme/shop"], "no repository “acme/shop” is known here"],
  [["--state", "open"], "'open' is invalid. Allowed choices are pending_plan, planning"],
  [["7", "--all"], "--all, --state, --repo and --limit choose among all issues"],
])("relay status %j is refused with a sentence", async (options, says) => {
  const refused = await relay(await newDesk(), ["status", ...options]);
  expect(refused).toMatchObject({ code: 2, out: "", err: expect.stringContaining(says) });
});
