import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { z } from "zod";
import { pasteTables } from "../../src/storage/copy-tables.ts";
import { emptyDatabase } from "../support/database.ts";
import { lineTo } from "../support/database-proxy.ts";
import { newDesk, relay } from "./cli-harness.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Written by the program of migration 0031, which had worked on these issues of a GitHub until then. */
const FIXTURE = join(ROOT, "test/fixtures/upgrade/twenty-issues-0031.copy.gz");

const STATES = [
  ...Array.from({ length: 4 }, () => "clarifying"),
  ...Array.from({ length: 4 }, () => "awaiting_proceed"),
  ...Array.from({ length: 4 }, () => "waiting_confirmation"),
  ...["paused", "done", "in_review", "in_review", "in_review", "in_progress", "waiting_confirmation", "clarifying"],
];
const status = z.object({ issues: z.array(z.object({ number: z.number(), state: z.string() })) });
const log = z.object({ entries: z.array(z.object({ what: z.string() })) });

test("a database of an earlier version with twenty issues in all states is brought up to date, and they go on (R-SHIP-2)", async () => {
  const { db, connection } = await emptyDatabase();
  const desk = await newDesk();
  desk.env["DATABASE_URL"] = (await lineTo(connection)).url;
  await pasteTables(connection, Readable.from([gunzipSync(await readFile(FIXTURE))]), join(ROOT, "migrations"));
  const run = async (...args: string[]) => {
    const { code, out, err } = await relay(desk, args);
    expect({ args, code, err }).toEqual({ args, code: 0, err: "" });
    return out;
  };
  const states = async () => {
    const { issues } = status.parse(JSON.parse(await run("status", "--all", "--json")));
    return new Map(issues.map(({ number, state }) => [number, state]));
  };
  expect(await run("migrate")).toContain("0032");
  const found = await states();
  expect(STATES.map((_, n) => found.get(n + 1))).toEqual(STATES);
  // One of each state has its whole story, also what later versions made of it.
  for (const number of [1, 5, 9, 13, 14, 15, 18]) {
    const { entries } = log.parse(JSON.parse(await run("log", String(number), "--json")));
    expect(entries.map(({ what }) => what)).toEqual(expect.arrayContaining(["comment.posted", "cycle.planned"]));
    expect((await run("status", String(number))).length).toBeGreaterThan(0);
  }
  expect(await run("resume", "13")).not.toContain("paused");
  expect(await run("pause", "9")).toContain("paused");
  expect(await run("forget", "15", "--yes")).toContain("forgotten");
  expect((await states()).has(15)).toBe(false);
  const left = await db.query(
    z.unknown(),
    "select 1 from task_requests where issue_id not in (select id from issues)",
    [],
  );
  expect(left).toEqual([]);
});
