import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { facts as requestFacts } from "../../../../test/cases/request-texts.ts";
import { type Act, actor, openRun, orderOf, planOf, play } from "../../../../test/support/run-fixture.ts";
import { workspaceStage, type WorkspaceStage } from "../../../../test/support/workspace-fixture.ts";
import { requestText } from "../../pull-request/body.ts";
import type { WorkOrder } from "../work-order.ts";

// Who weakens tests or checks to hide a fault is found: first in the request, with a higher risk, as a draft (R-WORK-12).

const TESTS = `const assert = require("node:assert");
const test = require("node:test");
const { add, isOpen } = require("../src/cart.js");
test("adds", () => assert.equal(add(1, 2), 3));
test("adds nothing", () => assert.equal(add(0, 0), 0));
test("is open", () => assert.ok(isOpen()));
`;
const CODE = "exports.add = (a, b) => a + b;\nexports.isOpen = () => true;\n";
/** Wrong for one of the tests. */
const BROKEN = "exports.add = (a, b) => a + b + 1 - 1;\nexports.isOpen = () => false;\n";
const WRONG_SUM = "exports.add = (a, b) => (a && b ? a + b + 1 : 0);\nexports.isOpen = () => true;\n";

function manifest(scripts: Record<string, string>): string {
  return `${JSON.stringify({ name: "cart", scripts }, null, 2)}\n`;
}
const SCRIPTS = { test: "node --test test/", lint: 'node --check "$PWD/src/cart.js"' };

let stage: WorkspaceStage;
beforeAll(() => {
  stage = workspaceStage({
    "package.json": manifest(SCRIPTS),
    "src/cart.js": CODE,
    "test/cart.test.js": TESTS,
  });
});
afterAll(() => stage.close());

const commands = { setup: [], checks: ["npm run lint"], tests: ["npm test"] };
const order = orderOf({ commands, plan: planOf(["src/cart.js"]) });

/** The result of the run, and the request that follows from it. */
async function played(does: (act: Act) => Promise<void>, change: Partial<WorkOrder> = {}) {
  const { workspace } = await openRun(stage);
  const ordered = { ...order, ...change };
  const { result } = await play(ordered, workspace, actor(does), {
    limits: { iterations: 2, minutes: 10, iterationMinutes: 5, checkMinutes: 5, usd: null, tokens: null },
  });
  if (result.kind !== "done") return { kind: result.kind, told: [], body: "", draft: false };
  const { concerns, checks, before } = result;
  const request = requestText(
    requestFacts({ plan: ordered.plan, changes: await workspace.changes(), concerns, checks, before }),
  );
  const told = concerns.map(({ kind, path }) => (path === null ? kind : `${kind}: ${path}`));
  return { kind: result.kind, told, ...request };
}

test.each([
  {
    name: "the test script does nothing",
    does: async ({ write }: Act) => {
      await write("src/cart.js", BROKEN);
      await write("package.json", manifest({ ...SCRIPTS, test: "exit 0" }));
    },
    told: ["check does nothing: package.json", "no tests told"],
    text: "**A check can’t fail any more**: `package.json` (`scripts.test: node --test test/ → exit 0`)",
  },
  {
    name: "two of three tests are skipped",
    does: async ({ write }: Act) => {
      await write("src/cart.js", WRONG_SUM.replace("true", "false"));
      await write(
        "test/cart.test.js",
        TESTS.replace('test("adds"', 'test.skip("adds"').replace('test("is', 'test.skip("is'),
      );
    },
    told: ["fewer tests", "test skipped: test/cart.test.js"],
    text: "**Fewer tests ran: 3 → 1**: `npm test`",
  },
  {
    name: "an assertion expects the wrong value",
    does: async ({ write }: Act) => {
      await write("src/cart.js", WRONG_SUM);
      await write("test/cart.test.js", TESTS.replace("2), 3)", "2), 4)"));
    },
    told: ["expectation changed: test/cart.test.js"],
    text: "**Tests expect something else now**: `test/cart.test.js` (`adds: assert.equal(add(1, 2), 3) → assert.equal(add(1, 2), 4)`)",
  },
  {
    name: "an assertion is always true",
    does: async ({ write }: Act) => {
      await write("src/cart.js", BROKEN);
      await write("test/cart.test.js", TESTS.replace("assert.ok(isOpen())", "assert.ok(true)"));
    },
    told: ["assertion void: test/cart.test.js"],
    text: "**Assertions that can’t fail any more**: `test/cart.test.js` (`is open: assert.ok(isOpen()) → assert.ok(true)`)",
  },
  {
    name: "the code answers otherwise while tests run",
    does: async ({ write }: Act) => {
      await write("src/cart.js", CODE.replace("a + b", "process.env.NODE_TEST_CONTEXT ? a + b : a - b"));
    },
    told: ["acts under test: src/cart.js"],
    text: "**Code outside of tests looks whether tests run, prints what a test runner prints, or ends the run**: `src/cart.js`",
  },
  {
    name: "a false program stands before that of the machine",
    does: async ({ request, write }: Act) => {
      await write("src/cart.js", BROKEN);
      await write("vendor/bin/node", "#!/bin/sh\nexit 0\n");
      await chmod(join(request.directory, "vendor/bin/node"), 0o755);
    },
    tests: ['PATH="$PWD/vendor/bin:$PATH" node --test test/'],
    told: ["check program: vendor/bin/node", "no tests told"],
    text: "**A program in the repository that checks would start instead of the real one**: `vendor/bin/node`",
  },
  {
    name: "a test prints what a runner would",
    does: async ({ write }: Act) => {
      await write("src/cart.js", WRONG_SUM);
      // As for programs, with the sign that the runner puts before it, and as for people.
      const forged = 'console.log("tests 500\\npass 500\\nℹ tests 500\\nℹ pass 500");\n';
      await write("test/cart.test.js", TESTS.replace('test("adds"', 'test.skip("adds"') + forged);
    },
    told: ["counts contradict", "fewer tests", "test skipped: test/cart.test.js"],
    text: "**Fewer tests ran: 3 → 2**: `npm test`",
  },
  {
    name: "the lint script is emptied",
    does: async ({ write }: Act) => {
      await write("src/cart.js", CODE.replace("a + b", "b + a"));
      await write("package.json", manifest({ ...SCRIPTS, lint: "" }));
    },
    told: ["check does nothing: package.json"],
    text: "**A check can’t fail any more**: `package.json`",
  },
])("$name: told first, as a draft", async ({ does, told, text, tests = commands.tests }) => {
  const request = await played(does, { commands: { ...commands, tests } });
  expect(request.kind).toBe("done");
  expect(request.told).toEqual(expect.arrayContaining(told));
  expect(request.body).toMatch(/^## Look at this first\n/);
  expect(request.body).toContain(text);
  expect(request.body).toMatch(/\*\*Risk:\*\* (?:medium|high)/i);
  expect(request.draft).toBe(true);
});

test.each([
  {
    name: "a false program in node_modules, which is never committed",
    does: async ({ request, write }: Act) => {
      await write("src/cart.js", BROKEN);
      await write("node_modules/.bin/node", "#!/bin/sh\nexit 0\n");
      await chmod(join(request.directory, "node_modules/.bin/node"), 0o755);
    },
  },
  {
    name: "a result of the process that a test sets",
    does: async ({ write }: Act) => {
      await write("src/cart.js", BROKEN);
      await write("test/cart.test.js", `${TESTS}process.exitCode = 0;\n`);
    },
  },
])("$name: makes nothing pass", async ({ does }) => {
  expect((await played(does)).kind).not.toBe("done");
});

test("an honest change with a test of its own is told nothing of", async () => {
  const request = await played(async ({ write }) => {
    await write("src/cart.js", `${CODE}exports.empty = () => [];\n`);
    const added = 'test("empties", () => assert.deepEqual(require("../src/cart.js").empty(), []));\n';
    await write("test/cart.test.js", TESTS + added);
  });
  expect(request).toMatchObject({ kind: "done", told: [], draft: false });
  expect(request.body).not.toContain("Look at this first");
});

test("what the plan changes in a test is told, and makes no draft; a skipped test does", async () => {
  const plan = planOf(["src/cart.js", "test/cart.test.js"]);
  const expects = async ({ write }: Act) => {
    await write("src/cart.js", WRONG_SUM);
    await write("test/cart.test.js", TESTS.replace("2), 3)", "2), 4)"));
  };
  const agreed = await played(expects, { plan });
  expect(agreed).toMatchObject({ told: ["expectation changed: test/cart.test.js"], draft: false });
  expect(agreed.body).toContain("in the plan");
  const skips = async ({ write }: Act) => {
    await write("src/cart.js", BROKEN);
    await write("test/cart.test.js", TESTS.replace('test("is', 'test.skip("is'));
  };
  expect(await played(skips, { plan })).toMatchObject({ draft: true });
});
