import { z } from "zod";
import { sleep } from "../../src/lib/clock.ts";
import type { Connecting } from "../../src/storage/db.ts";
import { faultOf } from "../../test/mock-github/http/faults.ts";
import { median } from "../figures.ts";
import { type Cost, anchor } from "./costs.ts";
import { type Serving, comment, countWaiting, quiet, serve, tellComment, usageOf, workedOff } from "./processes.ts";
import { type Stage, openStage } from "./stage.ts";

const SIZE = { name: "processes", repositories: 10, issues: 1_000 };
const ROUNDS = 2;
/** Milliseconds that the tracker takes for an answer: on loopback alone, only the machine's cores would be measured. */
const TRACKER_MS = 200;
const DELIVERIES = 100;
const STORED = 3_000;
const CALLERS = 32;
/** Milliseconds after which what is worked off of them is counted, however much waits. */
const PATIENCE_MS = 15_000;

/**
 * How many deliveries a second are worked off by one and by two processes, where each needs requests to the tracker and
 * work waits for all; and how many are taken in that need no work.
 */
export async function measureProcesses(server: Connecting): Promise<Cost[]> {
  const stage = await openStage(SIZE, server);
  const running: Serving[] = [];
  try {
    const web = await serve(stage, "web");
    running.push(web);
    for (const role of ["planner", "planner"]) running.push(await serve(stage, role));
    const [, one, two] = running;
    if (one === undefined || two === undefined) throw new Error("two processes were started");
    await quiet(stage);
    stage.mock.world.faults = [faultOf({ trouble: { kind: "slow", ms: TRACKER_MS } })];
    const alone: number[] = [];
    const together: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push(await drain(stage, web, { works: [one], rests: [two] }));
      together.push(await drain(stage, web, { works: [one, two], rests: [] }));
    }
    const ratios = together.map((value, n) => value / (alone[n] ?? Number.NaN));
    const stored = await storeOnly(stage, web);
    return [
      rate("one process: worked off a second", median(alone)),
      rate("two processes: worked off a second", median(together)),
      rate("two processes against one, by round, median", median(ratios)),
      rate("deliveries that need no work: acknowledged a second", stored.acknowledged),
      rate("deliveries that need no work: worked off a second", stored.workedOff),
      rate("deliveries that need no work: acknowledged for each second that serve computes", stored.perCpuSecond),
      { what: "anchor", kind: "ms", unit: "ms", value: await anchor(stage.db) },
    ];
  } finally {
    for (const one of running) await one.stop();
    await stage.close();
  }
}

function rate(what: string, value: number): Cost {
  return { what, kind: "other", unit: "", value };
}

/** Deliveries a second, from when all wait until none does. */
async function drain(
  stage: Stage,
  web: Serving,
  { works, rests }: Record<"works" | "rests", Serving[]>,
): Promise<number> {
  const issues = await stage.db.query(
    z.object({ project: z.string(), number: z.number() }),
    `select r.external_project_id as project, s.external_issue_id::int as number from issues s
     join repositories r on r.id = s.repository_id where s.state in ('clarifying', 'awaiting_proceed') limit 100`,
    [],
  );
  const all = [...works, ...rests];
  for (const one of all) one.halt();
  const told = Array.from({ length: DELIVERIES }, async (_, n) => {
    const issue = issues[n % issues.length];
    if (issue !== undefined) await comment(web, stage, { ...issue, body: `The order ${n} had three lines.` });
  });
  await Promise.all(told);
  await stage.db.execute("analyze pgboss.job", []);
  const start = performance.now();
  for (const one of works) one.goOn();
  await workedOff(stage, 20);
  const perSecond = (1_000 * DELIVERIES) / (performance.now() - start);
  for (const one of all) one.goOn();
  await quiet(stage);
  return perSecond;
}

interface Stored {
  acknowledged: number;
  workedOff: number;
  perCpuSecond: number;
}

/** Comments in issues that Relay is not engaged in. */
async function storeOnly(stage: Stage, web: Serving): Promise<Stored> {
  const start = performance.now();
  const computed = usageOf(web.pid).cpuSeconds;
  let sent = 0;
  const caller = async () => {
    while (sent < STORED) {
      sent += 1;
      const number = 500_000 + (sent % 500);
      await tellComment(web, stage, {
        project: "acme/many-1",
        number,
        id: 9_000_000 + sent,
        body: "I see it as well.",
      });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const acknowledged = (1_000 * STORED) / (performance.now() - start);
  const perCpuSecond = STORED / (usageOf(web.pid).cpuSeconds - computed);
  let left = await countWaiting(stage);
  for (
    const end = performance.now() + PATIENCE_MS;
    left > 0 && performance.now() < end;
    left = await countWaiting(stage)
  ) {
    await sleep(20);
  }
  return { acknowledged, workedOff: (1_000 * (STORED - left)) / (performance.now() - start), perCpuSecond };
}
