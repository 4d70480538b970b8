import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Usage } from "./usage.ts";

const rates = z.strictObject({
  input: z.number().min(0),
  cached_read: z.number().min(0).optional(),
  cache_write: z.number().min(0).optional(),
  output: z.number().min(0),
});

const priceTable = z.strictObject({
  about: z.string().optional(),
  models: z.array(
    rates.extend({
      /** `provider/name`; one `*` stands for any rest. */
      model: z.string().min(1).max(200),
      /** Tokens that prompt and answer may take together. */
      context: z.number().int().positive().optional(),
      /** Rates of a call whose prompt is longer than `tokens`. */
      above: rates.extend({ tokens: z.number().int().positive() }).optional(),
    }),
  ),
});

/** US dollars per million tokens, by model; the first matching entry counts. */
export type PriceTable = z.infer<typeof priceTable>;
type ModelEntry = PriceTable["models"][number];

const MILLION = 1_000_000;

const SHIPPED = join(import.meta.dirname, "../../../prices.json");

/** The prices that Relay ships; those of the file given, if any, come before them. Throws `config`, naming the file. */
export function loadPrices(own: string | undefined): PriceTable {
  const shipped = readPrices(SHIPPED);
  return own === undefined ? shipped : { models: [...readPrices(own).models, ...shipped.models] };
}

function readPrices(file: string): PriceTable {
  try {
    return priceTable.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    throw new RelayError("config", `the price table ${file} cannot be used: ${messageOf(cause)}`, { cause });
  }
}

/** The entry for `provider/name`, or null. Dated versions (`-20250929`) are found under the plain name. */
export function entryFor(table: PriceTable, model: string): ModelEntry | null {
  return table.models.find((entry) => fits(entry.model, model)) ?? null;
}

/** US dollars for the tokens of one call; null where the model's price is not known (R-OBS-1). */
export function costOf(table: PriceTable, model: string, usage: Usage): number | null {
  const entry = entryFor(table, model);
  if (entry === null) return null;
  return dollarsOf(entry.above !== undefined && usage.input > entry.above.tokens ? entry.above : entry, usage);
}

/**
 * The same for the tokens of many calls together. The length of each prompt is unknown; their sum is always long, so
 * that the rates of long prompts would nearly always be wrong.
 */
export function costOfMany(table: PriceTable, model: string, usage: Usage): number | null {
  const entry = entryFor(table, model);
  return entry === null ? null : dollarsOf(entry, usage);
}

function dollarsOf(rate: z.infer<typeof rates>, usage: Usage): number {
  const fresh = Math.max(0, usage.input - usage.cachedInput - usage.cacheWrite);
  return (
    (fresh * rate.input +
      usage.cachedInput * (rate.cached_read ?? rate.input) +
      usage.cacheWrite * (rate.cache_write ?? rate.input) +
      usage.output * rate.output) /
    MILLION
  );
}

/** Whether a pattern means a model, `provider/name`, or a dated version of it: one `*` stands for any rest. */
export function fits(pattern: string, model: string): boolean {
  const star = pattern.indexOf("*");
  if (star === -1) return model === pattern || (model.startsWith(`${pattern}-`) && isDate(model.slice(pattern.length)));
  const head = pattern.slice(0, star);
  const tail = pattern.slice(star + 1);
  return model.length >= head.length + tail.length && model.startsWith(head) && model.endsWith(tail);
}

function isDate(suffix: string): boolean {
  return /^-\d{4}-?\d{2}-?\d{2}$/.test(suffix);
}
