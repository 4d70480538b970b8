import { spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  OPEN,
  PLAIN_PATH,
  type Act,
  actor,
  launchPlainly,
  openRun,
  orderOf,
  planOf,
  play,
} from "../../../test/support/run-fixture.ts";
import { workspaceStage, type WorkspaceStage } from "../../../test/support/workspace-fixture.ts";
import { concern } from "../../domain/concern.ts";
import type { IterationFacts } from "../../domain/work.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Workspace } from "./workspace/workspace.ts";

// What a request says of checks and tests holds for the commit (R-WORK-10).

const TOTAL_IS = (wanted: number) =>
  `const total = require("../src/total.js");\nrequire("node:test").test("total", () => require("node:assert").equal(total(), ${wanted}));\n`;
/** Packages are folders of `vendor`; `packages.txt` is the manifest. */
const SETUP = "mkdir -p node_modules dist && for p in $(cat packages.txt); do cp -R vendor/$p node_modules/; done";
const commands = { setup: [SETUP], checks: [], tests: ['PATH="$PWD/node_modules/.bin:$PATH" node --test test/'] };

let stage: WorkspaceStage;
beforeAll(() => {
  stage = workspaceStage({
    ".gitignore": "node_modules\ndist\n*.local.js\n",
    "packages.txt": "tax\n",
    "vendor/tax/index.js": "module.exports = 1;\n",
    "vendor/extra/index.js": "module.exports = 2;\n",
    "src/total.js": 'module.exports = () => 3 + require("tax");\n',
    "test/total.test.js": TOTAL_IS(4),
  });
});
afterAll(() => stage.close());

const order = orderOf({ commands, plan: planOf(["src/total.js"]) });
const five = async ({ write }: Act) => {
  await write("src/total.js", 'module.exports = () => 4 + require("tax");\n');
  await write("test/total.test.js", TOTAL_IS(5));
};

const EXPECTS_FIVE = concern("expectation changed", {
  path: "test/total.test.js",
  names: [`total: require("node:assert").equal(total(), 4) → require("node:assert").equal(total(), 5)`],
});

test("an honest change is proven on a clean checkout, after its own set-up, once", async () => {
  const { workspace, subjects } = await openRun(stage);
  const { result, facts, log } = await play(order, workspace, actor(five));
  expect(result).toMatchObject({
    kind: "done",
    checks: [{ outcome: "passed" }],
    proving: ["test/total.test.js > total"],
  });
  expect(facts).toMatchObject([
    { number: 0 },
    { number: 1, proof: { commit: workspace.head(), proving: ["test/total.test.js > total"] } },
  ]);
  expect(subjects()).toHaveLength(1);
  const started = log.filter(({ text }) => text.startsWith("passed: PATH="));
  expect(started).toHaveLength(2);
});

test("a test that fails without the change, and is not seen to pass with it, proves nothing (R-WORK-7)", async () => {
  const { workspace } = await openRun(stage);
  const agent = actor(async (act) => {
    await five(act);
    await act.write("src/total.js", "if (process.argv[1].includes('total.test')) process.exit(0);\n");
  });
  const { result } = await play(order, workspace, agent);
  expect(result).toMatchObject({ kind: "done", proving: [] });
});

test("where no test fails without the change, a fix is a draft, and other changes say so (R-WORK-12)", async () => {
  const four = async ({ write }: Act) => {
    await write("src/total.js", 'module.exports = () => 2 + require("tax") + 1;\n');
    await write("test/total.test.js", `${TOTAL_IS(4)}require("node:test").test("still four", () => {});\n`);
  };
  const kinds = async (isFix: boolean) => {
    const { workspace } = await openRun(stage);
    const { result } = await play({ ...order, isFix }, workspace, actor(four));
    return "concerns" in result ? result.concerns.map(({ kind }) => kind) : result.kind;
  };
  expect(await kinds(true)).toEqual(["fix unproven"]);
  expect(await kinds(false)).toEqual(["unproven"]);
});

test("a runner's settings that the change brings are there without the change too, so that they prove nothing", async () => {
  const { workspace } = await openRun(stage);
  const command = "sh vitest.config.sh 2>/dev/null || node --test test/";
  const agent = actor(async (act) => {
    await act.write("test/total.test.js", TOTAL_IS(5));
    await act.write("src/total.js", 'module.exports = () => 1 + 2 + require("tax");\n');
    await act.write("vitest.config.sh", "printf '✔ total (1ms)\\nℹ tests 1\\nℹ pass 1\\n'\n");
  });
  const { result } = await play({ ...order, commands: { ...commands, tests: [command] } }, workspace, agent);
  expect(result).toMatchObject({ kind: "done", proving: [] });
  expect("concerns" in result ? result.concerns.map(({ kind }) => kind) : []).toContain("fix unproven");
});

test.each([
  {
    name: "a program that shadows node",
    does: async ({ request, write }: Act) => {
      await write("src/total.js", "module.exports = () => 0;\n");
      await write("node_modules/.bin/node", "#!/bin/sh\nexit 0\n");
      await chmod(join(request.directory, "node_modules/.bin/node"), 0o755);
    },
    shown: "total",
  },
  {
    name: "a package that no manifest names",
    does: async ({ write }: Act) => {
      await write("src/total.js", 'module.exports = () => 2 + require("extra");\n');
      await write("node_modules/extra/index.js", "module.exports = 2;\n");
    },
    shown: "Cannot find module 'extra'",
  },
  {
    name: "a needed file that .gitignore hides",
    does: async ({ write }: Act) => {
      await write("src/total.js", 'module.exports = require("./rates.local.js");\n');
      await write("src/rates.local.js", "module.exports = () => 4;\n");
    },
    shown: "Cannot find module './rates.local.js'",
  },
  {
    name: "build output of other sources",
    does: async ({ write }: Act) => {
      await write("src/total.js", 'module.exports = require("../dist/total.js");\n');
      await write("dist/total.js", "module.exports = () => 4;\n");
    },
    shown: "Cannot find module '../dist/total.js'",
  },
])("$name makes nothing pass, and is told to the next agent", async ({ does, shown }) => {
  const { workspace } = await openRun(stage);
  const agent = actor(does);
  const { result } = await play(order, workspace, agent);
  expect(result).toMatchObject({ kind: "no progress", isClean: true, checks: [{ kind: "test", outcome: "failed" }] });
  expect(agent.tasks[1]).toContain("A clean checkout of the commit fails");
  expect(agent.tasks[1]).toContain(shown);
});

test("an agent that is told mends it: the package gets into the manifest", async () => {
  const { workspace, subjects } = await openRun(stage);
  const agent = actor(async ({ run, write }) => {
    await write("src/total.js", 'module.exports = () => 2 + require("extra");\n');
    await write("node_modules/extra/index.js", "module.exports = 2;\n");
    if (run > 1) await write("packages.txt", "tax\nextra\n");
  });
  const { result } = await play(order, workspace, agent);
  expect(result).toMatchObject({ kind: "done", checks: [{ outcome: "passed" }] });
  expect(subjects()).toHaveLength(2);
});

test("old build output of the agent's tree fails no right change", async () => {
  const { workspace } = await openRun(stage);
  const built = orderOf({
    commands: {
      setup: ["mkdir -p dist && cp src/total.js dist/"],
      checks: [],
      tests: ["grep -q '+ 1;' dist/total.js"],
    },
    plan: planOf(["src/total.js"]),
  });
  const agent = actor(async ({ write }) => await write("src/total.js", 'module.exports = () => require("tax") + 1;\n'));
  const { result } = await play(built, workspace, agent);
  expect(result.kind).toBe("done");
  expect(agent.tasks).toHaveLength(1);
});

test("set-up that a change breaks is no pass, and is told like a failed check", async () => {
  const { workspace } = await openRun(stage);
  const agent = actor(async (act) => {
    await five(act);
    await act.write("packages.txt", act.run === 1 ? "tax\nmissing\n" : "tax\n");
  });
  const { result } = await play(order, workspace, agent);
  expect(result.kind).toBe("done");
  expect(agent.tasks[1]).toMatch(/vendor\/missing[^]*No such file|No such file[^]*vendor\/missing/);
});

test("failures that were there before any change are accepted on the clean checkout too", async () => {
  const { workspace } = await openRun(stage);
  const broken = "echo 'error: no such plugin'; exit 2";
  const agent = actor(async (act) => {
    await five(act);
    await act.write(".relay-task/done.md", "The plugin was missing before.");
  });
  const { result } = await play(orderOf({ ...order, commands: { ...commands, checks: [broken] } }), workspace, agent);
  expect(result).toMatchObject({ kind: "done", redBefore: [broken], proving: ["test/total.test.js > total"] });
});

test("home and caches of the agent are in no proof and in no later run; those of the base's set-up are", async () => {
  const placeOf = (tree: Workspace) => ({
    commandLaunch: launchPlainly,
    commandEnvironment: { CACHE: tree.cache, HOMELIKE: tree.home },
    network: OPEN,
    close: async () => await Promise.resolve(),
  });
  const seen = 'ls "$CACHE" "$HOMELIKE" | grep -x planted && exit 1; test -e "$CACHE/downloaded"';
  const cached = orderOf({
    commands: { setup: ['touch "$CACHE/downloaded"'], checks: [], tests: [seen] },
    plan: planOf(["src/total.js"]),
  });
  const agent = actor(async ({ write }) => {
    await write("../cache/planted", "x");
    await write("../home/planted", "x");
    await write("src/total.js", "module.exports = () => 4;\n");
  });
  for (const turn of [1, 2]) {
    const { workspace } = await openRun(stage);
    const places = {
      ...placeOf(workspace),
      openCommands: async (tree: Workspace) => await Promise.resolve(placeOf(tree)),
    };
    const { result, facts } = await play(cached, workspace, agent, places);
    expect([turn, result.kind]).toEqual([turn, "done"]);
    expect(facts).toMatchObject([{ checks: [{ outcome: "passed" }] }, { checks: [{ outcome: "passed" }] }]);
  }
});

test("after a crash in the middle of the proof the same commit is proven, without another agent or commit", async () => {
  const { workspace, again, subjects } = await openRun(stage);
  const agent = actor(five);
  const stored: IterationFacts[] = [];
  const crashed = play(order, workspace, agent, {
    onIteration: async (facts) => {
      stored.push(facts);
      await Promise.resolve();
    },
    onProof: async () => {
      await Promise.resolve();
      throw new RelayError("unavailable", "the database is gone");
    },
  });
  await expect(crashed).rejects.toMatchObject({ code: "unavailable" });
  const { result, facts } = await play(order, await again(), agent, { earlier: stored });
  expect(result).toMatchObject({
    kind: "done",
    checks: [{ outcome: "passed" }],
    proving: ["test/total.test.js > total"],
  });
  expect(facts).toMatchObject([{ number: 1, proof: { commit: workspace.head() } }]);
  expect(agent.tasks).toHaveLength(1);
  expect(subjects()).toHaveLength(1);
});

test("a proof of another commit does not count: the head that a resumed run starts at is proven anew", async () => {
  const { workspace, again } = await openRun(stage);
  const agent = actor(five);
  const first = await play(order, workspace, agent);
  const moved = first.facts.map((one) => ({ ...one, proof: { commit: workspace.base, proving: [] } }));
  const { result, log } = await play(order, await again(), agent, { earlier: moved });
  expect(result).toMatchObject({ kind: "done", proving: ["test/total.test.js > total"] });
  expect(log.map(({ text }) => text)).toContain(`Set-up, checks and tests on a clean checkout of ${workspace.head()}`);
});

test("what a person should look at is stored with the proof, and is the same after a crash (R-WORK-11)", async () => {
  const { workspace, again } = await openRun(stage);
  const agent = actor(async (act) => {
    await five(act);
    await act.write("docs/other.md", "More.\n");
  });
  const { result, facts } = await play(order, workspace, agent);
  const concerns = [concern("not planned", { path: "docs/other.md" }), EXPECTS_FIVE];
  expect(result).toMatchObject({ kind: "done", concerns });
  expect(facts.at(-1)?.concerns).toEqual({ commit: workspace.head(), all: concerns });
  const resumed = await play(order, await again(), actor(five), { earlier: facts });
  expect(resumed).toMatchObject({ result: { kind: "done", concerns }, facts: [] });
  const unstored = facts.map(({ concerns: _none, ...one }) => one);
  const looked = await play(order, await again(), actor(five), { earlier: unstored });
  expect(looked).toMatchObject({
    result: { kind: "done", concerns },
    facts: [{ number: 1, concerns: { all: concerns } }],
  });
  expect(looked.log.filter(({ kind }) => kind === "check")).toEqual([]);
});

test("a change without checks is looked at as well", async () => {
  const { workspace } = await openRun(stage);
  const plain = orderOf({ plan: planOf(["src/total.js"]) });
  const { result, facts } = await play(plain, workspace, actor(five));
  expect(result).toMatchObject({ kind: "done", concerns: [EXPECTS_FIVE] });
  expect(facts.at(-1)).toMatchObject({ number: 1, concerns: { commit: workspace.head(), all: [EXPECTS_FIVE] } });
});

test("the operator's scanner sees a clean checkout before any code of the change ran; a failure is a concern", async () => {
  const { workspace, again } = await openRun(stage);
  // It is red where set-up has run, and where the agent's own files are.
  const command = "test ! -e node_modules && test ! -e src/rates.local.js && ! grep -n '4 +' src/total.js";
  const agent = actor(async (act) => {
    await five(act);
    await act.write("src/rates.local.js", "x\n");
  });
  const { result, facts } = await play(order, workspace, agent, { scanCommand: command });
  const scan = { kind: "scan", command, outcome: "failed", code: 1, output: expect.stringContaining("4 + require") };
  expect(result).toMatchObject({
    kind: "done",
    checks: [{ outcome: "passed" }],
    scan,
    concerns: [{ kind: "scan failed" }, EXPECTS_FIVE],
  });
  const resumed = await play(order, await again(), actor(five), { earlier: facts, scanCommand: command });
  expect(resumed).toMatchObject({ result: { kind: "done", scan }, facts: [] });
  const plain = orderOf({ plan: planOf(["src/total.js"]) });
  const other = await play(plain, (await openRun(stage)).workspace, actor(five), { scanCommand: "true" });
  expect(other.result).toMatchObject({ kind: "done", scan: { outcome: "passed" }, concerns: [EXPECTS_FIVE] });
});

test.skipIf(spawnSync("go", ["version"], { env: { PATH: PLAIN_PATH } }).error !== undefined)(
  "tests of a Go package that does not compile without the change show it; without Go: skipped (R-WORK-7)",
  async () => {
    const cart = "package cart\n\nfunc Total() int { return 3 }\n";
    const files = { "go.mod": "module example.org/shop\n\ngo 1.19\n", "cart/cart.go": cart };
    const tests = (more: string) =>
      `package cart\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) { if Total() != 3 { t.Fatal() } }\n${more}`;
    const shop = workspaceStage({ ...files, "cart/cart_test.go": tests("") });
    const { workspace } = await openRun(shop);
    const agent = actor(async ({ write }) => {
      await write("cart/cart.go", `${cart}\nfunc Count() int { return 1 }\n`);
      await write("cart/cart_test.go", tests("func TestCount(t *testing.T) { if Count() != 1 { t.Fatal() } }\n"));
    });
    const ordered = orderOf({
      commands: { setup: [], checks: [], tests: ["go test ./..."] },
      plan: planOf(["cart/cart.go"]),
    });
    const go = { GOCACHE: join(tmpdir(), "relay-go-cache") };
    const openCommands = async () =>
      await Promise.resolve({
        commandLaunch: launchPlainly,
        commandEnvironment: go,
        network: OPEN,
        close: async () => {},
      });
    const { result } = await play(ordered, workspace, agent, { commandEnvironment: go, openCommands });
    expect(result).toMatchObject({
      kind: "done",
      checks: [{ tests: { total: 2, by: "report" } }],
      proving: ["example.org/shop/cart.TestCount"],
      concerns: [],
    });
    shop.close();
  },
);
