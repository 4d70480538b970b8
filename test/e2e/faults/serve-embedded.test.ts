import { expect, test } from "vitest";
import { newDesk, withDatabaseOf } from "../cli-harness.ts";
import { killServer } from "./kill-server.ts";
import { SEED, STORIES_ASKED_FOR, storySize } from "./options.ts";
import { playServingStory } from "./serving-story.ts";

const SIZE = storySize(20);

test.runIf(STORIES_ASKED_FOR)(
  `one process on its own database does all once, whatever goes wrong in ${SIZE.acts} deliveries (seed ${SEED})`,
  async () => {
    const desk = await newDesk();
    const { said } = await playServingStory({
      ...SIZE,
      desk,
      roles: { relay: "web,planner,worker" },
      env: {},
      database: { cut: () => void killServer(desk), mend: () => {} },
      look: async (work) => await withDatabaseOf(desk, work),
    });
    expect(said).toBeGreaterThan(0);
  },
  600_000 + SIZE.acts * 3_000,
);
