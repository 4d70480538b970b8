// How long readers of foreign text take, and whether their time grows with its length and no faster (R-SAFE-9):
// `npm run bench:readers -- [EXPRESSION FOR READERS' NAMES]`. Fails beyond the bounds.
import { READER_TEXTS } from "../test/cases/reader-texts.ts";
import { type Reader, readers } from "../test/support/readers.ts";
import { tell } from "./figures.ts";

const KIB = 1_024;
const SIZES = [64 * KIB, 128 * KIB, 256 * KIB] as const;
const MOST_MS = 250;
/** Twice the text may take twice the time, and what the garbage collector and a busy machine add. */
const MOST_RATIO = 2.6;
/** What is faster has no growth that can be told from noise. */
const NOISE_MS = 20;
const TRIES = 3;
/** After that, no longer text of the kind is tried. */
const HOPELESS_MS = 1_500;

let runs = 0;

/** Milliseconds on the core; the text begins otherwise each time, as some readers remember texts. */
async function timeOf({ read }: Reader, text: string): Promise<number> {
  runs += 1;
  const own = `${runs} ${text}`;
  const started = process.threadCpuUsage();
  try {
    await read(own);
  } catch {
    // Nonsense may be refused.
  }
  const { user, system } = process.threadCpuUsage(started);
  return (user + system) / 1_000;
}

/** How often the time of a size is of the size before, at most; 0 where it is too short to tell. */
function growth(times: readonly number[]): number {
  const ratios = times.map((ms, at) =>
    at === 0 || ms <= NOISE_MS ? 0 : ms / Math.max(times[at - 1] ?? 0, NOISE_MS / 2),
  );
  return Math.max(...ratios);
}

const isSlow = ([small = 0]: readonly number[]) => small > MOST_MS;
const isSteep = (times: readonly number[]) => growth(times) > MOST_RATIO;

/** The times at each size: the least of a few runs where one of them is beyond the bounds. */
async function timesOf(reader: Reader, make: (size: number) => string): Promise<number[]> {
  let times: number[] = [];
  for (let tries = 0; tries < TRIES && (tries === 0 || isSlow(times) || isSteep(times)); tries += 1) {
    const again: number[] = [];
    for (const size of SIZES) {
      if ((again.at(-1) ?? 0) >= HOPELESS_MS) break;
      again.push(Math.min(await timeOf(reader, make(size)), times[again.length] ?? Number.POSITIVE_INFINITY));
    }
    times = again;
  }
  return times;
}

const wanted = new RegExp(process.argv[2] ?? "");
const all = (await readers()).filter(({ name }) => wanted.test(name));
const kinds = Object.entries(READER_TEXTS);
let [slow, steep] = [0, 0];
console.log(`${all.length} readers, ${kinds.length} kinds of text; ms at 64, 128 and 256 KiB for the slowest kind\n`);
console.log("| reader | slowest kind | 64 | 128 | 256 | steepest |\n|---|---|---|---|---|---|");
for (const reader of all) {
  let worst = { kind: "", times: [0, 0, 0] };
  let steepest = { kind: "", ratio: 0 };
  for (const [kind, make] of kinds) {
    const times = await timesOf(reader, make);
    if ((times[0] ?? 0) > (worst.times[0] ?? 0)) worst = { kind, times };
    const ratio = growth(times);
    if (ratio > steepest.ratio) steepest = { kind, ratio };
    if (isSlow(times)) slow += 1;
    if (isSteep(times)) steep += 1;
    if (isSlow(times) || isSteep(times))
      console.log(`  ${reader.name}: ${kind}: ${times.map((ms) => ms.toFixed(0)).join(", ")} ms`);
  }
  const cells = worst.times.map((ms) => ms.toFixed(0));
  const steepestKind = steepest.ratio === 0 ? "" : `${steepest.ratio.toFixed(1)} ${steepest.kind}`;
  if ((worst.times[2] ?? 0) > NOISE_MS || steepest.ratio > 0)
    console.log(`| ${reader.name} | ${worst.kind} | ${cells.join(" | ")} | ${steepestKind} |`);
}
const pairs = `of ${all.length * kinds.length} pairs of reader and text`;
tell({ what: `above ${MOST_MS} ms at 64 KiB, ${pairs}`, value: String(slow), number: slow, aim: { most: 0 } });
tell({ what: `growing faster than the text, ${pairs}`, value: String(steep), number: steep, aim: { most: 0 } });
if (slow > 0 || steep > 0) process.exitCode = 1;
