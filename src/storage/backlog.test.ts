import { expect, test } from "vitest";
import { freshDatabase } from "../../test/support/database.ts";
import { countBacklog } from "./backlog.ts";

const clock = { now: () => new Date("2026-03-01T10:01:30Z") };

test("the backlog is what waits, how long already, and what was given up", async () => {
  const { db } = await freshDatabase();
  expect(await countBacklog(db, clock)).toEqual({ waiting: 0, oldestSeconds: 0, deadLettered: 0 });
  const add = async (id: number, received: string, processed: string | null, deadLettered: string | null) =>
    await db.execute(
      `insert into deliveries (id, provider, delivery_id, event, received_at, processed_at, dead_lettered_at)
       values ($1::bigint, 'github', $1::text, '{}', $2, $3, $4)`,
      [id, received, processed, deadLettered],
    );
  await add(1, "2026-03-01T09:00:00Z", "2026-03-01T09:00:01Z", null);
  await add(2, "2026-03-01T10:00:00Z", null, null);
  await add(3, "2026-03-01T10:01:00Z", null, null);
  await add(4, "2026-03-01T08:00:00Z", null, "2026-03-01T09:00:00Z");
  expect(await countBacklog(db, clock)).toEqual({ waiting: 2, oldestSeconds: 90, deadLettered: 1 });
});
