import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { filesOf } from "../../src/server/dashboard/issue/diff.ts";
import { appendLog } from "../../src/storage/run-log.ts";
import { latestRun } from "../../src/storage/runs.ts";
import { openDashboard } from "../support/dashboard.ts";
import { planned, say } from "../support/planning-relay.ts";
import { agentOf, openWorking, writes } from "../support/working-relay.ts";

const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(2)>\u202Etxt.exe`;

describe("a run on the page", () => {
  test("tells its checks, its files and the plan's, its log by step, and takes a review of single lines", async () => {
    const life = await openWorking(agentOf(writes("src/cart.ts", `// ${HOSTILE}\nexport const total = () => 0;\n`)));
    const issue = await planned(life);
    await say(life, issue, "mia", "yes");
    await life.worksOn(issue);
    const { get, send, logIn } = await openDashboard(life);
    const session = await logIn();
    const read = async (path: string) => await (await get(path, session)).text();
    const run = await read("/issues/local/shop/1?part=run");
    expect(run).toContain("src/cart.ts");
    expect(run).toContain("?part=changes#file-1");
    expect(run).toMatch(/<summary class="step"|<div class="step"/);
    const changes = await read("/issues/local/shop/1?part=changes");
    expect(changes).toContain("+// &lt;script&gt;");
    expect(changes).not.toMatch(/<script>alert|<img/);
    expect(changes).toContain("✓ planned");
    expect(changes).toContain("Ask for this change");
    const asked = { as: "mia", path: "src/cart.ts", line: "2", text: "Please sum the prices.", do: "changes" };
    const wrong = await send("/issues/local/shop/1/review", { ...asked, line: "0" }, session);
    expect(wrong.status).toBe(400);
    expect((await send("/issues/local/shop/1/review", asked, session)).status).toBe(303);
    await life.settled(issue);
    const again = await read("/issues/local/shop/1?part=changes");
    expect(again).toContain("on line 2");
    expect(again).toContain("Please sum the prices.");
  });

  test("shows the newest lines of a long log, older ones on demand, and what is refused; hostile lines stay text", async () => {
    const life = await openWorking(agentOf(writes("src/cart.ts", "export const total = () => 0;\n")));
    const issue = await planned(life);
    await say(life, issue, "mia", "yes");
    await life.worksOn(issue);
    const run = await latestRun(life.db, (await life.taskOf(issue)).id);
    const id = run?.id ?? "";
    const entries = Array.from({ length: 5_000 }, (_, at) => ({
      seq: 1_000 + at,
      at: new Date(),
      iteration: 1,
      kind: at === 7 ? ("problem" as const) : ("output" as const),
      text: at === 7 ? `not let through to ${HOSTILE}: not listed` : `${HOSTILE} ${at}`,
    }));
    await appendLog(life.db, id, [
      ...entries,
      { seq: 6_000, at: new Date(), iteration: 1, kind: "output", text: "x".repeat(8_000) },
    ]);
    const { get, logIn } = await openDashboard(life);
    const session = await logIn();
    const page = await (await get("/issues/local/shop/1?part=run", session)).text();
    expect(page.match(/id="line-\d+"/g)).toHaveLength(500);
    expect(page.length).toBeLessThan(200_000);
    expect(page).not.toMatch(/<script>alert|<img/);
    expect(page).toContain("not let through to &lt;script&gt;");
    const link = /href="([^"]*before=5501)"/.exec(page)?.[1] ?? "";
    expect(await (await get(link, session)).text()).toContain('id="line-5500"');
    const answer = await get(`/issues/local/shop/1/log?run=${id}&before=5501`, session);
    const { lines } = z.object({ lines: z.array(z.object({ seq: z.number() })) }).parse(await answer.json());
    expect([lines.length, lines[0]?.seq, lines.at(-1)?.seq]).toEqual([500, 5_001, 5_500]);
  });
});

describe("a diff", () => {
  let patch: string;
  beforeEach(() => {
    patch =
      "diff --git a/src/a.ts b/src/a.ts\nindex 1..2 100644\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n";
  });

  test("is read by file: what was added, removed, created and deleted", () => {
    const created = "diff --git a/n.ts b/n.ts\nnew file mode 100644\n--- /dev/null\n+++ b/n.ts\n@@ -0,0 +1 @@\n+n\n";
    const binary = "diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n";
    expect(
      filesOf([patch, created, binary]).map(({ path, change, added, removed }) => [path, change, added, removed]),
    ).toEqual([
      ["src/a.ts", "modified", 1, 1],
      ["n.ts", "added", 1, 0],
      ["i.png", "modified", 0, 0],
    ]);
  });

  test.each([
    ["that was cut", (text: string) => text.slice(0, -4)],
    ["whose header is none", () => "diff --git nothing\n@@ -1 +1 @@ \u0000\n"],
    [
      "of a quoted name",
      () => 'diff --git "a/<b>\\n.ts" "b/<b>\\n.ts"\n--- "a/<b>\\n.ts"\n+++ "b/<b>\\n.ts"\n@@ -1 +1 @@\n-a\n+b\n',
    ],
    ["of nothing", () => ""],
  ])("%s breaks nothing", (_, change) => {
    expect(filesOf([change(patch)])).toHaveLength(1);
  });
});
