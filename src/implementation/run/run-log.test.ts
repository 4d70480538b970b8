import { expect, test } from "vitest";
import type { RunLogEntry } from "../../domain/work.ts";
import { RelayError } from "../../lib/errors.ts";
import { silentLog } from "../../lib/log.ts";
import { createRunLog } from "./run-log.ts";

const clock = { now: () => new Date(0) };
const TOKEN = `ghp_${"a1B2".repeat(10)}`;

function kept(options: { after?: number; most?: { entries: number; characters: number } } = {}) {
  const entries: RunLogEntry[] = [];
  const sink = async (batch: readonly RunLogEntry[]) => {
    entries.push(...batch);
    await Promise.resolve();
  };
  return { entries, log: createRunLog({ clock, sink, log: silentLog, ...options }) };
}

test("what a run says is kept in order, numbered without holes, by iteration", async () => {
  const { entries, log } = kept();
  log.add("step", "npm ci");
  log.begin(1);
  log.add("said", "I look first.\nThen I act.");
  await log.close();
  expect(entries).toEqual([
    { seq: 1, at: new Date(0), iteration: 0, kind: "step", text: "npm ci" },
    { seq: 2, at: new Date(0), iteration: 1, kind: "said", text: "I look first.\nThen I act." },
  ]);
});

test("after a crash the numbers go on", async () => {
  const { entries, log } = kept({ after: 41 });
  log.add("step", "again");
  await log.close();
  expect(entries.map(({ seq }) => seq)).toEqual([42]);
});

test("a secret is not kept, in whatever pieces it comes", async () => {
  const { entries, log } = kept();
  for (const piece of ["token: ", ...Array.from(TOKEN), "\nnext", "\n"]) log.add("output", piece);
  log.add("said", `I found ${TOKEN}`);
  const key = [
    "-----BEGIN RSA PRIVATE KEY-----",
    "MIIEpAIBAAKCAQEA",
    "c2VjcmV0",
    "-----END RSA PRIVATE KEY-----",
    "after",
  ];
  for (const line of key) log.add("output", `${line}\n`);
  await log.close();
  expect(entries.map(({ text }) => text)).toEqual([
    "token: [secret removed]",
    "next",
    "I found [secret removed]",
    "[secret removed]",
    "after",
  ]);
});

test("control characters, colours and overwritten progress are not kept", async () => {
  const { entries, log } = kept();
  log.add("output", "\u001b[31mred\u001b[0m\u0007\n10 %\r50 %\r100 %\r\n\u202eevil\n");
  await log.close();
  expect(entries.map(({ text }) => text)).toEqual(["red\n100 %\nevil"]);
});

test("a run that talks without end fills its log, and the log says so, once", async () => {
  const { entries, log } = kept({ most: { entries: 10, characters: 1_000_000 } });
  for (let n = 0; n < 100; n += 1) log.add("said", `line ${n}`);
  await log.close();
  expect(entries).toHaveLength(10);
  expect(entries.at(-1)).toMatchObject({ seq: 10, kind: "problem", text: expect.stringContaining("full") });
});

test("a flood without a line end takes no memory and one entry", async () => {
  const { entries, log } = kept();
  for (let n = 0; n < 2_000; n += 1) log.add("output", "x".repeat(1_000));
  log.add("output", "\n");
  await log.close();
  expect(entries).toHaveLength(1);
  expect(entries[0]?.text.length).toBeLessThan(2_100);
});

test("what could not be stored is tried again, in order", async () => {
  const entries: RunLogEntry[] = [];
  let calls = 0;
  const sink = async (batch: readonly RunLogEntry[]) => {
    await Promise.resolve();
    calls += 1;
    if (calls === 1) throw new RelayError("unavailable", "the database is away");
    entries.push(...batch);
  };
  const log = createRunLog({ clock, sink, log: silentLog });
  log.add("step", "one");
  await expect.poll(() => calls).toBe(1);
  log.add("step", "two");
  await log.close();
  expect(entries.map(({ seq, text }) => [seq, text])).toEqual([
    [1, "one"],
    [2, "two"],
  ]);
});
