import { expect, test } from "vitest";
import { githubPayload } from "../../../test/support/github-payloads.ts";
import { configWithoutFile } from "../../config/config.ts";
import { systemClock } from "../../lib/clock.ts";
import { readCiEvent, whyNoWork } from "./event.ts";

const read = async (payload: unknown, name: string | null, env: Record<string, string> = {}) =>
  await readCiEvent({ body: Buffer.from(JSON.stringify(payload)), name: "event.json" }, name, {
    config: configWithoutFile({ RELAY_REPOSITORIES: "Codertocat/*", ...env }),
    env,
    clock: systemClock,
  });

async function deliveryOf(payload: unknown, name: string) {
  const { meaning } = await read(payload, name);
  if (meaning.kind !== "delivery") throw new Error(`it is ${meaning.kind}`);
  return meaning.delivery;
}

const COMMENT = githubPayload("issue_comment", "created");

test("R-IN-2: an event is the same delivery however its file is written, and another one where it says anything else", async () => {
  const { deliveryId, events } = await deliveryOf(COMMENT, "issue_comment");
  expect(events).toMatchObject([{ kind: "commented", externalProjectId: "Codertocat/Hello-World" }]);
  const turned = Object.fromEntries(Object.entries(COMMENT).toReversed());
  expect((await deliveryOf(turned, "issue_comment")).deliveryId).toBe(deliveryId);
  const later = { ...COMMENT, issue: { ...Object(COMMENT["issue"]), updated_at: "2026-01-01T00:00:00Z" } };
  expect((await deliveryOf(later, "issue_comment")).deliveryId).not.toBe(deliveryId);
});

test("the job's variables name a GitHub event; a GitLab event says itself what it is", async () => {
  const env = { GITHUB_EVENT_NAME: "issue_comment", GITHUB_REPOSITORY: "Codertocat/Hello-World" };
  expect(await read(COMMENT, null, env)).toMatchObject({ provider: "github", project: "Codertocat/Hello-World" });
  const push = {
    object_kind: "release",
    user: { id: 1, username: "ann" },
    project: { id: 1, path_with_namespace: "acme/shop" },
  };
  expect(await read(push, null, { CI_PROJECT_PATH: "acme/shop" })).toMatchObject({
    provider: "gitlab",
    project: "acme/shop",
    meaning: { kind: "nothing" },
  });
  expect(await read({}, "schedule")).toMatchObject({ meaning: { kind: "scheduled" } });
});

test("what is no event is refused in one sentence; other repositories and other events are nothing to do", async () => {
  await expect(read(COMMENT, null)).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining("--name"),
  });
  await expect(read({ action: "created" }, "issue_comment")).rejects.toMatchObject({ code: "invalid" });
  await expect(read([], "issue_comment")).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining("event.json has no JSON object"),
  });
  const cut = { body: Buffer.from('{"a":'), name: "cut.json" };
  await expect(
    readCiEvent(cut, "issue_comment", { config: configWithoutFile({}), env: {}, clock: systemClock }),
  ).rejects.toMatchObject({ code: "invalid", message: expect.stringContaining("cut.json is no JSON document") });
  // A note that says nothing was cut, and is not merely of no concern.
  await expect(read({ object_kind: "note" }, null)).rejects.toMatchObject({ code: "invalid" });
  expect(await read(COMMENT, "watch")).toMatchObject({ meaning: { kind: "nothing" } });
  expect(await read(COMMENT, "issue_comment", { RELAY_REPOSITORIES: "acme/*" })).toMatchObject({
    meaning: { kind: "nothing", why: expect.stringMatching(/repository/) },
  });
});

test("words of Relay and of other bots are no work; what they do, and people's words, may be", async () => {
  const { events } = await deliveryOf(COMMENT, "issue_comment");
  const [event] = events;
  const names = ["relay"];
  const why = (change: Partial<typeof event>, respondToBots = false) =>
    whyNoWork([{ ...event, ...change }], { names, respondToBots });
  expect(why({})).toBeNull();
  expect(why({ actor: "Relay" })).toMatch(/own/);
  expect(why({ actor: "ci", actorIsBot: true })).toMatch(/bot/);
  expect(why({ actor: "ci", actorIsBot: true }, true)).toBeNull();
  expect(why({ actor: "relay", kind: "checks_completed" })).toBeNull();
  expect(why({ actor: "ci", actorIsBot: true, kind: "assigned" })).toBeNull();
});
