// What intake costs: `npm run bench:intake`. Ratios against bare commits and a plain server in the same run.
import { silentLog } from "../src/lib/log.ts";
import { openQueue } from "../src/storage/queue/pg-boss.ts";
import { measureAcks } from "./intake/acks.ts";
import { measureDrain, measurePickUp, measureReaction } from "./intake/drain.ts";
import { measureWeb } from "./intake/web.ts";
import { openStage } from "./intake/server.ts";
import { rounded, tell, timeBeside } from "./figures.ts";

for (const tracked of [100, 100_000]) {
  const stage = await openStage(tracked);
  const queue = await openQueue(stage.connection, { works: false, log: silentLog });
  const among = `${tracked.toLocaleString("en")} issues`;
  for (const rate of await measureAcks(stage.db, stage.connection, queue)) {
    for (const [what, perSecond] of [
      ["deliveries stored, with jobs", rate.acksPerSecond],
      ["deliveries stored, nothing to Relay", rate.leftAsidePerSecond],
    ] as const) {
      tell({
        what: `${what}, ${rate.concurrency} at a time, ${among}`,
        value: `${rounded(perSecond)} a second`,
        number: perSecond / rate.barePerSecond,
        anchor: "bare commits",
        aim: { least: rate.concurrency === 1 ? 0.5 : 0.9 },
      });
    }
  }
  const { plain, relay } = await measureWeb(stage.db, queue);
  for (const part of ["p50", "p99"] as const) {
    const bare = { name: "a server that stores nothing", ms: plain[part] };
    tell(timeBeside(`acknowledged over HTTP, ${part} of 16 callers, ${among}`, relay[part], bare));
  }
  for (const [what, ms] of [
    ["worked off", await measurePickUp(stage.db, stage.connection, queue)],
    ["reacted to", await measureReaction(stage.db, stage.connection, queue)],
  ] as const) {
    tell({ what: `acknowledged until ${what}, ${among}`, value: `${rounded(ms)} ms`, number: ms });
  }
  const drained = await measureDrain(stage.db, stage.connection, queue);
  const [one, ...more] = drained;
  for (const { processes, perSecond } of more) {
    tell({
      what: `worked off by ${processes} processes, ${among}`,
      value: `${rounded(perSecond)} a second`,
      number: perSecond / (one?.perSecond ?? Number.NaN),
      anchor: "one process",
    });
  }
  await queue.stop();
  await stage.close();
}
