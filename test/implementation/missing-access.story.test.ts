import { expect, test } from "vitest";
import { RelayError } from "../../src/lib/errors.ts";
import { overviewsOf } from "../../src/storage/issue-overview.ts";
import { listAudit } from "../../src/storage/audit.ts";
import { agentOf, agreed, idle, mends, openWorking } from "../support/working-relay.ts";

test("a pull request that Relay may not open is waited for, and told by the log and where the issue stands", async () => {
  const life = await openWorking(agentOf(mends, idle));
  const issue = await agreed(life);
  const { id } = await life.existing(issue);
  const createPullRequest = async () => {
    const why = "POST /pulls was refused with 403; give Relay the permission pull_requests=write";
    return await Promise.reject(new RelayError("forbidden", why, { status: 403, accessLost: true }));
  };
  const codeHostFor = async () => await Promise.resolve({ ...life.tracker, createPullRequest });
  const refused = async () => (await overviewsOf(life.db, [id]))(id).refused;
  await expect(life.worksOn(issue, { codeHostFor })).rejects.toMatchObject({ retryable: true });
  expect(await refused()).toContain("pull_requests=write");
  await expect(life.worksOn(issue, { codeHostFor })).rejects.toMatchObject({ retryable: true });
  const { state } = await life.worksOn(issue);
  expect(state).toBe("in_review");
  expect(await refused()).toBeNull();
  const log = (await listAudit(life.db, id)).map(({ what }) => what);
  expect(log).toContain("access.missing");
  expect(log).toContain("access.given");
});
