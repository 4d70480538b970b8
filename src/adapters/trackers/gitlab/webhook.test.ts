import { z } from "zod";
import { createHmac, randomBytes } from "node:crypto";
import { assert, asyncProperty, constantFrom, property, string, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import examples from "../../../../test/fixtures/gitlab-webhooks/examples.json" with { type: "json" };
import newer from "../../../../test/fixtures/gitlab-webhooks/newer.json" with { type: "json" };
import { mutatedJson } from "../../../../test/support/mutated-json.ts";
import type { WebhookReading } from "../webhook.ts";
import { gitlabWebhooks } from "./webhook.ts";

const TOKEN = "a secret of some length";
const SIGNING = `whsec_${randomBytes(32).toString("base64")}`;
const NOW = new Date("2026-03-01T10:10:00Z");
const clock = { now: () => NOW };
const reader = gitlabWebhooks({ secrets: [TOKEN], clock });

const documented: Record<string, unknown> = { ...examples, ...newer };

function callOf(payload: unknown, headers: Record<string, string> = {}) {
  const body = Buffer.from(typeof payload === "string" ? payload : (JSON.stringify(payload) ?? ""));
  return { body, headers: new Headers({ "idempotency-key": "f0e0", "x-gitlab-token": TOKEN, ...headers }) };
}

const read = (payload: unknown, headers?: Record<string, string>) => reader.read(callOf(payload, headers));

function told(reading: WebhookReading): string {
  if (reading.kind !== "events") return reading.kind;
  return reading.events.map((one) => `${one.kind} ${one.assignee ?? one.outcome ?? ""}`.trim()).join(", ");
}

/** An update of issue 4 with these changes. */
function updated(changes: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const issue = structuredClone(newer["confidential-issue"]);
  return { ...issue, object_attributes: { ...issue.object_attributes, ...more }, changes };
}

describe("what GitLab is documented to send", () => {
  test("each example is read as events or ignored", () => {
    const seen = Object.entries(documented).map(([name, payload]) => [name, told(read(payload))]);
    expect(seen.filter(([, what]) => what === "malformed")).toEqual([]);
    expect(Object.fromEntries(seen.filter(([, what]) => what !== "ignored"))).toEqual({
      approved: "review_submitted approved",
      "branch-pipeline": "checks_completed success",
      "confidential-issue": "edited",
      "changes-requested": "review_submitted changes_requested",
      "edited-note": "comment_edited",
      "failed-pipeline": "checks_completed failure",
      incident: "closed",
      issue: "opened, assigned user1",
      "note-issue": "commented",
      "note-merge-request": "commented",
      "of-a-fork": "pull_request_closed",
      pipeline: "checks_completed success",
      push: "pushed",
      "review-note": "review_commented",
      "system-push": "pushed",
      task: "opened",
    });
  });

  test("a comment is told with its thread, its text, and where it is", () => {
    expect(read(newer["edited-note"])).toMatchObject({
      kind: "events",
      deliveryId: "f0e0",
      events: [
        {
          provider: "gitlab",
          externalProjectId: "acme/shop",
          externalIssueId: "4",
          kind: "comment_edited",
          actor: "ann",
          actorIsBot: false,
          at: new Date("2026-03-01T10:06:00Z"),
          assignee: null,
          commentId: "1244",
          threadId: "cac39b0331f7f3b0f3f4b2b9a3f4a6b2c5d6e7f8",
          text: "uno",
          branch: null,
          outcome: null,
        },
      ],
    });
    expect(read(newer["review-note"])).toMatchObject({ events: [{ externalIssueId: "!2", branch: "fix/4-x" }] });
  });

  test("a push to the default branch tells its files, unless it names fewer commits than it has", () => {
    const pushed = (more: Record<string, unknown>) =>
      read({
        object_kind: "push",
        ref: "refs/heads/main",
        checkout_sha: "c0ffee",
        user_username: "ann",
        project: { id: 15, path_with_namespace: "acme/shop", default_branch: "main" },
        commits: [{ added: [], modified: ["a.ts"], removed: ["b.ts"] }],
        total_commits_count: 1,
        ...more,
      });
    const push = { externalProjectId: "acme/shop", stableProjectId: "15", commit: "c0ffee" };
    expect(pushed({})).toEqual({ kind: "pushed", push: { ...push, files: ["a.ts", "b.ts"] } });
    for (const more of [{ total_commits_count: 21 }, { commits: [], total_commits_count: 0 }]) {
      expect(pushed(more)).toEqual({ kind: "pushed", push: { ...push, files: null } });
    }
    for (const more of [{ ref: "refs/heads/fix" }, { checkout_sha: null }]) {
      expect(pushed(more)).toEqual({ kind: "ignored", what: "push" });
    }
  });

  test("a merge request that is opened again is told", () => {
    const closed = z.looseObject({ object_attributes: z.looseObject({}) }).parse(newer["of-a-fork"]);
    const reopened = {
      ...closed,
      object_attributes: { ...closed.object_attributes, action: "reopen", state: "opened" },
    };
    expect(read(reopened)).toMatchObject({ events: [{ externalIssueId: "!3", kind: "pull_request_reopened" }] });
  });

  test("the branch of a fork is not told, whatever it is called", () => {
    expect(read(newer["of-a-fork"])).toMatchObject({ events: [{ externalIssueId: "!3", branch: null }] });
  });
});

describe("one call that tells of several changes", () => {
  const person = (username: string) => ({ username });

  test("gives them all, in the order to take them in", () => {
    const changes = {
      title: { previous: "a", current: "b" },
      labels: { previous: [], current: [{ title: "bug" }] },
      assignees: { previous: [person("bob"), person("ann")], current: [person("ann"), person("relay")] },
    };
    expect(told(read(updated(changes)))).toBe("edited, labelled, unassigned bob, assigned relay");
    expect(told(read(updated(changes, { action: "close" })))).toBe(
      "edited, labelled, unassigned bob, assigned relay, closed",
    );
    expect(told(read(updated(changes, { action: "reopen" })))).toBe(
      "reopened, edited, labelled, unassigned bob, assigned relay",
    );
  });

  test("tells the new text where the text was changed, and none where only the title was", () => {
    const both = { description: { previous: "w", current: "x" } };
    expect(read(updated(both))).toMatchObject({ events: [{ kind: "edited", text: "x" }] });
    const title = { title: { previous: "a", current: "b" } };
    expect(read(updated(title))).toMatchObject({ events: [{ kind: "edited", text: null }] });
  });

  test("is ignored where nothing of it matters", () => {
    expect(read(updated({ weight: { previous: 1, current: 2 } }))).toEqual({ kind: "ignored", what: "issue" });
  });
});

test("a pipeline of a branch is told with the branch, where a request can come from it", () => {
  const pipeline = newer["branch-pipeline"];
  const of = (attributes: Record<string, unknown>) =>
    read({
      ...pipeline,
      project: { ...pipeline.project, default_branch: "main" },
      object_attributes: { ...pipeline.object_attributes, ...attributes },
    });
  expect(of({ ref: "fix/4-x", status: "failed" })).toMatchObject({
    events: [{ kind: "checks_completed", externalIssueId: "!", branch: "fix/4-x", outcome: "failure", actor: "ann" }],
  });
  expect(of({ ref: "main", status: "failed" })).toMatchObject({ kind: "ignored" });
  expect(of({ ref: "v1.0", tag: true, status: "failed" })).toMatchObject({ kind: "ignored" });
  expect(of({ ref: "fix/4-x", status: "running" })).toMatchObject({ kind: "ignored" });
});

test.each([
  ["project_12_bot", true],
  ["project_12_bot_4b2c9a", true],
  ["group_7_bot1", true],
  ["service_account_group_345_6018816a18e515214e0c34c2b33523fc", true],
  ["support-bot", true],
  ["ann", false],
  ["project_manager", false],
  ["talbot", false],
])("%s is known for a bot or not by the name", (username, isBot) => {
  const payload = { ...newer["edited-note"], user: { username } };
  expect(read(payload)).toMatchObject({ events: [{ actorIsBot: isBot }] });
});

describe("telling deliveries apart", () => {
  const keyOf = (reading: WebhookReading) => (reading.kind === "events" ? reading.contentKey : null);

  test("the id stays when a delivery is sent again, and all that one request caused does not share it", () => {
    const first = { "idempotency-key": "1", "x-gitlab-webhook-uuid": "a", "x-gitlab-event-uuid": "same" };
    expect(read(newer.approved, first)).toMatchObject({ deliveryId: "1" });
    expect(read(newer.approved, { ...first, "x-gitlab-webhook-uuid": "b" })).toMatchObject({ deliveryId: "1" });
    const old = new Headers({ "x-gitlab-webhook-uuid": "a", "x-gitlab-event-uuid": "same" });
    expect(reader.read({ ...callOf(newer.approved), headers: old })).toMatchObject({ deliveryId: "a" });
  });

  test("what a project's and a group's webhook tell of the same has one key", () => {
    const one = read(newer.approved, { "idempotency-key": "1" });
    expect(keyOf(one)).toBe(keyOf(read(newer.approved, { "idempotency-key": "2" })));
    expect(keyOf(one)).not.toBe(keyOf(read(newer["changes-requested"])));
  });
});

describe("what is sent by whoever", () => {
  test.each([
    ["what is no JSON", "{"],
    ["nothing", ""],
    ["a list", "[]"],
    ["a note of nobody", { ...newer["edited-note"], user: null }],
    ["an issue without a number", { ...newer.incident, object_attributes: {} }],
    ["a note that was cut", { object_kind: "note" }],
    ["a project without a path", { ...newer.incident, project: { id: 1 } }],
  ])("%s is malformed", (_, payload) => {
    expect(read(payload).kind).toBe("malformed");
  });

  test("payloads that were tampered with never throw, and what is read of them can be stored", () => {
    const relevant = Object.values(documented).filter((payload) => read(payload).kind === "events");
    assert(
      property(
        constantFrom(...relevant).chain((payload) => mutatedJson(payload)),
        (payload) => {
          const reading = read(payload);
          if (reading.kind !== "events") return;
          for (const event of reading.events) {
            expect(event.at.toISOString()).toMatch(/^\d{4}-/);
            expect(JSON.stringify(event)).not.toContain(String.raw`\u0000`);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("neither do bytes of any kind, nor what is very deep", () => {
    assert(property(uint8Array(), (body) => void reader.read({ headers: new Headers(), body })));
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    expect(read(deep).kind).toBe("malformed");
    expect(["ignored", "malformed"]).toContain(read(`{"object_kind":"issue","project":${deep}}`).kind);
  });
});

describe("the signature", () => {
  const signing = gitlabWebhooks({ secrets: [SIGNING], clock });
  const sign = (body: string, at: Date, secret = SIGNING) => {
    const timestamp = String(Math.floor(at.getTime() / 1000));
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const digest = createHmac("sha256", key).update(`id.${timestamp}.${body}`).digest("base64");
    return { "webhook-id": "id", "webhook-timestamp": timestamp, "webhook-signature": `v1,${digest}` };
  };
  const signed = (body: string, headers: Record<string, string>) => ({
    body: Buffer.from(body),
    headers: new Headers(headers),
  });

  test("of a secret token is the token itself", async () => {
    expect(await reader.isSigned(callOf("{}"))).toBe(true);
    expect(await reader.isSigned(callOf("{}", { "x-gitlab-token": "another" }))).toBe(false);
    expect(await reader.isSigned({ body: Buffer.from("{}"), headers: new Headers() })).toBe(false);
    const none = gitlabWebhooks({ secrets: [""], clock });
    expect(await none.isSigned({ body: Buffer.from("{}"), headers: new Headers() })).toBe(false);
    await assert(
      asyncProperty(string(), async (text) => {
        expect(await reader.isSigned(callOf("{}", { "x-gitlab-token": encodeURIComponent(text) }))).toBe(false);
      }),
    );
  });

  test("of a signing token is over the id, the time and the very bytes", async () => {
    expect(await signing.isSigned(signed("{}", sign("{}", NOW)))).toBe(true);
    expect(await signing.isSigned(signed("{} ", sign("{}", NOW)))).toBe(false);
    expect(await signing.isSigned(signed("{}", { ...sign("{}", NOW), "webhook-id": "other" }))).toBe(false);
    const other = `whsec_${randomBytes(32).toString("base64")}`;
    expect(await signing.isSigned(signed("{}", sign("{}", NOW, other)))).toBe(false);
    expect(await signing.isSigned(signed("{}", { "webhook-signature": "v1," }))).toBe(false);
    const two = sign("{}", NOW);
    const both = { ...two, "webhook-signature": `v1,AAAA ${two["webhook-signature"]}` };
    expect(await signing.isSigned(signed("{}", both))).toBe(true);
  });

  test("is looked for in the headers before a body is read", () => {
    const may = (one: typeof reader, headers: Record<string, string>) => one.mayBeSigned(new Headers(headers));
    expect(may(reader, { "x-gitlab-token": TOKEN })).toBe(true);
    expect([{}, { "x-gitlab-token": "another" }, sign("{}", NOW)].map((one) => may(reader, one))).not.toContain(true);
    expect(may(signing, { ...sign("{}", NOW), "webhook-signature": "v1,of another body" })).toBe(true);
    const unsigned = [
      { "x-gitlab-token": TOKEN },
      { ...sign("{}", NOW), "webhook-signature": "v2,x" },
      sign("{}", new Date(0)),
    ];
    expect(unsigned.map((one) => may(signing, one))).not.toContain(true);
  });

  test("is not taken minutes later, since it may be sent again by somebody else", async () => {
    const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000);
    expect(await signing.isSigned(signed("{}", sign("{}", minutes(-4))))).toBe(true);
    expect(await signing.isSigned(signed("{}", sign("{}", minutes(-6))))).toBe(false);
    expect(await signing.isSigned(signed("{}", sign("{}", minutes(6))))).toBe(false);
  });

  test("of the old secret and of the new one are accepted while a secret is being changed", async () => {
    const both = gitlabWebhooks({ secrets: [SIGNING, TOKEN], clock });
    expect(await both.isSigned(callOf("{}"))).toBe(true);
    expect(await both.isSigned(signed("{}", sign("{}", NOW)))).toBe(true);
  });
});
