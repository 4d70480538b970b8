// How costs grow with issues and repositories: `npm run bench:scale -- [--sizes S,M,L] [--only costs|herd|processes]
// [--herd N] [--json FILE]`. DATABASE_URL names a PostgreSQL in which databases may be made; without it, the embedded one.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type Cost, measureCosts } from "./scale/costs.ts";
import { measureHerd } from "./scale/herd.ts";
import { measureProcesses } from "./scale/throughput.ts";
import { type Size, cleanUp, openServer, openStage } from "./scale/stage.ts";
import { handOn } from "./figures.ts";
import { growthOf, tableOf } from "./scale/table.ts";

const SIZES: Size[] = [
  { name: "S", repositories: 10, issues: 1_000 },
  { name: "M", repositories: 100, issues: 10_000 },
  { name: "L", repositories: 1_000, issues: 100_000 },
];
const PARTS = ["costs", "herd", "processes"];

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "S,M" },
    only: { type: "string", default: PARTS.join(",") },
    herd: { type: "string", default: "1000" },
    json: { type: "string" },
  },
});
const names = values.sizes.split(",");
const parts = values.only.split(",");
const unknown = [
  ...names.filter((one) => !SIZES.some(({ name }) => name === one)),
  ...parts.filter((one) => !PARTS.includes(one)),
];
if (unknown.length > 0) {
  process.stderr.write(`there is no ${unknown.join(", ")}; sizes are S, M and L, parts are ${PARTS.join(", ")}\n`);
  process.exit(2);
}

const write = (line: string) => void process.stdout.write(`${line}\n`);
const results: Record<string, unknown> = {};
const server = await openServer();
// Databases, folders and processes are taken away also where this is ended early.
let isEnded = false;
const end = async () => {
  isEnded = true;
  await cleanUp();
  process.exit(130);
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end());
try {
  if (parts.includes("costs")) {
    const costs = new Map<string, Cost[]>();
    for (const size of SIZES.filter(({ name }) => names.includes(name))) {
      const start = performance.now();
      const stage = await openStage(size, server.connection);
      write(`${size.name}: ${size.repositories} repositories, ${size.issues} issues, filled in ${seconds(start)} s`);
      try {
        costs.set(size.name, await measureCosts(stage));
      } finally {
        await stage.close();
      }
    }
    write(`\n${tableOf(costs)}`);
    for (const figure of growthOf(costs)) handOn(figure);
    results["costs"] = Object.fromEntries(costs);
  }
  for (const [part, measure] of [
    ["herd", async () => await measureHerd(server.connection, Number(values.herd))],
    ["processes", async () => await measureProcesses(server.connection)],
  ] as const) {
    if (!parts.includes(part)) continue;
    const measured = await measure();
    write(`\n${tableOf(new Map([[part, measured]]))}`);
    results[part] = measured;
  }
} catch (error) {
  // What is measured fails once that begins.
  if (isEnded) await new Promise(() => {});
  throw error;
} finally {
  await cleanUp();
}
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`);

function seconds(start: number): string {
  return ((performance.now() - start) / 1_000).toFixed(0);
}
