import { expect, test } from "vitest";
import { standing } from "../../src/app/ci/process-event.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { addPlan, markStopped } from "../../src/storage/plans.ts";
import { aPlan, aTriage } from "../cases/plan-comments.ts";
import { freshDatabase } from "../support/database.ts";
import { trackedIssue, trackedRepository } from "../support/tracked-issue.ts";

test("a job for an event says where the issue stands as `relay status` does, also of a plan that was stopped", async () => {
  const { db } = await freshDatabase();
  const now = { clock: systemClock, ids: snowflakes() };
  const issue = await trackedIssue(db, (await trackedRepository(db)).id);
  const made = { triage: aTriage(), plan: aPlan(), sha256: "", basisSha256: "", byRules: true };
  const { id } = await addPlan(db, issue.id, made, now);
  await db.execute("update issues set state = 'waiting_confirmation'", []);
  await db.execute("update plans set status = 'posted', comment_id = '7', posted_at = now()", []);
  const words = async () => (await standing(issue, { db, tracker: { bot: "relay" } }))?.words;
  expect(await words()).toBe("I’m waiting for plan 1 to be approved by anyone with write access.");
  const stop = { by: "tom", permission: "write", messageId: null, how: "refused", halted: "plan", kept: [] } as const;
  await markStopped(db, id, { ...stop, kept: [] }, systemClock);
  expect(await words()).toBe(
    "I’ve stopped after a reply from tom. Tell me to continue or what to change, and I’ll go on.",
  );
});
