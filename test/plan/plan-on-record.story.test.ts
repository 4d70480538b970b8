import { expect, test } from "vitest";
import { RelayError } from "../../src/lib/errors.ts";
import { latestSpec } from "../../src/storage/specs.ts";
import type { Life } from "../support/relay.ts";
import { moment, openPlanning, planOf, planned, say, setMode, tasksOf } from "../support/planning-relay.ts";

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

test.each(["never took effect", "took effect unheard"])(
  "an edit of the plan's comment that %s is made again, and the comment shows the new version (R-CONF-1)",
  async (fate) => {
    let failures = 0;
    const life = await openPlanning(({ trackerFor }) => ({
      trackerFor: async (repository) => {
        const tracker = await trackerFor(repository);
        const updateComment: typeof tracker.updateComment = async (...given) => {
          const isNext = !given[2].startsWith("> ") && failures === 0;
          if (isNext && fate === "took effect unheard") await tracker.updateComment(...given);
          if (!isNext) return await tracker.updateComment(...given);
          failures += 1;
          throw new RelayError("unavailable", "the connection was lost", { retryable: true });
        };
        return { ...tracker, updateComment };
      },
    }));
    const issue = await planned(life);
    await moment();
    await say(life, issue, "mia", "Use a Map instead.");
    await expect.poll(async () => (await planOf(life, issue))?.status, { timeout: 20_000 }).toBe("posted");
    await life.settled(issue);
    expect(failures).toBe(1);
    const plan = await planOf(life, issue);
    expect(plan).toMatchObject({ version: 2, status: "posted" });
    const shown = (await life.said(issue)).filter((text) => text.includes("relay:plan:"));
    expect(shown).toEqual([plan?.commentBody]);
  },
);

test("an older version that a late edit brings back is replaced by the current one, and no yes to it counts (R-CONF-8)", async () => {
  const life = await openPlanning();
  setMode(life, "implement");
  const issue = await planned(life);
  const first = await planOf(life, issue);
  await moment();
  await say(life, issue, "mia", "Use a Map instead.");
  const second = await planOf(life, issue);
  expect(second).toMatchObject({ version: 2, commentId: first?.commentId });
  await moment();
  await life.tracker.updateComment(issue, first?.commentId ?? "", first?.commentBody ?? "");
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "waiting_confirmation" });
  expect(await life.said(issue)).toContain(second?.commentBody);
  expect(await life.said(issue)).not.toContain(first?.commentBody);
  expect(await tasksOf(life)).toEqual([]);
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
});
