import { expect, test } from "vitest";
import { z } from "zod";
import { maySee } from "../../src/app/people/viewer.ts";
import { EVERYTHING, type Sight } from "../../src/domain/sight.ts";
import { lastEntry } from "../../src/storage/audit.ts";
import { callsPerSpec, costsByDay, latencies, usedSince } from "../../src/storage/costs.ts";
import { deadLetterDelivery, listDeadLetters } from "../../src/storage/dead-letters.ts";
import { countByState, listPage } from "../../src/storage/issue-lists.ts";
import { getIssue } from "../../src/storage/issues.ts";
import { listKept, proposeLearning } from "../../src/storage/learnings.ts";
import { addCall, findCall, listCalls } from "../../src/storage/model-calls.ts";
import { type Life, BOT, openLife, report } from "../support/relay.ts";

const TOKENS = { input: 1, cachedInput: 0, cacheWrite: 0, output: 1, reasoning: 0, estimated: false };

/** An issue with one of everything that a list may show. */
async function openAll(confidential: boolean) {
  const life = await openLife();
  const address = await report(life);
  await life.deliver(await life.people.assign(address, "mia", BOT));
  const issue = await life.settled(address);
  await life.db.execute(`update issues set confidential = $2 where id = $1`, [issue.id, confidential]);
  const content = { type: "domain_learnings", content: "Cents.", proposedBy: "mia", sourceMessageId: "1" } as const;
  await proposeLearning(life.db, issue.id, content, life);
  const call = { issueId: issue.id, cycleId: null, stage: "planner", model: "a/b", input: "", output: "" } as const;
  const about = { role: "planner", provider: "a", step: 0, attempt: 0, promptHash: "", status: "ok" };
  const paid = { finishReason: null, usage: TOKENS, costUsd: 1, startedAt: life.clock.now(), latencyMs: 1 };
  await addCall(life.db, { ...call, ...about, ...paid }, life);
  await life.db.execute(
    `insert into specs (id, issue_id, version, ref, complexity, complexity_reason, validation_status, summary, changelog,
       metadata, created_at) values (1, $1, 1, '{}', 'L1', '', 'valid', '[]', '', '{}', $2)`,
    [issue.id, life.clock.now()],
  );
  const { id } = await life.db.one(z.object({ id: z.string() }), `select id from deliveries limit 1`, []);
  await deadLetterDelivery(life.db, id, "failed", life.clock);
  return { life, issue: await getIssue(life.db, issue.id) };
}

/** How much of it each list shows. */
async function seenOf(life: Life, issueId: string, sight: Sight) {
  const { db } = life;
  const since = new Date(0);
  const [call] = await listCalls(db, issueId);
  return {
    page: (await listPage(db, { sight, states: "all", query: "cart", before: null, most: 9 })).length,
    counts: (await countByState(db, sight)).size,
    learnings: (await listKept(db, { repository: null, status: null, sight })).length,
    letters: (await listDeadLetters(db, { sight })).length,
    call: Number((await findCall(db, call?.id ?? "", sight)) !== null),
    costs: (await costsByDay(db, since, sight.repositories)).length,
    timed: (await latencies(db, since, sight.repositories))[0]?.calls ?? 0,
    specs: (await callsPerSpec(db, since, sight, 9)).length,
    usd: (await usedSince(db, since, sight.repositories)).usd,
    log: Number((await lastEntry(db, null, sight)) !== "0") + Number((await lastEntry(db, issueId, sight)) !== "0") - 1,
  };
}

const ALL = { page: 1, counts: 1, learnings: 1, letters: 1, call: 1, costs: 1, timed: 1, specs: 1, usd: 1, log: 1 };
const NONE = { page: 0, counts: 0, learnings: 0, letters: 0, call: 0, costs: 0, timed: 0, specs: 0, usd: 0, log: -1 };

test("lists, counts, searches, costs and logs show what is in the repositories that somebody may see, and no more", async () => {
  const { life, issue } = await openAll(false);
  const here = { login: "eve", repositories: [issue.repositoryId], triages: [] };
  expect(await seenOf(life, issue.id, EVERYTHING)).toEqual(ALL);
  expect(await seenOf(life, issue.id, here)).toEqual(ALL);
  expect(await seenOf(life, issue.id, { ...here, repositories: ["1"] })).toEqual(NONE);
  expect(await seenOf(life, issue.id, { ...here, repositories: [] })).toEqual(NONE);
});

test("a confidential issue is there for its reporter, its assignees and who may triage (R-SAFE-11)", async () => {
  const { life, issue } = await openAll(true);
  const here = [issue.repositoryId];
  // What all issues of a repository cost together tells nothing of one.
  const hidden = { ...NONE, costs: 1, timed: 1, usd: 1 };
  for (const [sight, expected] of [
    [{ login: "eve", repositories: here, triages: [] }, hidden],
    [{ login: "eve", repositories: here, triages: here }, ALL],
    [{ login: "ANN", repositories: here, triages: [] }, ALL],
    [{ login: "Relay", repositories: here, triages: [] }, ALL],
    [{ login: "ann", repositories: [], triages: [] }, NONE],
  ] as const) {
    expect([sight, await seenOf(life, issue.id, sight)]).toEqual([sight, expected]);
    expect(maySee(sight, issue)).toBe(expected === ALL);
  }
});
