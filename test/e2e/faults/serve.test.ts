import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../../src/lib/log.ts";
import { openEmbedded } from "../../../src/storage/embedded/server.ts";
import { lineTo } from "../../support/database-proxy.ts";
import { newDesk, withDatabaseOf } from "../cli-harness.ts";
import { killServer } from "./kill-server.ts";
import { SEED, STORIES_ASKED_FOR, storySize } from "./options.ts";
import { playServingStory } from "./serving-story.ts";

const SIZE = storySize(60);
const FEW = { first: "web,planner", second: "planner" };
const MANY = { "web-1": "web", "web-2": "web,worker", "planner-1": "planner", all: "web,planner,worker" };

test.runIf(STORIES_ASKED_FOR)(
  `processes that share a database do all once, whatever goes wrong in ${SIZE.acts} deliveries (seed ${SEED})`,
  async () => {
    const desk = await newDesk();
    // A server of its own, which this process starts again when it is killed: the others know only its address.
    const server = await openEmbedded({ home: desk.home, log: silentLog });
    onTestFinished(async () => await server.close());
    const line = await lineTo(server.connection);
    let cuts = 0;
    const { said } = await playServingStory({
      ...SIZE,
      desk,
      roles: SIZE.processes < 4 ? FEW : MANY,
      env: { DATABASE_URL: line.url },
      database: {
        cut: () => {
          line.cut();
          cuts += 1;
          if (cuts % 2 === 1) void killServer(desk);
        },
        mend: () => line.mend(),
      },
      look: async (work) => await withDatabaseOf(desk, work),
    });
    expect(said).toBeGreaterThan(0);
  },
  600_000 + SIZE.acts * 3_000,
);
