import { expect, test } from "vitest";
import { RelayError } from "../../src/lib/errors.ts";
import { latestSpec } from "../../src/storage/specs.ts";
import type { Life } from "../support/relay.ts";
import { openPlanning, planOf, planned, tasksOf } from "../support/planning-relay.ts";

/** A Relay that is not told that its plan's comment was taken; `meanwhile` happens as soon as the comment stands. */
async function unheard(meanwhile: (life: Life) => Promise<void>) {
  const life: Life = await openPlanning(({ trackerFor }) => ({
    trackerFor: async (repository) => {
      const tracker = await trackerFor(repository);
      return {
        ...tracker,
        createComment: async (...given) => {
          const comment = await tracker.createComment(...given);
          if (!given[1].includes("relay:plan:")) return comment;
          await meanwhile(life);
          throw new RelayError("unavailable", "the connection was lost");
        },
      };
    },
  }));
  return life;
}

test("a yes to a plan whose comment stands and is not on record yet is a yes to that plan (R-CONF-10)", async () => {
  const life = await unheard(async (now) => {
    const address = { provider: "local" as const, externalProjectId: "shop", externalIssueId: "1" };
    await now.deliver(await now.people.comment(address, "mia", "yes"));
  });
  const issue = await planned(life);
  await expect.poll(async () => await tasksOf(life), { timeout: 20_000 }).toEqual(["queued"]);
  await life.settled(issue);
  expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "confirmed" });
  const said = await life.said(issue);
  expect(said.filter((text) => text.includes("relay:plan:"))).toHaveLength(1);
  expect(await latestSpec(life.db, (await life.existing(issue)).id)).toMatchObject({ version: 1 });
});
