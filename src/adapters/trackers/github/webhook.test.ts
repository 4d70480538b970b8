import { createHmac } from "node:crypto";
import { sign } from "@octokit/webhooks-methods";
import { asyncProperty, assert, constantFrom, property, record, string, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { githubPayload, githubPayloads } from "../../../../test/support/github-payloads.ts";
import { mutatedJson } from "../../../../test/support/mutated-json.ts";
import type { WebhookReading } from "../webhook.ts";
import { githubWebhooks } from "./webhook.ts";

const SECRET = "a secret of some length";
const NOW = new Date("2026-02-03T04:05:06Z");
const reader = githubWebhooks({ secrets: [SECRET], clock: { now: () => NOW } });

function callOf(name: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const bytes = Buffer.from(body);
  return {
    headers: new Headers({
      "x-github-event": name,
      "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
      "x-hub-signature-256": `sha256=${createHmac("sha256", SECRET).update(bytes).digest("hex")}`,
      "content-type": "application/json",
      ...headers,
    }),
    body: bytes,
  };
}

const read = (name: string, payload: unknown, headers?: Record<string, string>) =>
  reader.read(callOf(name, JSON.stringify(payload), headers));

function eventsOf(reading: WebhookReading) {
  if (reading.kind !== "events") throw new Error(JSON.stringify(reading));
  return reading.events;
}

function keyOf(reading: WebhookReading) {
  return reading.kind === "events" ? reading.contentKey : null;
}

function change(payload: Record<string, unknown>, path: string[], value: unknown): Record<string, unknown> {
  const [first = "", ...rest] = path;
  const inner = payload[first];
  const next = rest.length === 0 ? value : change(typeof inner === "object" ? { ...inner } : {}, rest, value);
  return { ...payload, [first]: next };
}

describe("what GitHub is known to send", () => {
  test("each collected payload is read as events or ignored", () => {
    const seen = new Map<string, number>();
    for (const { name, action, payload } of githubPayloads) {
      const reading = read(name, payload);
      const kinds = reading.kind === "events" ? reading.events.map((event) => event.kind).join(" ") : reading.kind;
      const line = `${name}.${action}: ${kinds}`;
      if (reading.kind !== "ignored") seen.set(line, (seen.get(line) ?? 0) + 1);
    }
    expect(githubPayloads.length).toBe(329);
    expect(Object.fromEntries(seen)).toEqual({
      "check_suite.completed: checks_completed": 3,
      "installation.created: access": 2,
      "installation.new_permissions_accepted: access": 1,
      "installation.unsuspend: access": 1,
      "installation_repositories.added: access": 2,
      "issue_comment.created: commented": 5,
      "issue_comment.deleted: comment_deleted": 2,
      "issue_comment.edited: comment_edited": 2,
      "issues.assigned: assigned": 3,
      "issues.deleted: closed": 1,
      "issues.edited: edited": 3,
      "issues.labeled: labelled": 2,
      "issues.opened: opened": 4,
      "issues.reopened: reopened": 1,
      "issues.transferred: closed": 1,
      "issues.unassigned: unassigned": 2,
      "issues.unlabeled: labelled": 2,
      "pull_request.closed: pull_request_closed": 2,
      "pull_request.reopened: pull_request_reopened": 2,
      "pull_request_review.submitted: review_submitted": 3,
      "pull_request_review_comment.created: review_commented": 3,
      "pull_request_review_comment.deleted: comment_deleted": 1,
      "pull_request_review_comment.edited: comment_edited": 1,
      "push.null: pushed": 2,
    });
  });

  test("an assignment tells who was assigned, by whom, and where", () => {
    expect(eventsOf(read("issues", githubPayload("issues", "assigned")))).toEqual([
      {
        provider: "github",
        externalProjectId: "Codertocat/Hello-World",
        externalIssueId: "1",
        stableProjectId: "186853002",
        kind: "assigned",
        actor: "Codertocat",
        actorIsBot: false,
        at: new Date("2019-05-15T15:20:18Z"),
        assignee: "Codertocat",
        commentId: null,
        threadId: null,
        text: null,
        branch: null,
        outcome: null,
      },
    ]);
  });

  test("a push to the default branch tells its files, unless it may not name all of them", () => {
    const commit = (...modified: string[]) => ({ added: ["new.ts"], modified, removed: [] });
    const pushed = (more: Record<string, unknown>) =>
      read("push", {
        ref: "refs/heads/main",
        after: "c0ffee",
        repository: { id: 7, full_name: "acme/shop", default_branch: "main" },
        commits: [commit("a.ts"), commit("b.ts")],
        ...more,
      });
    const push = { externalProjectId: "acme/shop", stableProjectId: "7", commit: "c0ffee" };
    expect(pushed({})).toEqual({ kind: "pushed", push: { ...push, files: ["new.ts", "a.ts", "b.ts"] } });
    const cut = [
      { forced: true },
      { commits: [] },
      { commits: Array.from({ length: 20 }, () => commit("a.ts")) },
      { commits: [{ id: "1" }] },
      { commits: [commit(...Array.from({ length: 301 }, (_, n) => `${n}.ts`))] },
      { commits: [commit("x".repeat(20_001))] },
    ];
    for (const more of cut) expect(pushed(more)).toEqual({ kind: "pushed", push: { ...push, files: null } });
    for (const more of [{ ref: "refs/heads/fix" }, { ref: "refs/tags/main" }, { deleted: true }]) {
      expect(pushed(more)).toEqual({ kind: "ignored", what: "push" });
    }
  });

  test("a comment comes with its text and id; on a pull request it belongs to `!` and the number", () => {
    const payload = githubPayload("issue_comment", "created");
    const expected = {
      kind: "commented",
      commentId: "492700400",
      text: "You are totally right! I'll get this fixed right away.",
    };
    expect(eventsOf(read("issue_comment", payload))).toMatchObject([{ ...expected, externalIssueId: "1" }]);
    const onRequest = change(payload, ["issue", "pull_request"], { url: "https://api.github.com/…" });
    expect(eventsOf(read("issue_comment", onRequest))).toMatchObject([{ ...expected, externalIssueId: "!1" }]);
  });

  test("a merged pull request is told from one that was closed", () => {
    const payload = githubPayload("pull_request", "closed");
    const expected = { externalIssueId: "!2", branch: "changes", at: new Date("2019-05-15T15:21:18Z") };
    expect(eventsOf(read("pull_request", payload))).toMatchObject([{ ...expected, kind: "pull_request_closed" }]);
    const merged = change(payload, ["pull_request", "merged"], true);
    expect(eventsOf(read("pull_request", merged))).toMatchObject([{ ...expected, kind: "pull_request_merged" }]);
  });

  test("a review tells its outcome, a review comment its thread", () => {
    const review = change(githubPayload("pull_request_review", "submitted"), ["review", "state"], "APPROVED");
    expect(eventsOf(read("pull_request_review", review))).toMatchObject([
      { kind: "review_submitted", externalIssueId: "!2", branch: "changes", outcome: "approved", text: null },
    ]);
    const opening = githubPayload("pull_request_review_comment", "created");
    expect(eventsOf(read("pull_request_review_comment", opening))).toMatchObject([
      { kind: "review_commented", commentId: "284312630", threadId: "284312630" },
    ]);
    const answer = change(opening, ["comment", "in_reply_to_id"], 7);
    expect(eventsOf(read("pull_request_review_comment", answer))).toMatchObject([
      { commentId: "284312630", threadId: "7" },
    ]);
    const edited = githubPayload("pull_request_review_comment", "edited");
    expect(eventsOf(read("pull_request_review_comment", edited))).toMatchObject([
      { kind: "comment_edited", externalIssueId: "!2", at: new Date("2019-05-15T15:20:38Z") },
    ]);
    const said = change(review, ["action"], "edited");
    expect(eventsOf(read("pull_request_review", said))).toMatchObject([
      { kind: "comment_edited", externalIssueId: "!2" },
    ]);
  });

  test("checks that are through are told once for each pull request of this repository", () => {
    const here = { repo: { id: 186853002 } };
    const suite = change(
      githubPayload("check_suite", "completed"),
      ["check_suite", "pull_requests"],
      [
        { number: 2, head: { ref: "changes", ...here }, base: here },
        { number: 3, head: { ref: "changes", ...here }, base: here },
        { number: 4, head: { ref: "changes", ...here }, base: { repo: { id: 1 } } },
      ],
    );
    expect(eventsOf(read("check_suite", suite))).toMatchObject([
      { kind: "checks_completed", externalIssueId: "!2", branch: "changes", outcome: "success" },
      { kind: "checks_completed", externalIssueId: "!3", branch: "changes", outcome: "success" },
    ]);
    const alone = change(suite, ["check_suite", "pull_requests"], []);
    expect(eventsOf(read("check_suite", alone))).toMatchObject([
      { kind: "checks_completed", externalIssueId: "!", branch: "changes", outcome: "success" },
    ]);
    for (const branch of [null, "master"]) {
      const other = change(alone, ["check_suite", "head_branch"], branch);
      expect(read("check_suite", other)).toMatchObject({ kind: "ignored" });
    }
    const elsewhere = [{ number: 4, head: { ref: "changes", ...here }, base: { repo: { id: 1 } } }];
    expect(read("check_suite", change(suite, ["check_suite", "pull_requests"], elsewhere))).toMatchObject({
      kind: "ignored",
    });
  });

  test("a status that is final is told for the branches that end with its commit, but the default one", () => {
    const payload = githubPayload("status", null);
    const { sha } = payload;
    const branches = ["master", "changes", "older"].map((name) => ({
      name,
      commit: { sha: name === "older" ? "0".repeat(40) : sha },
    }));
    const failed = { ...payload, state: "failure", branches };
    expect(eventsOf(read("status", failed))).toMatchObject([
      { kind: "checks_completed", externalIssueId: "!", branch: "changes", outcome: "failure", actor: "Codertocat" },
    ]);
    expect(read("status", { ...failed, state: "pending" })).toMatchObject({ kind: "ignored" });
    expect(read("status", { ...failed, branches: [] })).toMatchObject({ kind: "ignored" });
    expect(keyOf(read("status", failed))).not.toBe(keyOf(read("status", { ...failed, context: "another" })));
  });

  test("what is said of a pull request is told with the thread that answers it", () => {
    const comment = change(githubPayload("issue_comment", "created"), ["issue", "pull_request"], {});
    expect(eventsOf(read("issue_comment", comment))).toMatchObject([{ threadId: "comment:492700400" }]);
    expect(eventsOf(read("issue_comment", githubPayload("issue_comment", "created")))[0].threadId).toBeNull();
    const silent = githubPayload("pull_request_review", "submitted");
    expect(eventsOf(read("pull_request_review", silent))).toMatchObject([{ threadId: null, commentId: null }]);
    const review = change(silent, ["review", "body"], "Too slow.");
    expect(eventsOf(read("pull_request_review", review))).toMatchObject([
      { threadId: "review:237895671", commentId: "237895671", text: "Too slow." },
    ]);
  });

  test("the branch of a fork is not told, whatever it is called", () => {
    const fork = change(githubPayload("pull_request", "closed"), ["pull_request", "head", "repo", "id"], 1);
    expect(eventsOf(read("pull_request", fork))).toMatchObject([{ branch: null }]);
    const gone = change(githubPayload("pull_request", "closed"), ["pull_request", "head", "repo"], null);
    expect(eventsOf(read("pull_request", gone))).toMatchObject([{ branch: null }]);
  });

  test("bots are known by their type or their name", () => {
    const payload = githubPayload("issues", "opened");
    for (const sender of [{ login: "x", type: "Bot" }, { login: "x[bot]", type: "User" }, { login: "x[bot]" }]) {
      expect(eventsOf(read("issues", { ...payload, sender }))[0].actorIsBot).toBe(true);
    }
    expect(eventsOf(read("issues", { ...payload, sender: { login: "bot", type: "User" } }))[0].actorIsBot).toBe(false);
  });

  test("a form says the same as JSON", () => {
    const json = JSON.stringify(githubPayload("issue_comment", "created"));
    const form = new URLSearchParams({ payload: json }).toString();
    const reading = reader.read(callOf("issue_comment", form, { "content-type": "application/x-www-form-urlencoded" }));
    expect(reading).toEqual(reader.read(callOf("issue_comment", json)));
  });

  test("characters that no database keeps are left out", () => {
    const payload = change(githubPayload("issue_comment", "created"), ["comment", "body"], "a\0b \ud800 c");
    expect(eventsOf(read("issue_comment", payload))[0].text).toBe("ab \ufffd c");
  });
});

describe("the content key", () => {
  const edited = githubPayload("issues", "edited");

  test("is the same for the same happening under another id, from an App or from a repository's webhook", () => {
    const again = read("issues", { ...edited, installation: { id: 1 } }, { "x-github-delivery": "another" });
    expect(keyOf(again)).toBe(keyOf(read("issues", edited)));
  });

  test.each([
    ["another text", change(edited, ["issue", "body"], "new")],
    ["another title", change(edited, ["issue", "title"], "new")],
    ["another time", change(edited, ["issue", "updated_at"], "2026-01-01T00:00:00Z")],
    ["another issue", change(edited, ["issue", "number"], 77)],
    ["another repository", change(edited, ["repository", "full_name"], "a/b")],
    ["another person", change(edited, ["sender", "login"], "somebody")],
    ["another action", { ...edited, action: "opened" }],
  ])("differs for %s", (_, payload) => {
    expect(keyOf(read("issues", payload))).not.toBe(keyOf(read("issues", edited)));
  });

  test("tells adding a label from taking it away, and one label from another", () => {
    const added = githubPayload("issues", "labeled");
    const keys = [added, { ...added, action: "unlabeled" }, change(added, ["label", "name"], "other")].map((payload) =>
      keyOf(read("issues", payload)),
    );
    expect(new Set(keys).size).toBe(3);
  });
});

describe("what is not understood", () => {
  const json = JSON.stringify(githubPayload("issues", "opened"));

  test.each([
    ["no JSON", callOf("issues", "{"), "the body is not JSON"],
    ["nothing", callOf("issues", ""), "the body is not JSON"],
    [
      "a form without a payload",
      callOf("issues", "a=b", { "content-type": "application/x-www-form-urlencoded" }),
      "the body is not JSON",
    ],
    [
      "no delivery id",
      callOf("issues", json, { "x-github-delivery": "" }),
      "the header X-GitHub-Delivery is missing or is no id",
    ],
    ["no event", callOf("", json), "the header X-GitHub-Event is missing or is no event's name"],
    [
      "no issue",
      callOf("issues", `{"action":"opened","sender":{"login":"x"},"repository":{"full_name":"a/b"}}`),
      "issues: issue: ",
    ],
    ["no payload at all", callOf("issues", "null"), "issues: : "],
  ])("%s is malformed, with the problem named", (_, call, problem) => {
    const reading = reader.read(call);
    expect(reading.kind === "malformed" ? reading.problem : reading.kind).toContain(problem);
  });

  test("a ping and what Relay has never heard of are ignored", () => {
    expect(read("ping", { zen: "Keep it logically awesome.", hook_id: 1 })).toEqual({ kind: "ignored", what: "ping" });
    expect(read("telepathy", { action: "sent" })).toEqual({ kind: "ignored", what: "telepathy" });
    expect(read("issues", { action: "constructor" })).toEqual({ kind: "ignored", what: "issues" });
  });

  test("payloads that were tampered with never throw", () => {
    const relevant = githubPayloads.filter((one) => read(one.name, one.payload).kind === "events");
    assert(
      property(
        constantFrom(...relevant).chain((one) =>
          record({ name: constantFrom(one.name), payload: mutatedJson(one.payload) }),
        ),
        ({ name, payload }) => {
          const reading = read(name, payload);
          if (reading.kind !== "events") return;
          for (const event of reading.events) {
            expect(event.at.toISOString()).toMatch(/^\d{4}-/);
            expect(JSON.stringify(event)).not.toContain(String.raw`\u0000`);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("neither do bytes of any kind, nor what is very deep or very long", () => {
    assert(
      property(
        uint8Array(),
        string(),
        (body, name) =>
          void reader.read({
            headers: new Headers({ "x-github-event": encodeURIComponent(name), "x-github-delivery": "1" }),
            body,
          }),
      ),
    );
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    expect(reader.read(callOf("issues", deep)).kind).toBe("malformed");
    expect(reader.read(callOf("issues", `{"action":"opened","issue":${deep}}`)).kind).toBe("malformed");
    const long = change(githubPayload("issues", "opened"), ["issue", "body"], "x".repeat(8_000_000));
    expect(eventsOf(read("issues", long))[0].text?.length).toBe(8_000_000);
  });
});

describe("the signature", () => {
  const call = callOf("issues", "{}");
  const withSignature = (signature: string | null) => {
    const headers = new Headers(call.headers);
    if (signature === null) headers.delete("x-hub-signature-256");
    else headers.set("x-hub-signature-256", signature);
    return { headers, body: call.body };
  };

  test("of the secret is accepted, over the very bytes", async () => {
    expect(await reader.isSigned(call)).toBe(true);
    expect(await reader.isSigned(callOf("issues", new Uint8Array([0xff, 0xfe, 0])))).toBe(true);
    expect(await reader.isSigned(callOf("issues", ""))).toBe(true);
    expect(await reader.isSigned({ ...call, body: Buffer.from("{} ") })).toBe(false);
  });

  test("is the one that others compute", async () => {
    const body = JSON.stringify(githubPayload("issues", "opened"));
    expect(await reader.isSigned(callOf("issues", body, { "x-hub-signature-256": await sign(SECRET, body) }))).toBe(
      true,
    );
  });

  test("is looked for in the headers before a body is read", () => {
    const may = (value: string) => reader.mayBeSigned(new Headers({ "x-hub-signature-256": value }));
    expect(may(`sha256=${"0".repeat(64)}`)).toBe(true);
    expect(["", "sha256=", `sha1=${"0".repeat(40)}`, `sha256=${"0".repeat(65)}`].map(may)).not.toContain(true);
  });

  test("of another secret, of another form, or none at all is not", async () => {
    const other = createHmac("sha256", "another secret").update("{}").digest("hex");
    const sha1 = createHmac("sha1", SECRET).update("{}").digest("hex");
    for (const signature of [
      null,
      "",
      "sha256=",
      `sha256=${other}`,
      `sha1=${sha1}`,
      other,
      `sha256=${other}00`,
      "sha256=zz",
    ]) {
      expect(await reader.isSigned(withSignature(signature))).toBe(false);
    }
    await assert(
      asyncProperty(string(), async (text) => {
        expect(await reader.isSigned(withSignature(encodeURIComponent(text)))).toBe(false);
      }),
    );
  });

  test("of the old secret and of the new one are accepted while a secret is being changed", async () => {
    const both = githubWebhooks({ secrets: ["the new secret 123", SECRET], clock: { now: () => NOW } });
    expect(await both.isSigned(call)).toBe(true);
    const fresh = createHmac("sha256", "the new secret 123").update("{}").digest("hex");
    expect(await both.isSigned(withSignature(`sha256=${fresh}`))).toBe(true);
    expect(await reader.isSigned(withSignature(`sha256=${fresh}`))).toBe(false);
  });
});
