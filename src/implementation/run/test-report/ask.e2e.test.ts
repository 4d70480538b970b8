import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HAS_BUBBLEWRAP, bubblewrapStage } from "../../../../test/support/bubblewrap-fixture.ts";
import { systemClock } from "../../../lib/clock.ts";
import { runCheck } from "../checks.ts";
import { askForReports } from "./ask.ts";

// The folder of reports leads out of the sandbox, whatever the tests make of it.
test.skipIf(!HAS_BUBBLEWRAP)(
  "tests in the sandbox report, and a link in place of the report leads nowhere",
  async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "relay-reports-")));
    const [directory, home, secrets] = [join(root, "tree"), join(root, "home"), join(root, "secrets")];
    for (const folder of [directory, home, secrets]) mkdirSync(folder);
    writeFileSync(join(directory, "a.test.js"), 'require("node:test").test("adds", () => {});');
    writeFileSync(join(secrets, "node-1.jsonl"), '{"name":"secret","state":"passed"}\n');
    const { place } = await bubblewrapStage({ writable: [directory, home] });
    const told = async (command: string) => {
      const reports = await askForReports(command, { directory, home }, {});
      const { environment } = reports;
      const deps = { launch: place.launch, directory, clock: systemClock, environment, reports };
      const { tests } = await runCheck({ kind: "test", command, timeoutMs: 60_000 }, deps);
      await reports.close();
      return tests;
    };
    const all = { total: 1, failed: 0, skipped: 0, red: [] };
    expect(await told("node --test")).toEqual({ ...all, ran: ["a.test.js > adds"], by: "report" });
    const folders = `for f in ${home}/test-report-*; do`;
    expect(await told(`node --test; ${folders} rm -r "$f"; ln -s ${secrets} "$f"; done`)).toEqual({
      ...all,
      ran: ["adds"],
    });
    const inner = `node --test; ${folders} rm "$f"/node-*; ln -s ${secrets}/node-1.jsonl "$f/node-1.jsonl"; mkfifo "$f/node-2.jsonl"; done`;
    expect(await told(inner)).toEqual({ ...all, ran: ["adds"] });
    expect(await told(`node --test; chmod 0 ${home}/test-report-*`)).toMatchObject(all);
    expect(readFileSync(join(secrets, "node-1.jsonl"), "utf8")).toContain("secret");
    expect(readdirSync(home).filter((name) => name.startsWith("test-report-"))).toEqual([]);
  },
);
