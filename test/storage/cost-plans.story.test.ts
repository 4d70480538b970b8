import { expect, test } from "vitest";
import { z } from "zod";
import { EVERYTHING } from "../../src/domain/sight.ts";
import { callsPerSpec, costsByDay, latencies } from "../../src/storage/costs.ts";
import type { Db } from "../../src/storage/db.ts";
import { freshDatabase } from "../support/database.ts";
import { addManyIssues } from "../support/many-issues.ts";

test("costs of a month are read from indexes alone: never the rows with prompts, answers and specs (R-SCALE-1)", async () => {
  const { db } = await freshDatabase();
  await addManyIssues(db, { repositories: 20, issues: 2_000, messagesPerIssue: 1 });
  await db.executeSql("vacuum analyze");
  const steps: string[] = [];
  const explaining: Db = {
    ...db,
    query: async (schema, sql, parameters) => {
      const plan = await db.query(z.object({ "QUERY PLAN": z.string() }), `explain ${sql}`, parameters);
      steps.push(...plan.map((line) => line["QUERY PLAN"]));
      return await db.query(schema, sql, parameters);
    },
  };
  const since = new Date(Date.now() - 30 * 86_400_000);
  expect(await costsByDay(explaining, since, null)).not.toEqual([]);
  expect(await latencies(explaining, since, null)).not.toEqual([]);
  expect(await callsPerSpec(explaining, since, EVERYTHING, 12)).toHaveLength(12);
  const ofTexts = steps.filter((line) => /^ *(?:-> +)?[\w ]*Scan\b.* on (?:llm_evals|specs) p?/.test(line));
  const [calls, perIssue, specs] = ["llm_evals_calls", "llm_evals_calls_by_issue", "specs_by_time"].map(
    (index) => ofTexts.filter((line) => line.includes(`Index Only Scan using ${index} on`)).length,
  );
  // The version before, of specs that have one.
  const before = ofTexts.filter((line) => line.includes("specs_issue_id_version_key")).length;
  expect({ calls, perIssue, specs, before, all: ofTexts.length }).toEqual({
    calls: 2,
    perIssue: 1,
    specs: 1,
    before: 1,
    all: 5,
  });
});
