import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type PriceTable, costOf, costOfMany, entryFor, loadPrices } from "./prices.ts";
import { NO_USAGE } from "./usage.ts";

const table: PriceTable = {
  models: [
    { model: "anthropic/fox", input: 3, cached_read: 0.3, cache_write: 3.75, output: 15 },
    { model: "google/owl*", input: 1, output: 8, above: { tokens: 200_000, input: 2, output: 12 } },
    { model: "openai/elk-mini", input: 0.25, output: 2 },
    { model: "openai/elk", input: 1, output: 4 },
    { model: "openai-compatible/*", input: 0, output: 0 },
  ],
};

test("fresh, cached and written prompt tokens have prices of their own", () => {
  const usage = { ...NO_USAGE, input: 1_000_000, cachedInput: 600_000, cacheWrite: 100_000, output: 200_000 };
  expect(costOf(table, "anthropic/fox", usage)).toBeCloseTo(0.3 * 3 + 0.6 * 0.3 + 0.1 * 3.75 + 0.2 * 15, 9);
});

test("without a cache price, cached tokens cost what fresh ones do", () => {
  const usage = { ...NO_USAGE, input: 1_000_000, cachedInput: 600_000 };
  expect(costOf(table, "openai/elk", usage)).toBeCloseTo(1, 9);
});

test("a prompt above the threshold is priced by the higher rates as a whole", () => {
  expect(costOf(table, "google/owl-2", { ...NO_USAGE, input: 200_000, output: 1_000 })).toBeCloseTo(0.208, 9);
  expect(costOf(table, "google/owl-2", { ...NO_USAGE, input: 200_001, output: 0 })).toBeCloseTo(0.400002, 9);
});

test("many short prompts are not priced as a long one", () => {
  const together = { ...NO_USAGE, input: 1_000_000, output: 100_000 };
  expect(costOfMany(table, "google/owl-2", together)).toBeCloseTo(1.8, 9);
  expect(costOfMany(table, "anthropic/foxglove", together)).toBeNull();
});

test("a model that the table does not know has no cost, rather than none to pay", () => {
  expect(costOf(table, "anthropic/foxglove", NO_USAGE)).toBeNull();
  expect(costOf(table, "openai/elk-maxi", NO_USAGE)).toBeNull();
  expect(costOf(table, "openai-compatible/llama3:8b", { ...NO_USAGE, input: 5 })).toBe(0);
});

test("a dated version has the price of its name, another model of the family has not", () => {
  expect(entryFor(table, "openai/elk-2025-08-07")?.model).toBe("openai/elk");
  expect(entryFor(table, "anthropic/fox-20250929")?.model).toBe("anthropic/fox");
  expect(entryFor(table, "openai/elk-mini")?.model).toBe("openai/elk-mini");
});

test("usage that contradicts itself never makes a negative cost", () => {
  expect(costOf(table, "anthropic/fox", { ...NO_USAGE, input: 10, cachedInput: 500 })).toBeGreaterThanOrEqual(0);
});

function own(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "relay-prices-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "own-prices.json");
  writeFileSync(file, text);
  return file;
}

test("prices of one's own come before those that Relay ships, which stay for the rest", () => {
  const prices = loadPrices(own('{"models": [{"model": "anthropic/claude-sonnet-5", "input": 1, "output": 2}]}'));
  expect(entryFor(prices, "anthropic/claude-sonnet-5")?.input).toBe(1);
  expect(entryFor(prices, "anthropic/claude-opus-5")?.input).toBe(5);
});

test("the table that Relay ships is sound", () => {
  const shipped = loadPrices(undefined);
  expect(entryFor(shipped, "anthropic/claude-sonnet-4-5-20250929")).toMatchObject({ input: 3, output: 15 });
  expect(new Set(shipped.models.map((entry) => entry.model)).size).toBe(shipped.models.length);
  for (const entry of shipped.models) expect(entry.cached_read ?? 0).toBeLessThan(entry.input);
});

test.each(["{", '{"models": [{"model": "x/y", "input": -1, "output": 1}]}', '{"prices": []}'])(
  "a table that makes no sense is refused by the name of its file: %s",
  (text) => {
    expect(() => loadPrices(own(text))).toThrow(/own-prices\.json cannot be used/);
  },
);
