import { expect, test } from "vitest";
import { freshDatabase } from "../../test/support/database.ts";
import { systemClock } from "../lib/clock.ts";
import { snowflakes } from "../lib/ids.ts";
import { auditRow, record } from "./audit.ts";

test("the audit log keeps no secret, and nothing that commands a terminal", async () => {
  const { db } = await freshDatabase();
  const token = "AKIAQX7LMNOP2RSTUVW5";
  const why = `\u001b[2Jclear \u202e ${token}`;
  const entry = { issueId: null, actor: "relay", what: "cycle.planned", why, after: { body: why, at: 1 } };
  await record(db, entry, { clock: systemClock, ids: snowflakes() });
  const kept = "[2Jclear  [secret removed]";
  expect(await db.query(auditRow, "select * from audit_log", [])).toMatchObject([
    { why: kept, after: { body: kept, at: 1 } },
  ]);
});
