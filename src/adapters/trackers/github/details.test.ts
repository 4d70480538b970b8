import { describe, expect, test } from "vitest";
import { openOn } from "../../../../test/support/find-open-request.ts";
import { ISSUE, PROJECT, githubStage } from "../../../../test/support/github-fixture.ts";
import { faultOf } from "../../../../test/mock-github/http/faults.ts";
import type { MockGithub } from "../../../../test/mock-github/server.ts";

const answering = (mock: MockGithub, path: string, body: unknown, status = 200) => {
  mock.world.faults = [faultOf({ path, trouble: { kind: "status", status, body } })];
};

async function setUp() {
  const { mock, byToken } = await githubStage();
  const tracker = await byToken.tracker();
  const from = mock.requests.length;
  const asked = () => mock.requests.slice(from).map(({ method, path }) => `${method} ${path.split("?")[0]}`);
  return { mock, tracker, asked };
}

describe("comments", () => {
  test("tell by one question who edited them and whether they are hidden, also in a long thread", async () => {
    const { mock, tracker, asked } = await setUp();
    const at = { repo: PROJECT, number: 7 };
    const say = (as: string, body: string) => mock.act({ do: "comment", as, ...at, body }).comment ?? 0;
    const [old, edited, hidden] = [say("ann", "old"), say("ann", "Thanks!"), say("bob", "yes")];
    mock.act({ do: "edit_comment", as: "relay", ...at, comment: edited, body: "yes" });
    const item = mock.world.item(PROJECT, 7);
    for (const comment of item.comments) if (comment.id === hidden) comment.minimized = true;
    expect(await tracker.inspectComment(ISSUE, String(edited))).toEqual({ edit: { by: "relay" }, isMinimized: false });
    expect(await tracker.inspectComment(ISSUE, String(hidden))).toEqual({ edit: null, isMinimized: true });
    expect(asked()).toEqual(["POST /graphql", "POST /graphql"]);
    for (let n = 0; n < 120; n += 1) say("ann", `remark ${n}`);
    expect(await tracker.inspectComment(ISSUE, String(old))).toEqual({ edit: null, isMinimized: false });
    await expect(tracker.inspectComment(ISSUE, "999")).rejects.toMatchObject({ code: "not_found" });
  });

  test("of accounts that are gone are a ghost's; those of Apps and bots are told as such", async () => {
    const { mock, tracker } = await setUp();
    const at = { created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
    answering(mock, "/comments", [
      { id: 1, user: null, body: "a", ...at },
      { id: 2, user: { login: "dependabot[bot]", type: "Bot" }, body: null, ...at },
      { id: 3, user: { login: "ci", type: "Bot" }, body: "c", ...at },
      { id: 4, user: { login: "ann", type: "User" }, body: "d", ...at, updated_at: "2026-01-01T00:00:05Z" },
    ]);
    const { comments } = await tracker.listComments(ISSUE, null);
    expect(comments.map(({ author, isBot, body }) => [author, isBot, body])).toEqual([
      ["ghost", false, "a"],
      ["dependabot[bot]", true, ""],
      ["ci", true, "c"],
      ["ann", false, "d"],
    ]);
    expect(comments.map(({ editedAt }) => editedAt?.toISOString())).toEqual([
      ...[undefined, undefined, undefined],
      "2026-01-01T00:00:05.000Z",
    ]);
  });

  test("belong to no thread: GitHub's issues have none", async () => {
    const { tracker, asked } = await setUp();
    await expect(tracker.createComment(ISSUE, "x", "17")).rejects.toMatchObject({ code: "not_found" });
    expect(asked()).toEqual([]);
  });

  test("are bounded in characters, not in their halves", async () => {
    const { tracker } = await setUp();
    const body = "🧪".repeat(65_536);
    expect((await tracker.createComment(ISSUE, body, null)).body).toBe(body);
    await expect(tracker.createComment(ISSUE, `${body}x`, null)).rejects.toMatchObject({
      code: "invalid",
      status: 422,
    });
    await expect(tracker.updateComment(ISSUE, "1", " ")).rejects.toMatchObject({ code: "invalid", status: 422 });
    await expect(tracker.updateComment(ISSUE, "../7", "x")).rejects.toMatchObject({ code: "not_found" });
  });

  test("of a locked issue are refused as forbidden", async () => {
    const { mock, tracker } = await setUp();
    mock.act({ do: "lock", as: "ann", repo: PROJECT, number: 7 });
    mock.act({ do: "permit", repo: PROJECT, login: "relay", role: "read" });
    await expect(tracker.createComment(ISSUE, "x", null)).rejects.toMatchObject({
      code: "forbidden",
      retryable: false,
    });
  });
});

test("a reaction that GitHub does not have is refused before it is tried", async () => {
  const { tracker, asked } = await setUp();
  for (const emoji of ["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]) {
    await tracker.addReaction(ISSUE, null, emoji);
  }
  const made = asked().length;
  await expect(tracker.addReaction(ISSUE, null, "tada")).rejects.toMatchObject({ code: "invalid", status: 422 });
  await expect(tracker.listReactions(ISSUE, null, "🎉")).rejects.toMatchObject({ code: "invalid" });
  expect(asked()).toHaveLength(made);
});

describe("labels", () => {
  const LABELS = `/repos/${PROJECT}/issues/7/labels`;

  test("that are as they should be cost no change", async () => {
    const { tracker, asked } = await setUp();
    await tracker.changeLabels(ISSUE, { add: ["BUG"], remove: ["relay:done", "never"] });
    expect(asked()).toEqual([`GET /repos/${PROJECT}/issues/7`]);
  });

  test("are made with a colour and a word about them, once", async () => {
    const { mock, tracker, asked } = await setUp();
    await tracker.changeLabels(ISSUE, { add: ["relay:done"], remove: [] });
    expect(mock.world.repository(PROJECT).labels).toContainEqual(
      expect.objectContaining({ name: "relay:done", color: "5319e7", description: "Set by Relay" }),
    );
    await tracker.changeLabels(ISSUE, { add: [], remove: ["Relay:Done"] });
    expect((await tracker.getIssue(ISSUE)).labels).toEqual(["bug"]);
    const before = asked().length;
    await tracker.changeLabels(ISSUE, { add: ["relay:done"], remove: [] });
    expect(asked().slice(before)).toEqual([`GET /repos/${PROJECT}/issues/7`, `POST ${LABELS}`]);
  });

  test("may be taken away by somebody else at the same time", async () => {
    const { mock, tracker } = await setUp();
    mock.world.faults = [
      (request) => {
        if (request.method === "DELETE") mock.act({ do: "unlabel", as: "ann", repo: PROJECT, number: 7, label: "bug" });
        return null;
      },
    ];
    await tracker.changeLabels(ISSUE, { add: [], remove: ["bug"] });
    expect((await tracker.getIssue(ISSUE)).labels).toEqual([]);
  });

  test("with any characters keep to themselves", async () => {
    const { tracker } = await setUp();
    const names = ["a/b", "50% off?", "#1 & more", "состояние", "🧪"];
    await tracker.changeLabels(ISSUE, { add: names, remove: [] });
    expect((await tracker.getIssue(ISSUE)).labels.toSorted()).toEqual(["bug", ...names].toSorted());
    await tracker.changeLabels(ISSUE, { add: [], remove: names });
    expect((await tracker.getIssue(ISSUE)).labels).toEqual(["bug"]);
    await expect(tracker.changeLabels(ISSUE, { add: [".."], remove: [] })).rejects.toMatchObject({ code: "invalid" });
  });

  test("can be used also where Relay may not make them", async () => {
    const { mock, tracker } = await setUp();
    mock.act({ do: "permit", repo: PROJECT, login: "relay", role: "triage" });
    mock.world.repository(PROJECT).labels.push({ id: 1, name: "ready", color: "ededed", description: null });
    await tracker.changeLabels(ISSUE, { add: ["ready"], remove: [] });
    expect((await tracker.getIssue(ISSUE)).labels.toSorted()).toEqual(["bug", "ready"]);
  });
});

describe("permissions", () => {
  test.each([
    [{ permission: "read", role_name: "triage" }, "triage"],
    [{ permission: "write", role_name: "maintain" }, "maintain"],
    [{ permission: "write", role_name: "release-captain" }, "write"],
    [{ permission: "none", role_name: "" }, "none"],
    [{ permission: "admin" }, "admin"],
  ])("are the nearest that Relay knows: %j", async (body, expected) => {
    const { mock, tracker } = await setUp();
    answering(mock, "/permission", body);
    expect(await tracker.permissionOf(PROJECT, "ann")).toBe(expected);
  });

  test.each(["../../../user", "a b", "", "*", "a/permission"])("of what is no login are none: %j", async (login) => {
    const { tracker, asked } = await setUp();
    expect(await tracker.permissionOf(PROJECT, login)).toBe("none");
    expect(asked()).toEqual([`GET /repos/${PROJECT}`]);
    await expect(tracker.permissionOf("acme/nowhere", login)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("files and branches", () => {
  test("with odd names are found, and nothing outside the repository is", async () => {
    const { mock, tracker } = await setUp();
    const path = "docs/für alle/100% #1?.md";
    mock.world.repository(PROJECT).files.get("main")?.set(path, "yes");
    expect(await tracker.readFile(PROJECT, path)).toBe("yes");
    for (const odd of ["../../../user", "docs/../x", "", "/x", "docs/", "."]) {
      expect(await tracker.readFile(PROJECT, odd)).toBeNull();
      expect(await tracker.branchExists(PROJECT, odd)).toBe(false);
    }
    for (const branch of ["feature/a#1", "50%"]) {
      mock.act({ do: "push", as: "ann", repo: PROJECT, branch });
      expect(await tracker.branchExists(PROJECT, branch)).toBe(true);
    }
    await expect(tracker.branchExists("acme/nowhere", "main")).rejects.toMatchObject({ code: "not_found" });
    await expect(tracker.readFile("acme/nowhere", "x")).rejects.toMatchObject({ code: "not_found" });
  });

  test("are read up to 1 MiB", async () => {
    const { mock, tracker } = await setUp();
    const files = mock.world.repository(PROJECT).files.get("main");
    files?.set("full", "x".repeat(1_048_576));
    files?.set("over", "x".repeat(1_048_577));
    files?.set("far", "x".repeat(3_000_000));
    expect(await tracker.readFile(PROJECT, "full")).toHaveLength(1_048_576);
    await expect(tracker.readFile(PROJECT, "over")).rejects.toMatchObject({ code: "too_large", retryable: false });
    await expect(tracker.readFile(PROJECT, "far")).rejects.toMatchObject({ code: "too_large", retryable: false });
  });
});

describe("pull requests", () => {
  const REQUEST = { title: "Fix", body: "", head: "fix/1-x", base: "main", draft: false };

  test("say what stands in their way", async () => {
    const { mock, tracker } = await setUp();
    await expect(tracker.createPullRequest(PROJECT, REQUEST)).rejects.toThrow("no branch fix/1-x");
    mock.act({ do: "push", as: "ann", repo: PROJECT, branch: "fix/1-x" });
    await expect(tracker.createPullRequest(PROJECT, { ...REQUEST, base: "old" })).rejects.toThrow("no branch old");
    const { number } = await tracker.createPullRequest(PROJECT, REQUEST);
    const again = tracker.createPullRequest(PROJECT, REQUEST);
    await expect(again).rejects.toMatchObject({ code: "invalid", status: 422 });
    await expect(again).rejects.toThrow(`acme/shop#${number}`);
    mock.world.faults = [faultOf({ method: "GET", trouble: { kind: "status", status: 500 } })];
    await expect(tracker.createPullRequest(PROJECT, REQUEST)).rejects.toMatchObject({ code: "invalid", status: 422 });
  });

  test("become drafts and ready again, and end merged", async () => {
    const { mock, tracker } = await setUp();
    mock.act({ do: "push", as: "ann", repo: PROJECT, branch: "fix/1-x" });
    const { number } = await tracker.createPullRequest(PROJECT, REQUEST);
    expect(await tracker.updatePullRequest(PROJECT, number, { draft: true })).toMatchObject({ draft: true });
    expect(await openOn(tracker, PROJECT, "fix/1-x")).toMatchObject({ draft: true });
    const change = { draft: false, body: "why" };
    expect(await tracker.updatePullRequest(PROJECT, number, change)).toMatchObject(change);
    await expect(tracker.updatePullRequest(PROJECT, number, { state: "merged" })).rejects.toMatchObject({
      code: "invalid",
    });
    mock.act({ do: "merge", as: "ann", repo: PROJECT, number });
    expect(await tracker.updatePullRequest(PROJECT, number, { title: "Fixed" })).toMatchObject({ state: "merged" });
    expect(await openOn(tracker, PROJECT, "fix/1-x")).toBeNull();
  });

  test.each([
    ["NOT_FOUND", { code: "not_found", status: 404, retryable: false }],
    ["FORBIDDEN", { code: "forbidden", status: 403, retryable: false }],
    ["RATE_LIMITED", { code: "rate_limited", status: 429, retryable: true }],
    ["UNPROCESSABLE", { code: "invalid", status: 422, retryable: false }],
  ])("tell a refusal that comes as 200: %s", async (type, expected) => {
    const { mock, tracker } = await setUp();
    mock.act({ do: "push", as: "ann", repo: PROJECT, branch: "fix/1-x" });
    const { number } = await tracker.createPullRequest(PROJECT, REQUEST);
    answering(mock, "/graphql", { data: null, errors: [{ type, message: "Drafts are not\nfor you" }] });
    const refused = tracker.updatePullRequest(PROJECT, number, { draft: true });
    await expect(refused).rejects.toMatchObject(expected);
    await expect(refused).rejects.toThrow("Drafts are not for you");
  });

  test("ask nobody for a review where nobody is named, and nothing that is no login", async () => {
    const { tracker, asked } = await setUp();
    await tracker.requestReview(PROJECT, 8, []);
    await expect(tracker.requestReview(PROJECT, 8, ["../x"])).rejects.toMatchObject({ code: "invalid" });
    expect(asked()).toEqual([]);
  });
});
