import { expect, test } from "vitest";
import { z } from "zod";
import { removeOld } from "../../src/app/maintenance/retention.ts";
import { retentionSettings } from "../../src/config/retention-settings.ts";
import { fileRecords } from "../../src/engine/recording/recordings.ts";
import { silentLog } from "../../src/lib/log.ts";
import { type Desk, newDesk, relay, specArgs, withDatabaseOf } from "./cli-harness.ts";

const sizes = z.object({
  tables: z.array(z.object({ table: z.string(), bytes: z.number(), rows: z.number() })),
  folders: z.array(z.object({ name: z.string(), bytes: z.number(), files: z.number(), at_least: z.boolean() })),
  due: z.record(z.string(), z.number().nullable()),
  retention: retentionSettings,
});

/** The issue ended long ago, and the next upkeep comes. */
async function ageIn(desk: Desk): Promise<z.infer<typeof sizes>> {
  await withDatabaseOf(desk, async (db) => {
    await db.execute("update issues set state = 'done', updated_at = now() - interval '3 years'", []);
  });
  const measured = sizes.parse(JSON.parse((await relay(desk, ["status", "--disk", "--json"])).out));
  const records = fileRecords(desk.home, { log: silentLog });
  const config = { home: desk.home, retention: retentionSettings.parse({}) };
  await withDatabaseOf(desk, async (db) => await removeOld({ db, log: silentLog, records, config }));
  return measured;
}

test("what takes room is shown, and commands say what was removed (R-SCALE-3)", async () => {
  const desk = await newDesk();
  expect(await relay(desk, specArgs(desk))).toMatchObject({ code: 0 });
  expect((await relay(desk, ["replay", "57"])).out).toContain("cycle 1");
  const before = await ageIn(desk);
  expect(before.due).toEqual({
    model_texts: 0,
    issues_with_records: 1,
    issues_with_audit: 1,
    deliveries: 0,
    notifications: 0,
  });
  expect(before.folders.map(({ name }) => name)).toContain("cycles");

  const shown = await relay(desk, ["status", "--disk"]);
  expect(shown).toMatchObject({ code: 0, err: "" });
  expect(shown.out).toMatch(/issues with records: 0 \(retention\.records_days: 90 days\)/);
  expect(await relay(desk, ["status", "57", "--disk"])).toMatchObject({ code: 2, out: "" });

  const log = await relay(desk, ["log", "57"]);
  expect(log.out).toMatch(/^older entries were removed on [\d-]{10}, as retention\.audit_days says\n/);
  expect(log.out).toContain("issue.engaged");
  const asked = await relay(desk, ["replay", "57"]);
  expect(asked).toMatchObject({ code: 2, out: "" });
  expect(asked.err).toMatch(/the recordings of \S+#57 were removed on [\d-]{10}, as retention\.records_days says/);
});
