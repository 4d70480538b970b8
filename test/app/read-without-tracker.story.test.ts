import { expect, onTestFinished, test } from "vitest";
import { openRelay } from "../../src/app/relay.ts";
import { describe as describeIssue, statusText } from "../../src/cli/issue-status.ts";
import { silentLog } from "../../src/lib/log.ts";
import { recordNoAccess } from "../../src/storage/audit.ts";
import { overviewsOf } from "../../src/storage/issue-overview.ts";
import { PROJECT, openHosted } from "../support/hosted-relay.ts";

test("where the tracker refuses the token, issues are listed and specs are read, and what is refused is told", async () => {
  const life = await openHosted({ BOT_IDLE_MINUTES: "0" });
  const number = life.open("ann", "Wrong total in the cart", "`total` in src/cart.ts must be rounded to two digits.");
  life.mock.act({ do: "assign", as: "tom", repo: PROJECT, number, login: "relay" });
  await expect.poll(async () => (await life.stored(number))?.state).toMatch(/clarifying|awaiting_proceed/);
  life.say("mia", number, "go ahead");
  await life.reaches(number, "waiting_confirmation");
  const issue = await life.stored(number);
  if (issue?.spec == null) throw new Error("there is a spec");
  expect(issue.spec.backend).toBe("git");
  await recordNoAccess(life.db, issue.id, { why: "GitHub refused the token", work: "wake" }, life);
  const env = { ...life.env, GITHUB_TOKEN: "ghp_expired" };
  const later = await openRelay(life.config, { env, log: silentLog });
  onTestFinished(async () => await later.close());
  const overview = (await overviewsOf(later.db, [issue.id]))(issue.id);
  const row = await describeIssue(issue, overview, later.specStore, "relay");
  const text = statusText(issue, row, { withGaps: true, now: new Date() });
  expect(text).toContain("refused: GitHub refused the token");
  expect(text).toContain("waiting_confirmation");
  expect(await later.specStore.read(issue.spec)).toContain("total");
});
