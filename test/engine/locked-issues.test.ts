import { expect, test } from "vitest";
import type { TrackerEvent } from "../../src/domain/event.ts";
import { isStatusComment } from "../../src/domain/marker.ts";
import { overviewsOf } from "../../src/storage/issue-overview.ts";
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
  return { ...stage, life, issue: await life.settled(ISSUE), said };
}

test("in a locked issue an App cannot answer: the issue rests after three cycles, says why, and goes on once unlocked", async () => {
  const { life, mock, issue, said } = await inLocked(({ byApp }) => byApp);
  expect(issue).toMatchObject({ state: "paused", failedCycles: 3 });
  expect(said()).toEqual([]);
  const { pausedBecause } = (await overviewsOf(life.db, [issue.id]))(issue.id);
  expect(pausedBecause).toBe("FAILED: post_comment | 403 | permanent");
  mock.act({ do: "unlock", ...AT });
  await life.transition(life.db, issue.id, "resume_requested", { why: "resumed", actor: "operator" });
  await life.orchestrator.wakeNow(issue.id);
  expect((await life.settled(ISSUE)).state).toBe("clarifying");
  expect(said()).not.toEqual([]);
});

test("in a locked issue an account with write access goes on as everywhere", async () => {
  const { issue, said } = await inLocked(({ byToken }) => byToken);
  expect(issue).toMatchObject({ state: "clarifying", failedCycles: 0 });
  expect(said()).not.toEqual([]);
});
