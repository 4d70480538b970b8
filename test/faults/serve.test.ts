import { expect, test } from "vitest";
import { freshDatabase } from "../database.ts";
import { lineTo } from "../database-line.ts";
import { newDesk } from "../relay-command.ts";
import { SEED, STORIES_ASKED_FOR, storySize } from "./serving-size.ts";
import { playServingStory } from "./serving-story.ts";

const SIZE = storySize(60);
const FEW = { first: "web,planner", second: "planner" };
const MANY = { "web-1": "web", "web-2": "web,worker", "planner-1": "planner", all: "web,planner,worker" };

test.runIf(STORIES_ASKED_FOR)(
  `processes that share a database do all once, whatever goes wrong in ${SIZE.acts} deliveries (seed ${SEED})`,
  async () => {
    const desk = await newDesk();
    const { db, connection } = await freshDatabase();
    const line = await lineTo(connection);
    const { said } = await playServingStory({
      ...SIZE,
      desk,
      roles: SIZE.processes < 4 ? FEW : MANY,
      env: { DATABASE_URL: line.url },
      database: line,
      look: async (work) => await work(db),
    });
    expect(said).toBeGreaterThan(0);
  },
  600_000 + SIZE.acts * 3_000,
);
