import { expect, test } from "vitest";
import type { TrackerEvent } from "../../src/domain/event.ts";
import { isStatusComment } from "../../src/domain/marker.ts";
import { listAudit } from "../../src/storage/audit.ts";
import { listDeadLetters } from "../../src/storage/dead-letters.ts";
import { connectRepository } from "../../src/storage/repositories.ts";
import type { ForgeConnection } from "../../src/adapters/trackers/connection.ts";
import { type GithubStage, ISSUE, PROJECT, githubStage } from "../support/github-fixture.ts";
import { openLife } from "../support/relay.ts";

const AT = { repo: PROJECT, number: 7, as: "ann" };

/** A Relay that is called in a locked issue of a GitHub. */
async function inLocked(connectionOf: (stage: GithubStage) => ForgeConnection) {
  const stage = await githubStage();
  const tracker = await connectionOf(stage).tracker();
  const life = await openLife(
    () => ({
      trackerFor: async () => await Promise.resolve(tracker),
      codeHostFor: async () => await Promise.resolve(tracker),
      engage: "anyone" as const,
    }),
    20,
  );
  await connectRepository(
    life.db,
    {
      workspace: "default",
      provider: "github",
      baseUrl: "https://github.example",
      botUsername: tracker.bot,
      externalProjectId: PROJECT,
      cloneSource: life.code.root,
    },
    life,
  );
  stage.mock.act({ do: "lock", ...AT });
  const event: TrackerEvent = {
    ...ISSUE,
    kind: "commented",
    actor: "ann",
    actorIsBot: false,
    at: new Date(),
    assignee: null,
    commentId: null,
    threadId: null,
    text: `@${tracker.calledAs[0] ?? tracker.bot} please look`,
    branch: null,
    outcome: null,
  };
  await life.deliver(event);
  const said = () =>
    stage.mock.world.item(PROJECT, 7).comments.filter(({ author, body }) => author !== "ann" && !isStatusComment(body));
  return { ...stage, life, said };
}

test("in a locked issue an App cannot answer: it waits, the log says why, and it goes on once unlocked", async () => {
  const { life, mock, said } = await inLocked(({ byApp }) => byApp);
  const refused = async () => {
    const { id } = await life.existing(ISSUE);
    return (await listAudit(life.db, id)).filter(({ what }) => what === "access.missing").map(({ why }) => why);
  };
  await expect.poll(refused, { timeout: 20_000 }).toContainEqual(expect.stringContaining("unlock it"));
  expect(await life.existing(ISSUE)).toMatchObject({ state: "planning", failedCycles: 0 });
  expect(await listDeadLetters(life.db)).toEqual([]);
  expect(said()).toEqual([]);
  mock.act({ do: "unlock", ...AT });
  await life.orchestrator.wakeNow((await life.existing(ISSUE)).id);
  await expect.poll(said, { timeout: 20_000 }).not.toEqual([]);
  expect((await life.settled(ISSUE)).state).toBe("clarifying");
});

test("in a locked issue an account with write access goes on as everywhere", async () => {
  const { life, said } = await inLocked(({ byToken }) => byToken);
  expect(await life.settled(ISSUE)).toMatchObject({ state: "clarifying", failedCycles: 0 });
  expect(said()).not.toEqual([]);
});
