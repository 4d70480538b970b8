import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { answerJson, serveOnLoopback } from "../../../../test/support/loopback.ts";
import { gitlabStage, PROJECT } from "../../../../test/mock-gitlab/fixture.ts";
import { systemClock } from "../../../lib/clock.ts";
import type { WebhookReading } from "../webhook.ts";
import { gitlabWebhooks } from "./webhook.ts";

/** What Relay reads of each delivery, in the order in which they come. */
async function listening(secrets: { token?: string; signingToken?: string }) {
  const stage = await gitlabStage();
  const readings: WebhookReading[] = [];
  const secret = secrets.signingToken ?? secrets.token ?? "";
  const reader = gitlabWebhooks({ secrets: [secret], clock: systemClock });
  const origin = await serveOnLoopback(async (request, response) => {
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
    const call = { headers, body: await buffer(request) };
    const signed = await reader.isSigned(call);
    if (signed) readings.push(reader.read(call));
    answerJson(response, signed ? 202 : 401, {});
  });
  stage.mock.people.hook(PROJECT, `${origin}/webhooks/gitlab`, secrets);
  const kinds = async () => {
    await stage.mock.hooks.settled();
    await stage.mock.hooks.release();
    return readings.flatMap((one) =>
      one.kind === "events" ? one.events.map(({ kind, externalIssueId }) => `${kind} ${externalIssueId}`) : [],
    );
  };
  return { ...stage, readings, kinds };
}

test.each([
  ["a secret token", { token: "a secret" }],
  ["a signing token", { signingToken: `whsec_${randomBytes(32).toString("base64")}` }],
])("what people do comes in as events, signed by %s", async (_, secrets) => {
  const { mock, at, kinds } = await listening(secrets);
  const { people, hooks } = mock;
  hooks.policy = "hold";
  const { id, thread } = people.comment(at, "ann", "one");
  people.comment(at, "bob", "two", { thread });
  people.editComment(at, id, "ann", "uno");
  people.deleteComment(at, id);
  people.edit(at, "ann", { title: "New", assignees: ["bob", "relay"], labels: ["bug", "x"] });
  people.edit(at, "ann", { state: "closed" });
  people.edit(at, "ann", { state: "opened" });
  const iid = people.openMergeRequest(PROJECT, "relay", { title: "Fix", source: "fix/1-x" });
  const request = { project: PROJECT, iid, kind: "merge_request" as const };
  people.comment(request, "bob", "why?");
  people.approve(request, "bob", true);
  people.requestChanges(request, "bob");
  people.pipeline(PROJECT, "relay", "fix/1-x", "failed");
  people.pipeline(PROJECT, "relay", "fix/1-x", "failed", { ofBranch: true });
  people.edit(request, "ann", { state: "merged" });
  expect(await kinds()).toEqual([
    "commented 1",
    "commented 1",
    "comment_edited 1",
    "edited 1",
    "labelled 1",
    "assigned 1",
    "closed 1",
    "reopened 1",
    "commented !1",
    "review_submitted !1",
    "review_submitted !1",
    "checks_completed !1",
    "checks_completed !",
    "pull_request_merged !1",
  ]);
});

test("Relay's own comments come in as events of its account", async () => {
  const { mock, tracker, issue, readings } = await listening({ token: "t" });
  const made = await tracker.createComment(issue, "hello", null);
  await mock.hooks.settled();
  expect(readings).toMatchObject([
    { events: [{ kind: "commented", actor: "relay", commentId: made.id, threadId: made.threadId, text: "hello" }] },
  ]);
});

test("a delivery that is sent again has the id that it had", async () => {
  const { mock, at, readings } = await listening({ token: "t" });
  mock.hooks.policy = "hold";
  mock.people.comment(at, "ann", "one");
  await mock.hooks.release((held) => [...held, ...held]);
  const hook = mock.state.projects[0]?.hooks[0];
  const event = hook?.log[0];
  if (!hook || !event) throw new Error("nothing was logged");
  await mock.hooks.resend(hook, event);
  const ids = readings.map((one) => (one.kind === "events" ? one.deliveryId : one.kind));
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(1);
});

test("that an issue became confidential is told, its comments are told, and internal notes are not (R-SAFE-11)", async () => {
  const { mock, at, kinds } = await listening({ token: "a secret" });
  mock.hooks.policy = "hold";
  mock.people.edit(at, "ann", { confidential: true });
  mock.people.comment(at, "ann", "one");
  mock.people.comment(at, "ann", "the customer is Acme Bank", { internal: true });
  expect(await kinds()).toEqual(["edited 1", "commented 1"]);
});
