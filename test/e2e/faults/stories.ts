import { expect } from "vitest";
import { sleep } from "../../../src/lib/clock.ts";
import { type Place, type Scene, type Stage, asked, nextSecond, openScene, planned } from "./stage.ts";

/** Plays in an issue of its own. */
export interface Story {
  play: (stage: Stage) => Promise<Scene>;
  /** The step that it ends like, undisturbed; `closed` is one that was closed when Relay had asked. Any where absent. */
  ends?: keyof typeof STEPS | "closed";
  /** The only ones that have it, as an App cannot be assigned; all where absent. */
  at?: readonly Place[];
}

/** Mia lets the spec be written, and a plan follows. */
async function goesAhead(scene: Scene): Promise<void> {
  await scene.says("mia", "go ahead");
  await scene.reaches("waiting_confirmation");
}

/** Mia agrees to the plan; returns her comment. */
async function saysYes(scene: Scene): Promise<number> {
  await nextSecond();
  const yes = await scene.says("mia", "yes");
  await scene.reaches("queued");
  return yes;
}

/** Relay had asked, and its issue was closed and reopened. */
async function reopened(stage: Stage): Promise<Scene> {
  const scene = await asked(stage);
  await scene.does("mia", "close");
  await scene.reaches("closed");
  await scene.does("mia", "reopen");
  await scene.reaches("clarifying");
  return scene;
}

/** The steps of the undisturbed way, each from where the one before it ends. */
export const STEPS = {
  nothing: async () => {},
  asked: async (stage, scene) => {
    await scene.calls();
    await scene.reaches("clarifying");
    await stage.settles(scene.issue);
  },
  planned: async (_, scene) => {
    await nextSecond();
    await goesAhead(scene);
  },
  agreed: async (stage, scene) => {
    await saysYes(scene);
    await stage.settles(scene.issue);
  },
  halted: async (_, scene) => {
    await scene.says("mia", "stop");
    await scene.reaches("waiting_confirmation");
  },
} satisfies Record<string, (stage: Stage, scene: Scene) => Promise<void>>;

/** How far lists of comments, and the number of them, are behind. */
const LAGS = [
  { lists: 200, count: 0 },
  { lists: 700, count: 700 },
  { lists: 3_000, count: 0 },
];

const lagging = LAGS.flatMap(({ lists, count }): [string, Story][] => {
  const how = `that the list shows ${lists} ms and the count ${count} ms late`;
  return [
    [
      `a go-ahead ${how}`,
      {
        play: async (stage) => {
          const scene = await asked(stage);
          await nextSecond();
          await stage.world.lag({ number: scene.issue, lists, count });
          await goesAhead(scene);
          return scene;
        },
        ends: "planned",
      },
    ],
    [
      `an edit ${how}`,
      {
        play: async (stage) => {
          const scene = await asked(stage);
          const said = await scene.says("mia", "Thanks!");
          await nextSecond();
          await stage.world.lag({ number: scene.issue, lists, count });
          await scene.edits("mia", said, "go ahead");
          await scene.reaches("waiting_confirmation");
          return scene;
        },
        ends: "planned",
      },
    ],
  ];
});

/** What webhooks say is no longer so, or never was when they come. */
const belated: Record<string, Story> = {
  "closed and reopened, and closed comes last": {
    play: async (stage) => {
      const scene = await asked(stage);
      await stage.world.late("closed", scene.issue, 1_500);
      await scene.does("mia", "close");
      await scene.does("mia", "reopen");
      await sleep(2_000);
      await goesAhead(scene);
      return scene;
    },
    ends: "planned",
  },
  "an old closing comes again under another id": {
    play: async (stage) => {
      const scene = await reopened(stage);
      await stage.world.replay("closed", scene.issue);
      await sleep(1_000);
      await goesAhead(scene);
      return scene;
    },
    ends: "planned",
  },
  "a yes, and then an old closing under another id": {
    play: async (stage) => {
      const scene = await reopened(stage);
      await goesAhead(scene);
      await saysYes(scene);
      await stage.world.replay("closed", scene.issue);
      await sleep(1_500);
      return scene;
    },
    ends: "agreed",
  },
  "assigned and closed, and assigned comes last": {
    play: async (stage) => {
      const scene = await openScene(stage);
      await stage.world.late("assigned", scene.issue, 1_500);
      await scene.does("mia", "assign");
      await scene.does("mia", "close");
      await sleep(2_500);
      return scene;
    },
    ends: "nothing",
    at: ["GitHub", "GitLab"],
  },
  "closed for good, and assigned comes again": {
    play: async (stage) => {
      const scene = await asked(stage);
      await scene.does("mia", "close");
      await scene.reaches("closed");
      await stage.world.replay("assigned", scene.issue);
      await sleep(1_500);
      return scene;
    },
    ends: "closed",
    at: ["GitHub"],
  },
  "unassigned and assigned, and unassigned comes last": {
    play: async (stage) => {
      const scene = await asked(stage);
      await stage.world.late("unassigned", scene.issue, 1_500);
      await scene.does("mia", "unassign");
      await scene.does("mia", "assign");
      await sleep(2_000);
      await goesAhead(scene);
      return scene;
    },
    ends: "planned",
    at: ["GitHub", "GitLab"],
  },
};

/** The questions, and where the spec is. */
const BEFORE_PLAN = 2;

/** Relay's own comments are there, and it hears nothing of it or cannot see them. */
const unsure: Record<string, Story> = {
  "the questions stored, then a 502, and lists 3 s behind": {
    play: async (stage) => {
      const scene = await openScene(stage);
      await stage.world.lag({ number: scene.issue, lists: 3_000 });
      await stage.world.spoil(scene.issue, "502 after");
      await scene.calls();
      await scene.reaches("clarifying");
      return scene;
    },
    ends: "asked",
  },
  "the plan stored, then a cut connection, and lists and count 3 s behind": {
    play: async (stage) => {
      const scene = await asked(stage);
      await nextSecond();
      await stage.world.lag({ number: scene.issue, lists: 3_000, count: 3_000 });
      await scene.says("mia", "go ahead");
      await scene.has(BEFORE_PLAN);
      await stage.world.spoil(scene.issue, "cut after");
      await scene.reaches("waiting_confirmation");
      return scene;
    },
    ends: "planned",
  },
  "the start of work stored, then a 502, and lists 3 s behind": {
    play: async (stage) => {
      const scene = await planned(stage);
      await nextSecond();
      await stage.world.lag({ number: scene.issue, lists: 3_000 });
      await stage.world.spoil(scene.issue, "502 after");
      await scene.says("mia", "yes");
      await scene.reaches("queued");
      return scene;
    },
    ends: "agreed",
  },
  "a yes to a plan whose answer was lost": {
    play: async (stage) => {
      const scene = await asked(stage);
      await nextSecond();
      await scene.says("mia", "go ahead");
      await scene.has(BEFORE_PLAN);
      await stage.world.spoil(scene.issue, "502 after");
      await scene.has(BEFORE_PLAN + 1);
      await saysYes(scene);
      return scene;
    },
    ends: "agreed",
  },
  "a go-ahead while the questions are still being posted": { play: async (stage) => await early(stage), ends: "asked" },
};

async function early(stage: Stage): Promise<Scene> {
  const scene = await openScene(stage);
  await stage.world.spoil(scene.issue, "slow");
  await scene.calls();
  await scene.posts(1);
  await scene.says("mia", "go ahead");
  // On a busy machine the questions may have stood before it, and then it counts.
  if ((await scene.own()).length > 0) return await early(stage);
  await scene.reaches("clarifying");
  await sleep(2_000);
  return scene;
}

const silent: Record<string, Story> = {
  "closed when the questions could not be posted, and before they are tried again": {
    play: async (stage) => {
      const scene = await openScene(stage);
      // The first attempts, however late a busy machine closes it.
      for (let attempt = 0; attempt < 3; attempt += 1) await stage.world.spoil(scene.issue, "503");
      await scene.calls();
      await scene.posts(1);
      await scene.does("mia", "close");
      await scene.reaches("closed");
      await stage.settles(scene.issue);
      expect(await scene.own()).toEqual([]);
      return scene;
    },
  },
};

/** Who may say what. */
const heard: Record<string, Story> = {
  "a stranger's remark between the plan and the maintainer's yes": {
    play: async (stage) => {
      const scene = await planned(stage);
      await nextSecond();
      await scene.says("guest", "Thanks for the comment! I have noted it.");
      await scene.says("mia", "ship it");
      await scene.reaches("queued");
      return scene;
    },
    ends: "agreed",
  },
  "a stranger's wish after the yes": {
    play: async (stage) => {
      const scene = await agreed(stage);
      await scene.says("guest", "Please use the euro instead, and rename the column.");
      await sleep(1_500);
      return scene;
    },
    ends: "agreed",
  },
  "the yes taken away": {
    play: async (stage) => {
      const scene = await agreed(stage);
      await scene.deletes("mia", scene.yes);
      await scene.reaches("waiting_confirmation");
      return scene;
    },
    ends: "halted",
  },
  "the yes edited into a no": {
    play: async (stage) => {
      const scene = await agreed(stage);
      await scene.edits("mia", scene.yes, "No, not yet. I changed my mind.");
      await scene.reaches("waiting_confirmation");
      return scene;
    },
    ends: "halted",
  },
  ...Object.fromEntries(
    ["No, I changed my mind, the plan is wrong.", "Stop! This deletes customer data."].map((words): [string, Story] => [
      `after the yes: ${words}`,
      {
        play: async (stage) => {
          const scene = await agreed(stage);
          await scene.says("mia", words);
          await scene.reaches("waiting_confirmation");
          return scene;
        },
        ends: "halted",
      },
    ]),
  ),
};

async function agreed(stage: Stage): Promise<Scene & { yes: number }> {
  const scene = await planned(stage);
  const yes = await saysYes(scene);
  await stage.settles(scene.issue);
  return { ...scene, yes };
}

/** All at the same time, each in an issue of its own. Words are the same everywhere. */
export function togetherAt(place: Place): [string, Story][] {
  const everywhere = [...lagging, ...Object.entries({ ...belated, ...unsure, ...silent })];
  return toldAt(place, place === "GitHub" ? [...everywhere, ...Object.entries(heard)] : everywhere);
}

/** One after another, with nothing else going on. */
export function aloneAt(place: Place): [string, Story][] {
  return toldAt(place, Object.entries(alone));
}

function toldAt(place: Place, stories: readonly [string, Story][]): [string, Story][] {
  const named = process.env["RELAY_TEST_STORY"] ?? "";
  return stories.filter(([name, story]) => name.includes(named) && (story.at ?? [place]).includes(place));
}

const READING_MS = 1_000;

const alone: Record<string, Story> = {
  "called at once, and not found for 0.8 s": {
    play: async (stage) => {
      await stage.world.lag({ issue: 800 });
      return await asked(stage);
    },
    ends: "asked",
  },
  "closed while Relay is about to ask": { play: async (stage) => await closedBeforeItAsks(stage) },
};

async function closedBeforeItAsks(stage: Stage): Promise<Scene> {
  const scene = await openScene(stage);
  await stage.world.slowReading(scene.issue, READING_MS);
  await scene.calls();
  await scene.passes("planning");
  await scene.does("mia", "close");
  await stage.world.settled();
  const closed = Date.now();
  // On a busy machine it may have asked before.
  if ((await scene.posted()).some((time) => time <= closed)) return await closedBeforeItAsks(stage);
  await scene.reaches("closed");
  await stage.settles(scene.issue);
  // What it was reading may have been the last thing before it asked.
  const next = (await scene.read()).find((time) => time > closed) ?? Infinity;
  expect((await scene.posted()).filter((time) => time > next)).toEqual([]);
  return scene;
}
