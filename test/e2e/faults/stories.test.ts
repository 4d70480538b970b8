import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { PLACES, type Scene, type Stage, openScene, openStage } from "./stage.ts";
import { type Story, STEPS, aloneAt, togetherAt } from "./stories.ts";

test.each(PLACES)("on %s, what goes wrong on the way changes no end", { timeout: 300_000 }, async (place) => {
  const stage = await openStage(place, { relay: "web,planner" });
  const [undisturbed, ...ends] = await Promise.all([
    endsOf(stage),
    ...togetherAt(place).map(async (story) => await tell(stage, story)),
  ]);
  for (const story of aloneAt(place)) ends.push(await tell(stage, story));
  const wrong = ends.filter(
    ({ end, like }) => "error" in end || (like !== undefined && !isDeepStrictEqual(end, undisturbed.get(like))),
  );
  expect(wrong.map(({ like, ...found }) => ({ ...found, wanted: undisturbed.get(like ?? "") }))).toEqual([]);
  expect(await stage.world.violations()).toEqual([]);
});

async function tell(stage: Stage, [name, { play, ends }]: [string, Story]) {
  try {
    return { name, like: ends, end: await endOf(stage, await play(stage)) };
  } catch (error) {
    return { name, like: ends, end: { error: error instanceof Error ? error.message : String(error) } };
  }
}

/** How an issue stands at each step where nothing goes wrong. */
async function endsOf(stage: Stage): Promise<Map<string, unknown>> {
  const scene = await openScene(stage);
  const ends = new Map<string, unknown>();
  for (const [name, go] of Object.entries(STEPS)) {
    await go(stage, scene);
    const end = await endOf(stage, scene);
    ends.set(name, end);
    if (name === "asked") ends.set("closed", { ...end, state: "closed" });
  }
  return ends;
}

async function endOf(stage: Stage, scene: Scene) {
  await stage.settles(scene.issue);
  return { state: await scene.state(), own: await scene.kinds(), twice: await scene.twice() };
}
