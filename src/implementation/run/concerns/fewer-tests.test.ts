import { expect, test } from "vitest";
import { orderOf, planOf } from "../../../../test/support/run-fixture.ts";
import { NO_RULES } from "../../../../test/support/workspace-fixture.ts";
import type { CheckResult, IterationFacts, TestCounts } from "../../../domain/work.ts";
import { fewerTests } from "./fewer-tests.ts";

function factsOf(
  number: number,
  tests: Partial<TestCounts> | undefined,
  change: Partial<CheckResult> = {},
): IterationFacts {
  const check: CheckResult = { kind: "test", command: "npm test", outcome: "passed", code: 0, seconds: 1, output: "" };
  const counts = tests && { tests: { total: null, failed: 0, red: [], ...tests } };
  const checks = [{ ...check, ...counts, ...change }];
  const none = { commit: null, tree: "", agent: null, undone: [], changedFiles: 0, untouched: [], usd: 0, seconds: 1 };
  return { number, checks, ...none };
}

async function found(
  before: Partial<TestCounts> | undefined,
  now: Partial<TestCounts> | undefined,
  {
    paths = ["src/total.js"],
    order = orderOf(),
    change = {},
    texts = {},
  }: {
    paths?: string[];
    order?: ReturnType<typeof orderOf>;
    change?: Partial<CheckResult>;
    texts?: { base?: string; head?: string };
  } = {},
): Promise<string[]> {
  const changes = paths.map((path) => ({ path, change: "modified" as const, addedLines: 1, removedLines: 1 }));
  const read = async (_: string, at: string) =>
    await Promise.resolve((at === "base" ? texts.base : texts.head) ?? null);
  const all = await fewerTests({
    order,
    changes,
    facts: [factsOf(0, before, change), factsOf(2, now)],
    rules: NO_RULES,
    read,
  });
  return all.map(({ kind, names, numbers, agreed }) =>
    [kind, ...names, JSON.stringify(numbers), ...(agreed ? ["agreed"] : [])].join(" | "),
  );
}

test("as many tests as before, or more, are nothing", async () => {
  expect(await found({ total: 5, skipped: 1 }, { total: 5, skipped: 1 })).toEqual([]);
  expect(await found({ total: 5, skipped: 1 }, { total: 8, skipped: 0 })).toEqual([]);
  expect(await found(undefined, { total: 5 })).toEqual([]);
  expect(await found({ total: 0 }, undefined)).toEqual([]);
});

test("fewer that ran are told, whether they are gone or skipped", async () => {
  expect(await found({ total: 5 }, { total: 3 })).toEqual(['fewer tests | npm test | {"before":5,"now":3}']);
  expect(await found({ total: 5, skipped: 0 }, { total: 5, skipped: 2 })).toEqual([
    'fewer tests | npm test | {"before":5,"now":3}',
  ]);
  expect(await found({ total: 5, skipped: 0 }, { total: 9, skipped: 2 })).toEqual([
    'more skipped | npm test | {"before":0,"now":2}',
  ]);
});

test("no figures any more, or none of a test, are told", async () => {
  expect(await found({ total: 5 }, undefined)).toEqual(['no tests told | npm test | {"before":5}']);
  expect(await found({ total: 5 }, { total: 0 })).toEqual(['no tests told | npm test | {"before":5}']);
  expect(await found({ ran: ["shop/cart"] }, undefined)).toEqual(["no tests told | npm test | {}"]);
});

test("single ones that are missing are told by name, except those of changed files", async () => {
  const [before, now] = [{ ran: ["shop/cart", "shop/login", "a.test.js"] }, { ran: ["shop/new"] }];
  expect(await found(before, now)).toEqual(["tests missing | shop/cart | shop/login | a.test.js | {}"]);
  expect(await found(before, now, { paths: ["cart/cart_test.go", "a.test.js", "shop/login/a_test.go"] })).toEqual([]);
});

test("a plan that deletes files agreed to fewer tests; a merge and a command without an end compare nothing", async () => {
  const plan = planOf(["test/a.test.js"]);
  const deletes = {
    ...plan,
    file_changes: plan.file_changes.map((file) => ({ ...file, operation: "DELETE" as const })),
  };
  expect(await found({ total: 5 }, { total: 3 }, { order: orderOf({ plan: deletes }) })).toEqual([
    'fewer tests | npm test | {"before":5,"now":3} | agreed',
  ]);
  expect(await found({ total: 5 }, { total: 3 }, { order: orderOf({ merge: { base: "main" } }) })).toEqual([]);
  expect(await found({ total: 5 }, { total: 3 }, { change: { outcome: "timeout", code: null } })).toEqual([]);
});

test("a test that the change renames is not missing; one that it removes is", async () => {
  const source = (name: string) =>
    `test("${name}", () => {\n  assert.deepEqual(chunk([1, 2, 3], 2), [[1, 2], [3]]);\n});\n`;
  const ran = ["keeps order", "chunk > drops the rest"];
  const paths = ["test/chunk.test.js"];
  const renamed = { base: source("drops the rest"), head: source("keeps the rest") };
  expect(await found({ ran }, { ran: ["keeps order", "chunk > keeps the rest"] }, { paths, texts: renamed })).toEqual(
    [],
  );
  const removed = { base: source("drops the rest"), head: "" };
  expect(await found({ ran }, { ran: ["keeps order"] }, { paths, texts: removed })).toEqual([
    "tests missing | chunk > drops the rest | {}",
  ]);
});

test("a report that contradicts what was printed, or that is gone, is told, and so is what it still counts", async () => {
  const report = { total: 5, by: "report" as const };
  const doubt = "counts contradict | npm test | {}";
  expect(await found(report, { total: 5, by: "contradiction" })).toEqual([doubt]);
  expect(await found(report, { total: 500 })).toEqual([doubt]);
  expect(await found({ total: 5 }, { total: 5, by: "contradiction" })).toEqual([doubt]);
  expect(await found(undefined, { total: 5, by: "contradiction" })).toEqual([doubt]);
  expect(await found(report, { total: 3, by: "contradiction" })).toEqual([
    doubt,
    'fewer tests | npm test | {"before":5,"now":3}',
  ]);
  const before = { total: 5, by: "contradiction" as const };
  expect(await found(before, before)).toEqual([]);
  expect(await found({ total: 5 }, report)).toEqual([]);
});

test("names of a report are not held against printed ones, nor is what differs from run to run", async () => {
  const ran = (...names: string[]) => ({ total: names.length, ran: names, by: "report" as const });
  expect(await found({ total: 1, ran: ["adds"] }, ran("test/a.test.js > adds"))).toEqual([]);
  expect(await found(ran("t.js > port 4711 is open"), ran("t.js > port 4712 is open"))).toEqual([]);
  expect(await found(ran("t.js > case 1", "t.js > case 2"), ran("t.js > case 1", "t.js > other"))).toEqual([
    "tests missing | t.js > case 2 | {}",
  ]);
});
