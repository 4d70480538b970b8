import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ordersIn } from "./kept-orders.ts";

const ANSWER = { text: "", calls: [{ tool: "order_files", input: '{"files":[]}' }] };

function home(): string {
  const folder = mkdtempSync(join(tmpdir(), "relay-orders-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const never = (why: string) => {
  throw new Error(why);
};

test("keeps the 300 newest orders, for their own account alone", async () => {
  const folder = home();
  const kept = ordersIn(folder, never);
  for (let n = 0; n < 300; n += 1) await kept.keep({ promptHash: String(n), model: "a/b" }, ANSWER);
  for (const name of readdirSync(join(folder, "orders"))) utimesSync(join(folder, "orders", name), 1, 1);
  for (let n = 300; n < 302; n += 1) await kept.keep({ promptHash: String(n), model: "a/b" }, ANSWER);
  const names = readdirSync(join(folder, "orders")).filter((name) => name.endsWith(".json"));
  expect(names).toHaveLength(300);
  expect(await kept.find({ promptHash: "301", model: "a/b" })).toEqual(ANSWER);
  expect(await kept.find({ promptHash: "301", model: "a/c" })).toBe(null);
  expect(statSync(join(folder, "orders", names[0] ?? "")).mode & 0o077).toBe(0);
});

test("tells what it cannot write, in one sentence", async () => {
  const folder = home();
  writeFileSync(join(folder, "orders"), "a file");
  const told: string[] = [];
  const kept = ordersIn(folder, (why) => void told.push(why));
  await kept.keep({ promptHash: "1", model: "a/b" }, ANSWER);
  expect(told).toEqual([expect.stringMatching(/^the model's order cannot be kept in [^\n]+ will cost again: [^\n]+$/)]);
  expect(await kept.find({ promptHash: "1", model: "a/b" })).toBe(null);
});
