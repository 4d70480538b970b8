// Takes a job and never ends it; driven by src/queue/pg-boss.test.ts, which kills it.
import { z } from "zod";
import { snowflakes } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openQueue } from "../../src/queue/pg-boss.ts";

const connectionSchema = z.union([
  z.object({ connectionString: z.string() }),
  z.object({ host: z.string(), port: z.number(), user: z.string(), database: z.string() }),
]);
const connection = connectionSchema.parse(JSON.parse(process.argv[2] ?? ""));
const queue = await openQueue({ event: "in_order" }, connection, { works: true, log: silentLog, ids: snowflakes() });
await queue.work("event", 1, async (job) => {
  process.stdout.write(`took ${job.subject}\n`);
  await new Promise(() => {});
});
