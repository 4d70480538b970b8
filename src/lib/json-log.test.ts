import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { jsonLog } from "./json-log.ts";

test("a line of the log is one JSON document, and what strangers send does not make it long", () => {
  const folder = mkdtempSync(join(tmpdir(), "relay-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "log");
  const fd = openSync(file, "w");
  const name = "a".repeat(100_000);
  jsonLog("info", fd).warn({ repository: name, events: [{ name }], at: new Date(0), n: 1 }, "seen\n");
  closeSync(fd);
  const text = readFileSync(file, "utf8");
  expect(text.length).toBeLessThan(5_000);
  const { repository, events, ...rest } = JSON.parse(text);
  expect(repository).toBe(`${"a".repeat(1_999)}…`);
  expect(events).toEqual([{ name: repository }]);
  expect(rest).toMatchObject({ level: 40, at: "1970-01-01T00:00:00.000Z", n: 1, msg: "seen\n" });
});
