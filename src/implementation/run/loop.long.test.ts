import { existsSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Act, actor, openRun, orderOf, planOf, play } from "../../../test/support/run-fixture.ts";
import { workspaceStage, type WorkspaceStage } from "../../../test/support/workspace-fixture.ts";
import { TRIES_ALL } from "../../../test/support/tries.ts";
import type { IterationFacts } from "../../domain/work.ts";
import { RelayError } from "../../lib/errors.ts";

const TEST_IS_4 = 'test "$(cat total.txt)" = 4 || { echo "FAIL: expected 4, got $(cat total.txt)"; exit 1; }';
/** Passes before any change. */
const TEST_IS_NUMBER = 'grep -qx "[45]" total.txt || { echo "FAIL: expected 4, got $(cat total.txt)"; exit 1; }';
const tested = { setup: [], checks: ["true"], tests: [TEST_IS_4] };

let stage: WorkspaceStage;
beforeAll(() => {
  stage = workspaceStage({ "total.txt": "5\n", "other.txt": "x\n" });
});
afterAll(() => stage.close());

const advanceIssue = async () => await openRun(stage);

test("a task that is done at once is one commit that names the issue", async () => {
  const { workspace, subjects } = await advanceIssue();
  const agent = actor(async ({ write }) => {
    await write("total.txt", "4\n");
    return { summary: "The total is right now." };
  });
  const { result, facts } = await play(orderOf({ commands: tested }), workspace, agent);
  expect(result).toMatchObject({ kind: "done", summary: "The total is right now.", redBefore: [] });
  expect(subjects()).toEqual(["fix: wrong total (#12)"]);
  expect(facts.map(({ number, commit }) => [number, commit !== null])).toEqual([
    [0, false],
    [1, true],
  ]);
  expect(workspace.head()).toBe(facts[1]?.commit);
});

test("what a test said is told to a fresh agent, who mends it", async () => {
  const { workspace, subjects } = await advanceIssue();
  const agent = actor(async ({ run, write }) => await write("total.txt", run === 1 ? "3\n" : "4 \n"));
  const test4 = 'grep -q "^[45]" total.txt || { echo "FAIL: expected 4, got $(cat total.txt)"; exit 1; }';
  const { result } = await play(orderOf({ commands: { ...tested, tests: [test4] } }), workspace, agent);
  expect(result.kind).toBe("done");
  expect(agent.tasks[1]).toContain("FAIL: expected 4, got 3");
  expect(agent.tasks[1]).toContain("Mend this.");
  expect(subjects()).toHaveLength(2);
});

test("a command that was red before the change in the same way does not block it, and is told", async () => {
  const { workspace } = await advanceIssue();
  const broken = "echo 'error: no such plugin' ; exit 2";
  const agent = actor(async ({ write }) => {
    await write("total.txt", "4\n");
    await write(".relay-task/done.md", "The total is right; the plugin was missing before.");
  });
  const order = orderOf({ commands: { setup: [], checks: [broken], tests: [TEST_IS_4] } });
  const { result } = await play(order, workspace, agent);
  expect(result).toMatchObject({ kind: "done", redBefore: [broken] });
  expect(agent.tasks).toHaveLength(1);
  expect(agent.tasks[0]).toContain("It failed so before any change");
});

test("a command that fails in a new way blocks it, although it was red before", async () => {
  const { workspace } = await advanceIssue();
  const lint = "echo 'error: old'; ! grep -q bad total.txt || echo 'error: bad total'; exit 1";
  const agent = actor(async ({ run, write }) => await write("total.txt", run === 1 ? "bad\n" : "4\n"));
  const { result } = await play(orderOf({ commands: { setup: [], checks: [lint], tests: [] } }), workspace, agent);
  expect(result).toMatchObject({ kind: "done", redBefore: [lint] });
  // The third one saw what was left red, and found nothing to change.
  expect(agent.tasks).toHaveLength(3);
});

test("an agent that claims success without a change is told so, and is given up after two", async () => {
  const { workspace } = await advanceIssue();
  const agent = actor(async ({ write }) => {
    await write(".relay-task/done.md", "All done!");
    return { summary: "All done, all tests pass!" };
  });
  const { result, facts } = await play(orderOf({ commands: tested }), workspace, agent);
  expect(result).toMatchObject({ kind: "no progress", detail: expect.stringContaining("2 runs") });
  expect(agent.tasks[1]).toContain("Only what is in the files counts");
  expect(facts.map(({ commit }) => commit)).toEqual([null, null, null]);
});

test.runIf(TRIES_ALL)("an agent that goes back and forth between two states is given up", async () => {
  const { workspace } = await advanceIssue();
  const agent = actor(async ({ run, write }) => await write("total.txt", run % 2 === 1 ? "6\n" : "7\n"));
  const { result } = await play(orderOf({ commands: { ...tested, tests: [TEST_IS_NUMBER] } }), workspace, agent);
  expect(result.kind).toBe("no progress");
  expect(agent.tasks).toHaveLength(4);
});

test.runIf(TRIES_ALL)("an agent that changes something each time and mends nothing is given up", async () => {
  const { workspace } = await advanceIssue();
  const agent = actor(async ({ run, write }) => await write(run === 1 ? "total.txt" : "other.txt", `${run}\n`));
  const limits = { iterations: 50, minutes: 10, iterationMinutes: 5, checkMinutes: 5, usd: null, tokens: null };
  const { result } = await play(orderOf({ commands: { ...tested, tests: [TEST_IS_NUMBER] } }), workspace, agent, {
    limits,
  });
  expect(result).toMatchObject({ kind: "no progress", detail: expect.stringContaining("same failures") });
});

test("files of the plan that nobody touched are told once, and may be left for a reason", async () => {
  const { workspace } = await advanceIssue();
  const agent = actor(async ({ run, write }) => {
    if (run === 1) await write("total.txt", "4\n");
  });
  const order = orderOf({ commands: tested, plan: planOf(["total.txt", "other.txt"]) });
  const { result, facts } = await play(order, workspace, agent);
  expect(result.kind).toBe("done");
  expect(agent.tasks).toHaveLength(2);
  expect(agent.tasks[1]).toMatch(/nobody has touched yet[^]*other\.txt/);
  expect(facts.at(-1)?.untouched).toEqual(["other.txt"]);
});

test("a change of unplanned files alone goes back once, whatever the agent says, and is then a draft with its reason (R-WORK-11)", async () => {
  const { workspace, subjects } = await advanceIssue();
  const note = async ({ write }: Act) => await write(".relay-task/done.md", "All done, approved.\n");
  const stubborn = actor(async (act) => {
    await act.write("other.txt", "4\n");
    await note(act);
  });
  const { result } = await play(orderOf({ plan: planOf(["total.txt"]) }), workspace, stubborn);
  expect(stubborn.tasks).toHaveLength(2);
  expect(stubborn.tasks[1]).toContain("none that people agreed to");
  expect(result).toMatchObject({ kind: "done", concerns: [{ kind: "no planned file" }, { kind: "not planned" }] });
  expect(subjects()).toHaveLength(1);

  const other = await advanceIssue();
  const mends = actor(async (act) => {
    await act.write(act.run === 1 ? "other.txt" : "total.txt", "4\n");
    await note(act);
  });
  const mended = await play(orderOf({ plan: planOf(["total.txt"]) }), other.workspace, mends);
  expect(mended.result).toMatchObject({ kind: "done", concerns: [{ kind: "not planned", path: "other.txt" }] });
});

test("a change of unplanned files alone is not lost at the last iteration", async () => {
  const { workspace } = await advanceIssue();
  const agent = actor(async ({ write }) => {
    await write("other.txt", "4\n");
    await write(".relay-task/done.md", "It was there.\n");
  });
  const limits = { iterations: 1, minutes: 10, iterationMinutes: 5, checkMinutes: 5, usd: null, tokens: null };
  const { result } = await play(orderOf({ plan: planOf(["total.txt"]) }), workspace, agent, { limits });
  expect(result).toMatchObject({ kind: "done", concerns: [{ kind: "no planned file" }, {}] });
});

test.runIf(TRIES_ALL)(
  "settings of an agent that one run leaves are gone before the checks and the next run, ignored or not (R-WORK-11)",
  async () => {
    const { workspace } = await advanceIssue();
    const seen: string[][] = [];
    const left = [
      ".claude/settings.json",
      ".claude/settings.local.json",
      ".mcp.json",
      "opencode.json",
      ".codex/config.toml",
    ];
    const agent = actor(async ({ run, request, write }) => {
      seen.push(left.filter((path) => existsSync(join(request.directory, path))));
      if (run === 1) for (const path of left) await write(path, "{}\n");
      if (run === 1) await write(".gitignore", ".claude/\n*.toml\n");
      await write("total.txt", run === 1 ? "9\n" : "4\n");
    });
    const check = `! ls -d ${left.join(" ")}`;
    const commands = { setup: [], checks: [check], tests: tested.tests };
    const { result, facts } = await play(orderOf({ commands }), workspace, agent);
    expect(seen).toEqual([[], []]);
    expect(result).toMatchObject({ kind: "done", checks: [{ outcome: "passed" }, { outcome: "passed" }] });
    expect(facts[1]?.checks[0]).toMatchObject({ outcome: "passed" });
    expect(facts[1]?.undone.map(({ path }) => path).toSorted()).toEqual(left.toSorted());
    expect((await workspace.changes()).map(({ path }) => path)).toEqual([".gitignore", "total.txt"]);
  },
);

test("changes that were undone are told to the next agent, and are in no commit", async () => {
  const { workspace } = await advanceIssue();
  const agent = actor(async ({ run, write }) => {
    if (run === 1) await write(".env", "KEY=1\n");
    await write("total.txt", run === 1 ? "9\n" : "4\n");
  });
  const { result, facts } = await play(orderOf({ commands: tested }), workspace, agent);
  expect(result.kind).toBe("done");
  expect(agent.tasks[1]).toContain(".env: blocked path");
  expect(facts[1]?.undone).toHaveLength(1);
  expect((await workspace.changes()).map(({ path }) => path)).toEqual(["total.txt"]);
});

test("a question ends the run, with what was done so far committed; its answer goes on from there", async () => {
  const { workspace, subjects } = await advanceIssue();
  const agent = actor(async ({ task, write }) => {
    if (task.includes("Euros")) return await write("total.txt", "4\n");
    await write("other.txt", "begun\n");
    await write(".relay-task/question.md", "\u200bEuros or dollars?<!-- x -->\n");
  });
  const first = await play(orderOf({ commands: tested }), workspace, agent);
  expect(first.result).toEqual({ kind: "question", question: "Euros or dollars?" });
  expect(subjects()).toEqual(["fix: wrong total (#12)"]);
  const answers = [{ question: "Euros or dollars?", answer: "Euros." }];
  const second = await play(orderOf({ commands: tested, answers }), workspace, agent, { earlier: first.facts });
  expect(second.result.kind).toBe("done");
  expect(subjects()).toHaveLength(2);
});

test("a question or a note that is a link to somewhere else is not followed", async () => {
  const { workspace } = await advanceIssue();
  await writeFile(join(stage.folder, "secret"), "the database's password");
  const agent = actor(async ({ request, write }) => {
    await write("total.txt", "4\n");
    await symlink(join(stage.folder, "secret"), join(request.directory, ".relay-task/question.md"));
    await symlink(join(stage.folder, "secret"), join(request.directory, ".relay-task/done.md"));
  });
  const { result } = await play(orderOf({ commands: tested }), workspace, agent);
  expect(result).toMatchObject({ kind: "done", summary: "" });
});

test.runIf(TRIES_ALL)("a run ends at its limits of iterations and money", async () => {
  const limits = { iterations: 3, minutes: 10, iterationMinutes: 5, checkMinutes: 5, usd: null, tokens: null };
  const endless = actor(async ({ run, write }) => await write("total.txt", `${"I".repeat(run)}\n`));
  const one = await play(orderOf({ commands: tested }), (await advanceIssue()).workspace, endless, { limits });
  expect(one.result).toMatchObject({ kind: "limit", limit: "iterations", checks: [{}, { outcome: "failed" }] });
  expect(endless.tasks).toHaveLength(3);

  const costly = actor(async ({ run, write }) => {
    await write("total.txt", `${"I".repeat(run)}\n`);
    return { usd: 0.6 };
  });
  const two = await play(orderOf({ commands: tested }), (await advanceIssue()).workspace, costly, {
    limits: { ...limits, usd: 1 },
  });
  expect(two.result).toMatchObject({ kind: "limit", limit: "money" });
  expect(costly.tasks).toHaveLength(2);
});

test.runIf(TRIES_ALL)(
  "a run ends when its minutes are over, and gives its agent no more time than is left",
  async () => {
    let now = 0;
    const given: number[] = [];
    const agent = actor(async ({ request, run, write }) => {
      given.push(request.timeoutMs);
      now += 4 * 60_000;
      await write("total.txt", `${"I".repeat(run)}\n`);
    });
    const { result } = await play(orderOf({ commands: tested }), (await advanceIssue()).workspace, agent, {
      clock: { now: () => new Date(now) },
      limits: { iterations: 9, minutes: 6, iterationMinutes: 5, checkMinutes: 5, usd: null, tokens: null },
    });
    expect(result).toMatchObject({
      kind: "limit",
      limit: "minutes",
      checks: [{ outcome: "passed" }, { outcome: "failed" }],
      isClean: true,
    });
    expect(given).toEqual([5 * 60_000, 2 * 60_000]);
  },
);

test("an agent that never ends is cut off; what it did counts once nothing more comes", async () => {
  const { workspace } = await advanceIssue();
  const agent = actor(async ({ write }) => {
    await write("total.txt", "4\n");
    return { ending: { kind: "timeout" } };
  });
  const { result } = await play(orderOf({ commands: tested }), workspace, agent);
  expect(result.kind).toBe("done");
  expect(agent.tasks).toHaveLength(2);
});

test("an agent that fails after the work was done has done it; one that can never work ends the run", async () => {
  const failing = actor(async ({ write }) => {
    await write("total.txt", "4\n");
    return { ending: { kind: "failed", detail: "the connection broke", usable: true } };
  });
  const one = await play(orderOf({ commands: tested }), (await advanceIssue()).workspace, failing);
  expect(one.result.kind).toBe("done");

  const keyless = actor(async () => {
    await Promise.resolve();
    return { ending: { kind: "failed", detail: "the key was refused", usable: false } };
  });
  const two = await play(orderOf({ commands: tested }), (await advanceIssue()).workspace, keyless);
  expect(two.result).toEqual({ kind: "unusable", detail: "the key was refused" });

  const missing = actor(async () => {
    await Promise.resolve();
    throw new RelayError("config", "cannot run claude: install it");
  });
  const three = await play(orderOf(), (await advanceIssue()).workspace, missing);
  expect(three.result).toEqual({ kind: "unusable", detail: "cannot run claude: install it" });
});

test("a crash loses no iteration: the run goes on with the next one", async () => {
  const { workspace, again } = await advanceIssue();
  const agent = actor(async ({ run, write }) => await write("total.txt", run === 1 ? "3\n" : "4\n"));
  const stored: IterationFacts[] = [];
  const crashed = play(orderOf({ commands: tested }), workspace, agent, {
    onIteration: async (facts) => {
      stored.push(facts);
      await Promise.resolve();
      if (facts.number === 1) throw new RelayError("unavailable", "the database is gone");
    },
  });
  await expect(crashed).rejects.toMatchObject({ code: "unavailable" });
  const { result, facts } = await play(orderOf({ commands: tested }), await again(), agent, { earlier: stored });
  expect(result.kind).toBe("done");
  // The first is proven now, since the crash came before that.
  expect(facts.map(({ number }) => number)).toEqual([1, 2]);
  expect(agent.tasks[1]).toContain("expected 4, got 3");
});

test("a run that was done when a crash came is done without another agent", async () => {
  const { workspace } = await advanceIssue();
  const agent = actor(async ({ write }) => await write("total.txt", "4\n"));
  const first = await play(orderOf({ commands: tested }), workspace, agent);
  const second = await play(orderOf({ commands: tested }), workspace, agent, { earlier: first.facts });
  expect(second.result).toEqual(first.result);
  expect(agent.tasks).toHaveLength(1);
});

test("stopped while the agent runs, it commits nothing", async () => {
  const { workspace } = await advanceIssue();
  const stop = new AbortController();
  const agent = actor(async ({ write }) => {
    await write("total.txt", "4\n");
    stop.abort();
  });
  const { result, facts } = await play(orderOf({ commands: tested }), workspace, agent, { signal: stop.signal });
  expect(result).toEqual({ kind: "stopped" });
  expect(facts.map(({ number }) => number)).toEqual([0]);
  expect(await workspace.changes()).toEqual([]);
});

test("stopped while the tests run, it ends them at once", async () => {
  const { workspace } = await advanceIssue();
  const stop = new AbortController();
  const agent = actor(async ({ write }) => await write("total.txt", "4\n"));
  const commands = { setup: [], checks: [], tests: ["grep -q 5 total.txt || { touch ../begun; sleep 600; }"] };
  const run = play(orderOf({ reason: "checks", commands }), workspace, agent, { signal: stop.signal });
  await expect.poll(() => existsSync(join(workspace.directory, "../clean/begun")), { timeout: 20_000 }).toBe(true);
  stop.abort();
  const { result, facts } = await run;
  expect(result).toEqual({ kind: "stopped" });
  // The next process proves it.
  expect(facts.map(({ number, proof }) => [number, proof])).toEqual([
    [0, undefined],
    [1, undefined],
  ]);
});

test("set-up runs once, leaves nothing in the commits, and ends the run where it fails twice", async () => {
  const { workspace } = await advanceIssue();
  const agent = actor(async ({ write }) => await write("total.txt", "4\n"));
  const setup = ["echo changed > other.txt; echo x >> ../setups"];
  const { result } = await play(orderOf({ commands: { ...tested, setup } }), workspace, agent);
  expect(result.kind).toBe("done");
  expect((await workspace.changes()).map(({ path }) => path)).toEqual(["total.txt"]);

  const failing = orderOf({ commands: { ...tested, setup: ["echo 'registry is away'; exit 1"] } });
  const refused = await play(failing, (await advanceIssue()).workspace, agent);
  expect(refused.result).toMatchObject({
    kind: "setup failed",
    check: { output: expect.stringContaining("registry is away") },
  });
});

test("a follow-up does what people ask for, or says why not; silence is nothing", async () => {
  const changeRequests = [{ from: "ann", path: "total.txt", line: 1, text: "Make it a word, please" }];
  const order = orderOf({ reason: "review", changeRequests, commands: { ...tested, tests: [] } });
  const doing = actor(async ({ write }) => await write("total.txt", "four\n"));
  expect((await play(order, (await advanceIssue()).workspace, doing)).result.kind).toBe("done");
  expect(doing.tasks[0]).toContain("Make it a word, please");

  const declining = actor(async ({ write }) => await write(".relay-task/done.md", "It is a number everywhere."));
  const declined = await play(order, (await advanceIssue()).workspace, declining);
  expect(declined.result).toMatchObject({ kind: "done", summary: "It is a number everywhere." });

  const silent = actor(async () => await Promise.resolve());
  expect((await play(order, (await advanceIssue()).workspace, silent)).result.kind).toBe("no progress");
});

test("the tests of a change run once more without the rest of it, so that it is known which of them show it (R-WORK-7)", async () => {
  const node = workspaceStage({
    "src/total.js": "module.exports = () => 5;\n",
    "test/total.test.js": 'const test = require("node:test");\ntest("old", () => {});\n',
  });
  try {
    const { workspace } = await openRun(node);
    const tests = [
      'const test = require("node:test");\nconst assert = require("node:assert");\nconst total = require("../src/total.js");',
      'test("old", () => {});\ntest("is four", () => assert.equal(total(), 4));\ntest("is a number", () => assert.ok(total()));\n',
    ];
    const agent = actor(async ({ write }) => {
      await write("src/total.js", "module.exports = () => 4;\n");
      await write("src/added.js", "module.exports = 1;\n");
      await write("test/total.test.js", tests.join("\n"));
      await write(".relay-task/done.md", "Done.");
    });
    const commands = { setup: [], checks: [], tests: ["node --test"] };
    const { result, log } = await play(orderOf({ commands, plan: planOf(["src/total.js"]) }), workspace, agent);
    expect(result).toMatchObject({
      kind: "done",
      checks: [{ tests: { total: 3, failed: 0, red: [] } }],
      before: [{ tests: { total: 1, failed: 0, red: [] } }],
      proving: ["test/total.test.js > is four"],
    });
    expect(log.map(({ text }) => text)).toContain("Running the tests without the change that they are for");
    // The tree is as the commit again.
    expect(existsSync(join(workspace.directory, "src/added.js"))).toBe(true);
    expect(
      (await workspace.validate({ blocked: [], allowed: [], reviewed: [], deletedByPlan: [], secrets: [] })).changed,
    ).toEqual([]);
  } finally {
    node.close();
  }
});
