import { expect, test } from "vitest";
import { RelayError } from "../../src/lib/errors.ts";
import { openPlanning, planOf, planned } from "../support/planning-relay.ts";

test("a thumbs-up that could not be read is looked for again at once, and not with the next poll", async () => {
  let failures = 0;
  const life = await openPlanning((deps) => ({
    trackerFor: async (repository) => {
      const tracker = await deps.trackerFor(repository);
      return {
        ...tracker,
        listVotes: async (address, commentId) => {
          failures -= 1;
          if (failures >= 0) throw new RelayError("unavailable", "bad gateway", { status: 502 });
          return await tracker.listVotes(address, commentId);
        },
      };
    },
  }));
  const issue = await planned(life);
  const { id } = await life.existing(issue);
  await life.people.react(issue, (await planOf(life, issue))?.commentId ?? "", "mia", "+1");
  failures = 3;
  await life.jobs.setWake(id, new Date());
  await expect.poll(async () => (await life.existing(issue)).state, { timeout: 20_000 }).toBe("queued");
  expect(failures).toBeLessThan(0);
});
