import { describe, expect, test } from "vitest";
import { ISSUE, PROJECT, TOKEN, githubStage } from "../../../../test/support/github-fixture.ts";
import { type FaultRule, faultOf } from "../../../../test/mock-github/http/faults.ts";
import { RelayError } from "../../../lib/errors.ts";

const COMMENTS = "/issues/7/comments";
type Trouble = FaultRule["trouble"];

/** What comes of a comment while GitHub has this trouble, and how often it was asked for. */
async function commentWith(trouble: Trouble) {
  const silent = trouble.kind === "hang_before" || trouble.kind === "hang_after";
  const { mock, byToken } = await githubStage(silent ? { timeoutMs: 3_000 } : {});
  const tracker = await byToken.tracker();
  mock.world.faults = [faultOf({ method: "POST", path: COMMENTS, trouble })];
  const error: unknown = await tracker.createComment(ISSUE, "Which one?", null).catch((thrown: unknown) => thrown);
  const calls = mock.requests.filter(({ method, path }) => method === "POST" && path.includes(COMMENTS)).length;
  mock.world.faults = [];
  const thread = (await tracker.listComments(ISSUE, null)).comments.map(({ body }) => body);
  return { error, calls, thread };
}

describe("a call that GitHub does not answer well", () => {
  test.each<[string, Trouble, Partial<RelayError>]>([
    ["403", { kind: "status", status: 403 }, { code: "forbidden", status: 403, retryable: false }],
    ["404", { kind: "status", status: 404 }, { code: "not_found", status: 404, retryable: false }],
    ["410", { kind: "status", status: 410 }, { code: "not_found", status: 410, retryable: false }],
    ["422", { kind: "status", status: 422 }, { code: "invalid", status: 422, retryable: false }],
    [
      "429",
      { kind: "status", status: 429, headers: { "retry-after": "7" } },
      { code: "rate_limited", status: 429, retryable: true, retryAfterMs: 7_000 },
    ],
    [
      "a secondary limit",
      { kind: "secondary_limit", retryAfter: 30 },
      { code: "rate_limited", status: 403, retryable: true, retryAfterMs: 30_000 },
    ],
    [
      "a secondary limit that does not say for how long",
      { kind: "secondary_limit", retryAfter: null },
      { code: "rate_limited", status: 403, retryAfterMs: 60_000 },
    ],
    ["500", { kind: "status", status: 500 }, { code: "unavailable", status: 500, retryable: true }],
    [
      "a page instead of an answer",
      { kind: "html", status: 502 },
      { code: "unavailable", status: 502, retryable: true },
    ],
    ["a cut connection", { kind: "cut_before" }, { code: "unavailable", retryable: true }],
    ["silence", { kind: "hang_before" }, { code: "timeout", retryable: true }],
  ])("fails after one try, without an effect: %s", async (_, trouble, expected) => {
    const { error, calls, thread } = await commentWith(trouble);
    expect(error).toBeInstanceOf(RelayError);
    expect(error).toMatchObject(expected);
    expect(String(error)).not.toContain(TOKEN);
    expect(calls).toBe(1);
    expect(thread).toEqual([]);
  });

  test.each<[string, Trouble, Partial<RelayError>]>([
    ["a cut connection", { kind: "cut_after" }, { code: "unavailable", retryable: true }],
    ["silence", { kind: "hang_after" }, { code: "timeout", retryable: true }],
    ["half an answer", { kind: "truncate" }, { code: "unavailable", retryable: true }],
    ["half an answer that pretends to be whole", { kind: "half_json" }, { code: "unavailable", retryable: true }],
    ["a 502 all the same", { kind: "status_after", status: 502 }, { code: "unavailable", retryable: true }],
  ])("is not made again where it took effect: %s", async (_, trouble, expected) => {
    const { error, calls, thread } = await commentWith(trouble);
    expect(error).toMatchObject(expected);
    expect(calls).toBe(1);
    expect(thread).toEqual(["Which one?"]);
  });
});

test("an answer that is none of GitHub's is refused, and says where to look", async () => {
  const { mock, byToken } = await githubStage();
  const tracker = await byToken.tracker();
  mock.world.faults = [faultOf({ trouble: { kind: "status", status: 200, body: { hello: "proxy" } } })];
  await expect(tracker.getIssue(ISSUE)).rejects.toMatchObject({ code: "unavailable" });
  await expect(tracker.getIssue(ISSUE)).rejects.toThrow("GITHUB_API_URL");
});

test("a token that GitHub does not take is told as such, without telling it", async () => {
  const { mock, connect } = await githubStage();
  const wrong = connect({ credentials: { kind: "token", token: "ghp_oldAndGone" } });
  const error: unknown = await wrong.tracker().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "forbidden", status: 401, retryable: false });
  expect(String(error)).not.toContain("ghp_oldAndGone");
  expect(mock.requests).toHaveLength(1);
});

test("who Relay is gets asked again after a failure", async () => {
  const { mock, byToken } = await githubStage();
  mock.world.faults = [faultOf({ path: "/user", times: 1, trouble: { kind: "status", status: 503 } })];
  await expect(byToken.tracker()).rejects.toMatchObject({ code: "unavailable" });
  expect((await byToken.tracker()).bot).toBe("relay");
});

describe("an issue that is not where it was", () => {
  test("names its new place when it was moved", async () => {
    const { mock, byToken } = await githubStage();
    mock.plant({
      repositories: [{ name: "acme/blog", private: true, collaborators: { ann: "admin", relay: "write" } }],
    });
    mock.act({ do: "transfer", as: "ann", repo: PROJECT, number: 7, to: "acme/blog" });
    const tracker = await byToken.tracker();
    await expect(tracker.getIssue(ISSUE)).rejects.toMatchObject({ code: "not_found", retryable: false });
    await expect(tracker.getIssue(ISSUE)).rejects.toThrow("acme/blog#1");
    await expect(tracker.createComment(ISSUE, "x", null)).rejects.toMatchObject({ code: "not_found" });
  });

  test("is not found when it was deleted", async () => {
    const { mock, byToken } = await githubStage();
    mock.act({ do: "delete", as: "ann", repo: PROJECT, number: 7 });
    const tracker = await byToken.tracker();
    await expect(tracker.getIssue(ISSUE)).rejects.toMatchObject({ code: "not_found", status: 410 });
    await expect(tracker.listComments(ISSUE, null)).rejects.toMatchObject({ code: "not_found", status: 410 });
  });

  test("is not found when it is a pull request", async () => {
    const { mock, byToken } = await githubStage();
    mock.act({ do: "push", as: "ann", repo: PROJECT, branch: "fix/1-x" });
    const { number } = mock.act({ do: "open_pull", as: "ann", repo: PROJECT, title: "Fix", head: "fix/1-x" });
    const tracker = await byToken.tracker();
    await expect(tracker.getIssue({ ...ISSUE, externalIssueId: String(number) })).rejects.toMatchObject({
      code: "not_found",
    });
    const { issues } = await tracker.listIssues(PROJECT, { since: null, assignee: null }, null);
    expect(issues.map(({ externalIssueId }) => externalIssueId)).toEqual(["7"]);
  });
});

describe("an address that is none", () => {
  test.each(["../../user", "acme", "acme/shop/issues", "acme/..", "", "acme/sh op"])(
    "is not asked for: %j",
    async (project) => {
      const { mock, byToken } = await githubStage();
      const tracker = await byToken.tracker();
      const asked = mock.requests.length;
      await expect(tracker.getProject(project)).rejects.toMatchObject({ code: "not_found" });
      await expect(tracker.getIssue({ ...ISSUE, externalProjectId: project })).rejects.toMatchObject({
        code: "not_found",
      });
      expect(mock.requests).toHaveLength(asked);
    },
  );

  test.each(["!7", "0", "x", "7/comments", "-7", "7.0", ""])("is no issue: %j", async (externalIssueId) => {
    const tracker = await (await githubStage()).byToken.tracker();
    const address = { ...ISSUE, externalIssueId };
    await expect(tracker.getIssue(address)).rejects.toMatchObject({ code: "not_found" });
    await expect(tracker.listComments(address, null)).rejects.toMatchObject({ code: "not_found" });
    await expect(tracker.addReaction(address, null, "eyes")).rejects.toMatchObject({ code: "not_found" });
  });
});

test.each([
  "2",
  "https://api.github.example/repos/acme/shop/issues/7/comments?page=2",
  "http://127.0.0.1:9/repositories/1/issues/7/comments?page=2",
  "nonsense",
])("a cursor that no page gave is refused: %s", async (cursor) => {
  const { mock, byToken } = await githubStage();
  const tracker = await byToken.tracker();
  const asked = mock.requests.length;
  await expect(tracker.listComments(ISSUE, cursor)).rejects.toMatchObject({ code: "invalid" });
  await expect(tracker.listComments(ISSUE, `${mock.url}/user/issues/8/comments`)).rejects.toMatchObject({
    code: "invalid",
  });
  expect(mock.requests).toHaveLength(asked);
});
