import { expect, test } from "vitest";
import { sleep } from "../../../src/lib/clock.ts";
import { type Scene, type Stage, asked, nextSecond, openScene, openStage } from "./stage.ts";

test.each(["GitHub", "GitLab"] as const)(
  "killed on %s while its comments are still being stored, Relay has each of them once in the end",
  { timeout: 300_000 },
  async (place) => {
    const stage = await openStage(place, { relay: "web,planner" });
    const { world, processes } = stage;
    const [asking, planning] = await Promise.all([openScene(stage), asked(stage)]);
    await nextSecond();
    for (const { issue } of [asking, planning]) await world.spoil(issue, "slow");
    await asking.calls();
    await planning.says("mia", "go ahead");
    const before = (await planning.posted()).length;
    await Promise.all([asking.posts(1), planning.posts(before + 1)]);
    processes.kill("relay");
    await asking.reaches("clarifying");
    await planning.reaches("waiting_confirmation");
    const ends = [asking, planning].map(async (scene) => await twice(stage, scene));
    expect(await Promise.all(ends)).toEqual([[], []]);
  },
);

test(
  "a process that stood still and lost its connections says and changes nothing when it goes on",
  {
    timeout: 300_000,
  },
  async () => {
    const stage = await openStage("GitHub", { first: "web,planner" });
    const { world, processes, db } = stage;
    const scenes = {
      /** Before it asks. */
      early: await openScene(stage),
      /** While its comment is being stored. */
      posting: await openScene(stage),
      /** While it looks whether its comment was stored. */
      looking: await openScene(stage),
    };
    const { early, posting, looking } = scenes;
    await world.slowReading(early.issue, 1_000);
    await world.spoil(posting.issue, "slow");
    await world.spoil(looking.issue, "502 after");
    const all = Object.values(scenes);
    for (const scene of all) await scene.calls();
    await Promise.all([early.passes("planning"), posting.posts(1), looking.posts(1)]);
    await world.slowReading(looking.issue, 3_000);
    await sleep(1_500);
    processes.pause("first");
    await db.execute(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      [],
    );
    processes.add("second", "web,planner");
    await processes.ready();
    for (const scene of all) await scene.reaches("clarifying");
    await nextSecond();
    for (const scene of all) await scene.says("mia", "go ahead");
    for (const scene of all) await scene.reaches("waiting_confirmation");
    const before = await Promise.all(all.map(async (scene) => await scene.own()));
    processes.goOn("first");
    await sleep(4_000);
    for (const scene of all) {
      expect(await twice(stage, scene)).toEqual([]);
      expect(await scene.state()).toBe("waiting_confirmation");
    }
    expect(await Promise.all(all.map(async (scene) => await scene.own()))).toEqual(before);
  },
);

async function twice(stage: Stage, scene: Scene): Promise<string[]> {
  await stage.settles(scene.issue);
  return await scene.twice();
}
