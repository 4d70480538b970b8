// Opens the job queue as a command does, tells how that went, and ends when nothing keeps it alive any more.
import { messageOf } from "../../src/lib/errors.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openQueue } from "../../src/storage/queue/pg-boss.ts";

const [connectionString = ""] = process.argv.slice(2);

try {
  const queue = await openQueue({ connectionString }, { works: false, log: silentLog });
  await queue.stop();
  process.stdout.write("opened\n");
} catch (error) {
  process.stdout.write(`failed: ${messageOf(error)}\n`);
}
