// Sends the notices of the target `team` to an address (JSON: `connection`, `url`, `secret`) until none waits.
import { z } from "zod";
import { systemClock } from "../../src/lib/clock.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { silentLog } from "../../src/lib/log.ts";
import { deliverNotices } from "../../src/notify/notices/deliver.ts";
import { openDatabase } from "../../src/storage/db.ts";
import { listNotifying } from "../../src/storage/notices.ts";

const { connection, url, secret } = z
  .object({
    connection: z
      .object({ connectionString: z.string() })
      .or(z.object({ host: z.string(), port: z.number(), user: z.string(), database: z.string() }))
      .or(z.object({ host: z.string(), user: z.string(), database: z.string() })),
    url: z.string(),
    secret: z.string(),
  })
  .parse(JSON.parse(process.argv[2] ?? ""));

const db = openDatabase(connection, 2);
const keys = [Buffer.from(secret.slice("whsec_".length), "base64")];
while ((await listNotifying(db)).length > 0) {
  try {
    await deliverNotices("team", {
      db,
      clock: systemClock,
      log: silentLog,
      receiverOf: () => ({ address: { kind: "webhook", url, keys }, confidential: false }),
      sendAgain: async () => await Promise.resolve(),
    });
  } catch (error) {
    // The other process is at it.
    if (!(error instanceof RelayError) || !error.retryable) throw error;
  }
}
await db.close();
