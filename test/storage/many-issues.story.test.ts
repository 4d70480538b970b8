import { expect, test } from "vitest";
import { freshDatabase } from "../support/database.ts";
import { addManyIssues } from "../support/many-issues.ts";
import { listAudit } from "../../src/storage/audit.ts";
import { listActions, listCycles } from "../../src/storage/cycles.ts";
import { overviewsOf } from "../../src/storage/issue-overview.ts";
import { findIssue } from "../../src/storage/issues.ts";
import { listMessages } from "../../src/storage/messages.ts";

test("filled issues are what Relay itself leaves behind, and a second fill adds to the first", async () => {
  const { db } = await freshDatabase();
  await addManyIssues(db, { repositories: 2, issues: 60, messagesPerIssue: 4 });
  await addManyIssues(db, { repositories: 3, issues: 40, messagesPerIssue: 4 });
  const states = new Map<string, number>();
  for (let n = 1; n <= 100; n += 1) {
    const project = `acme/many-${1 + (n % (n <= 60 ? 2 : 3))}`;
    const issue = await findIssue(db, { provider: "local", externalProjectId: project, externalIssueId: String(n) });
    const id = issue?.id ?? "";
    states.set(issue?.state ?? "", (states.get(issue?.state ?? "") ?? 0) + 1);
    expect((await overviewsOf(db, [id]))(id)).toMatchObject({ gaps: [{}, {}, {}], usage: { calls: 6 } });
    expect(await listMessages(db, id)).toHaveLength(4);
    expect(await listAudit(db, id)).toHaveLength(20);
    const cycles = await listCycles(db, id);
    expect(await Promise.all(cycles.map(async (cycle) => await listActions(db, cycle.id)))).toMatchObject([
      [{}, {}],
      [{}, {}],
      [{}, {}],
    ]);
  }
  expect(Object.fromEntries(states)).toMatchObject({ done: 80, closed: 10, clarifying: 2, in_review: 2, paused: 1 });
});
