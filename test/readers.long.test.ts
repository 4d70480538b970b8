import { expect, test } from "vitest";
import { READER_TEXTS } from "./cases/reader-texts.ts";
import { some } from "./support/tries.ts";
import { type Reader, wholeReaders } from "./support/readers.ts";

/*
 * What reads whole texts by others takes time in proportion to their length (R-SAFE-9): four times the text takes not
 * much more than four times the time on the core, which a busy machine does not change. `npm run bench:readers` measures these and all others.
 */

const SIZES = { short: 2_048, long: 8_192 };
/** Milliseconds on the core below which growth cannot be told from noise. */
const NOISE = 20;
const MOST_GROWTH = 8;
const TRIES = 6;

let runs = 0;

/** Milliseconds on the core. */
async function timeOf({ read }: Reader, text: string): Promise<number> {
  runs += 1;
  const own = `${runs} ${text}`;
  const before = process.threadCpuUsage();
  await Promise.resolve()
    .then(async () => await read(own))
    .catch(() => "nonsense may be refused");
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

async function growsFaster(reader: Reader, make: (size: number) => string): Promise<boolean> {
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < TRIES; tries += 1) {
    long = Math.min(long, await timeOf(reader, make(SIZES.long)));
    if (long < NOISE) return false;
    short = Math.min(short, await timeOf(reader, make(SIZES.short)));
    if (long < MOST_GROWTH * Math.max(short, NOISE / 8)) return false;
  }
  return true;
}

test("readers of foreign text take time in proportion to its length", async () => {
  const all = wholeReaders();
  expect(all.length).toBeGreaterThan(30);
  const steep: string[] = [];
  for (const reader of all)
    for (const [kind, make] of some(Object.entries(READER_TEXTS)))
      if (await growsFaster(reader, make)) steep.push(`${reader.name}: ${kind}`);
  expect(steep).toEqual([]);
}, 300_000);
