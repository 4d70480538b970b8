import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase } from "../../test/support/database.ts";
import { type IndexedRepository, indexedRepository } from "../../test/support/indexed-repository.ts";
import { trackedIssue, trackedRepository } from "../../test/support/tracked-issue.ts";
import { type ExploreAnswer, noCost } from "../code/agent/explore-answer.ts";
import { EXPLORATIONS_PER_ISSUE } from "../domain/exploration.ts";
import { systemClock } from "../lib/clock.ts";
import { snowflakes } from "../lib/ids.ts";
import { listExplorations } from "../storage/explorations.ts";
import { explorationsAt, keptExplorer } from "./explorations.ts";

const CART = ["export function total() {", "  throw new Error();", "}", ""].join("\n");
const ASKED = { question: "What throws?", thoroughness: "medium" as const, signal: new AbortController().signal };

let code: IndexedRepository;
beforeAll(async () => {
  code = await indexedRepository([
    {
      files: [
        { path: "src/moved.ts", content: `// A line more.\n${CART}` },
        { path: "src/same.ts", content: CART },
        { path: "src/changed.ts", content: CART.replace("Error", "RangeError") },
        { path: "src/twice.ts", content: `\n${CART}${CART}` },
      ],
    },
  ]);
});
afterAll(async () => await code.remove());

async function open() {
  const { db } = await freshDatabase();
  const issue = await trackedIssue(db, (await trackedRepository(db)).id);
  return { db, issue, deps: { db, clock: systemClock, ids: snowflakes() } };
}

function answered(paths: readonly string[], commit: string): ExploreAnswer {
  return {
    kind: "answered",
    synthesis: "`total` throws.",
    verified: paths.length > 0,
    sources: paths.map((path) => ({ location: `${path}:1-3`, snippet: CART.trimEnd() })),
    dropped: [],
    commit,
    cost: noCost("m"),
    repeated: false,
  };
}

test("what one stage found is the answer to the same question of another, also after a restart", async () => {
  const { issue, deps } = await open();
  const asked: string[] = [];
  const explorer = {
    explore: async ({ question }: { question: string }) => {
      asked.push(question);
      return await Promise.resolve(answered(["src/same.ts"], "c1"));
    },
  };
  const planner = keptExplorer(explorer, { ...deps, commit: "c1", askedBy: "planner" });
  const writer = keptExplorer(explorer, { ...deps, commit: "c1", askedBy: "spec_generator" });
  const first = await planner({ issueId: issue.id, ...ASKED });
  const again = await writer({ issueId: issue.id, ...ASKED, question: "What\nthrows?", thoroughness: "quick" });
  expect(again).toMatchObject({ sources: first.sources, repeated: true, cost: { calls: 0, costUsd: 0 } });
  expect(asked).toHaveLength(1);
  // More thoroughly, of another issue, or at another commit it is another question.
  await writer({ issueId: issue.id, ...ASKED, thoroughness: "thorough" });
  await keptExplorer(explorer, { ...deps, commit: "c2", askedBy: "planner" })({ issueId: issue.id, ...ASKED });
  expect(asked).toHaveLength(3);
});

test("what nothing verified is not kept, and the oldest goes", async () => {
  const { db, issue, deps } = await open();
  const none = keptExplorer(
    { explore: async () => await Promise.resolve(answered([], "c1")) },
    { ...deps, commit: "c1", askedBy: "planner" },
  );
  await none({ issueId: issue.id, ...ASKED });
  expect(await listExplorations(db, issue.id)).toEqual([]);
  const some = keptExplorer(
    { explore: async () => await Promise.resolve(answered(["a.ts"], "c1")) },
    { ...deps, commit: "c1", askedBy: "planner" },
  );
  for (let n = 0; n <= EXPLORATIONS_PER_ISSUE; n += 1)
    await some({ issueId: issue.id, ...ASKED, question: `What ${n}?` });
  const kept = await listExplorations(db, issue.id);
  expect([kept.length, kept[0]?.question]).toEqual([EXPLORATIONS_PER_ISSUE, "What 1?"]);
});

test("at another commit, places are told where their lines are now; changed and ambiguous ones are left out", async () => {
  const { db, issue, deps } = await open();
  const paths = ["src/moved.ts", "src/same.ts", "src/changed.ts", "src/twice.ts", "src/gone.ts"];
  const explorer = { explore: async () => await Promise.resolve(answered(paths, "c1")) };
  await keptExplorer(explorer, { ...deps, commit: "c1", askedBy: "planner" })({ issueId: issue.id, ...ASKED });
  const only = { explore: async () => await Promise.resolve(answered(["src/gone.ts"], "c1")) };
  const nothing = keptExplorer(only, { ...deps, commit: "c1", askedBy: "planner" });
  await nothing({ issueId: issue.id, ...ASKED, question: "What is gone?" });
  const held = await explorationsAt(db, issue.id, code.index.repository);
  expect(held.map(({ places, commit }) => [commit, places.map(({ location }) => location)])).toEqual([
    [code.index.repository.commit, ["src/moved.ts:2-4", "src/same.ts:1-3"]],
  ]);
});
