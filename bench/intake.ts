// What intake costs: `npm run bench:intake`. Ratios against bare commits and a plain server in the same run.
import { silentLog } from "../src/lib/log.ts";
import { openQueue } from "../src/storage/queue/pg-boss.ts";
import { measureAcks } from "./intake/acks.ts";
import { measureDrain, measurePickUp, measureReaction } from "./intake/drain.ts";
import { measureWeb } from "./intake/web.ts";
import { openStage } from "./intake/server.ts";

const write = (line: string) => void process.stdout.write(`${line}\n`);
const n = (value: number, digits = 0) => value.toFixed(digits).padStart(9);

for (const tracked of [100, 100_000]) {
  const stage = await openStage(tracked);
  const queue = await openQueue(stage.connection, { works: false, log: silentLog });
  write(`\n${tracked} tracked issues`);
  write(`  concurrency  bare commits/s      acks/s       ratio`);
  for (const { concurrency, barePerSecond, acksPerSecond } of await measureAcks(stage.db, stage.connection, queue)) {
    const ratio = n(acksPerSecond / barePerSecond, 2);
    write(`  ${n(concurrency)}       ${n(barePerSecond)}   ${n(acksPerSecond)}   ${ratio}`);
  }
  write(`  HTTP, 16 callers   p50 ms     p99 ms      per s`);
  const { plain, relay } = await measureWeb(stage.db, queue);
  for (const [what, { p50, p99, perSecond }] of [
    ["plain server", plain],
    ["Relay", relay],
  ] as const) {
    write(`  ${what.padEnd(14)} ${n(p50, 1)}  ${n(p99, 1)}  ${n(perSecond)}`);
  }
  const ratios = [relay.p50 / plain.p50, relay.p99 / plain.p99, relay.perSecond / plain.perSecond];
  write(`  ${"ratio".padEnd(14)} ${ratios.map((ratio) => n(ratio, 2)).join("  ")}`);
  const pickUp = await measurePickUp(stage.db, stage.connection, queue);
  write(`  acknowledged until worked off, one idle worker: ${pickUp.toFixed(1)} ms`);
  const reacted = await measureReaction(stage.db, stage.connection, queue);
  write(`  acknowledged until reacted to, p50 with one idle worker: ${reacted.toFixed(1)} ms`);
  const drained = await measureDrain(stage.db, stage.connection, queue);
  const one = drained[0]?.perSecond ?? Number.NaN;
  for (const { processes, perSecond } of drained) {
    write(`  ${processes} process(es): ${perSecond.toFixed(0)} worked off/s, ${(perSecond / one).toFixed(2)} of one`);
  }
  await queue.stop();
  await stage.close();
}
