import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asking, SEED } from "./asking.ts";
import { type MockGithub, startMockGithub } from "./server.ts";

let mock: MockGithub;
let now: Date;
const tick = (seconds = 1) => {
  now = new Date(now.getTime() + seconds * 1_000);
};
const ISSUE = "/repos/acme/shop/issues/1";

beforeEach(async () => {
  now = new Date("2026-01-01T10:00:00.500Z");
  mock = await startMockGithub({ clock: { now: () => now }, seed: SEED, checkAnswers: true });
});

afterEach(async () => {
  await mock.close();
  if (mock.mistakes.length > 0) throw new Error(`the mock is wrong: ${mock.mistakes.join("; ")}`);
});

describe("issues and their comments", () => {
  test("an issue is shown with its labels, its count of comments, and times of whole seconds", async () => {
    const relay = asking(mock, "t-relay");
    const { status, body } = await relay("GET", ISSUE);
    expect(status).toBe(200);
    expect(body).toMatchObject({ number: 1, title: "Pay twice", comments: 1, created_at: "2026-01-01T10:00:00Z" });
    expect(body["labels"]).toMatchObject([{ name: "bug" }]);
    expect(mock.violations).toEqual([]);
  });

  test("comments can be written, changed, and deleted; blank, long, locked ones are refused as GitHub does", async () => {
    const relay = asking(mock, "t-relay");
    const made = await relay("POST", `${ISSUE}/comments`, { body: "Which card?" });
    expect(made).toMatchObject({ status: 201, body: { body: "Which card?", user: { login: "relay", type: "User" } } });
    const at = `/repos/acme/shop/issues/comments/${String(made.body["id"])}`;
    expect(made.headers.get("location")).toBe(mock.url + at);
    tick();
    expect((await relay("PATCH", at, { body: "Which bank?" })).body).toMatchObject({
      updated_at: "2026-01-01T10:00:01Z",
    });
    expect((await relay("DELETE", at)).status).toBe(204);
    expect((await relay("GET", at)).status).toBe(404);
    expect(await relay("POST", `${ISSUE}/comments`, { body: " \n" })).toMatchObject({
      status: 422,
      body: { errors: [{ resource: "IssueComment", message: "Body cannot be blank" }], status: "422" },
    });
    expect((await relay("POST", `${ISSUE}/comments`, { body: "é".repeat(65_536) })).status).toBe(201);
    expect((await relay("POST", `${ISSUE}/comments`, { body: "é".repeat(65_537) })).status).toBe(422);
    mock.act({ do: "lock", as: "ann", repo: "acme/shop", number: 1 });
    expect((await asking(mock, "t-eve")("POST", `${ISSUE}/comments`, { body: "Hi" })).status).toBe(403);
    mock.act({ do: "delete", as: "ann", repo: "acme/shop", number: 1 });
    expect((await relay("POST", `${ISSUE}/comments`, { body: "Hi" })).status).toBe(410);
    expect((await relay("GET", ISSUE)).status).toBe(410);
  });

  test("a thread comes in pages with links that go by the repository's id, and from a time on", async () => {
    const relay = asking(mock, "t-relay");
    for (let n = 2; n <= 5; n += 1) mock.act({ do: "comment", as: "ann", repo: "acme/shop", number: 1, body: `${n}` });
    const bodies = [];
    const links = [];
    let next: string | undefined = `${ISSUE}/comments?per_page=2`;
    while (next !== undefined) {
      const page = await relay("GET", next);
      bodies.push(...page.list.map((each) => each["body"]));
      next = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
      if (next !== undefined) links.push(next);
    }
    expect(links).toHaveLength(2);
    expect(links.every((link) => link.startsWith(`${mock.url}/repositories/`))).toBe(true);
    expect(bodies).toEqual(["Me too", "2", "3", "4", "5"]);
    tick(60);
    const { comment } = mock.act({ do: "comment", as: "ann", repo: "acme/shop", number: 1, body: "late" });
    tick(60);
    const since = await relay("GET", `${ISSUE}/comments?since=2026-01-01T10:00:30Z`);
    expect(since.list.map((each) => each["id"])).toEqual([comment]);
    expect((await relay("GET", `${ISSUE}/comments?per_page=1000`)).list).toHaveLength(6);
    expect(mock.violations).toEqual([]);
  });

  test("the list of issues has pull requests in it, and keeps to state, assignee and time", async () => {
    const relay = asking(mock, "t-relay");
    mock.act({ do: "open_pull", as: "ann", repo: "acme/shop", title: "Pay once", head: "feature/pay" });
    mock.act({ do: "open", as: "eve", repo: "acme/shop", title: "Third", assignees: ["relay"] });
    mock.act({ do: "close", as: "ann", repo: "acme/shop", number: 1 });
    const numbers = async (query: string) =>
      (await relay("GET", `/repos/acme/shop/issues${query}`)).list.map((each) => each["number"]);
    expect(await numbers("")).toEqual([3, 2]);
    expect(await numbers("?state=all&direction=asc")).toEqual([1, 2, 3]);
    expect(await numbers("?assignee=relay")).toEqual([3]);
    tick(10);
    mock.act({ do: "edit", as: "ann", repo: "acme/shop", number: 2, title: "Pay once only" });
    expect(await numbers(`?state=all&since=${now.toISOString().slice(0, 19)}Z`)).toEqual([2]);
    const listed = await relay("GET", "/repos/acme/shop/issues");
    expect(listed.list.map((each) => "pull_request" in each)).toEqual([false, true]);
    expect((await relay("GET", "/issues")).list).toMatchObject([{ number: 3, repository: { full_name: "acme/shop" } }]);
    expect(mock.violations).toEqual([]);
  });

  test("an issue that has moved leads to its new place", async () => {
    mock.plant({ repositories: [{ name: "acme/blog", collaborators: { relay: "write" } }] });
    mock.act({ do: "transfer", as: "ann", repo: "acme/shop", number: 1, to: "acme/blog" });
    const relay = asking(mock, "t-relay");
    const moved = await relay("GET", ISSUE);
    expect(moved.status).toBe(301);
    const there = await relay("GET", moved.headers.get("location") ?? "");
    expect(there.body).toMatchObject({ number: 1, title: "Pay twice", comments: 1 });
    expect((await relay("GET", `${moved.headers.get("location")}/comments`)).list).toHaveLength(1);
  });
});

describe("reactions, labels, assignees", () => {
  test("the same reaction twice is one, told by the status", async () => {
    const relay = asking(mock, "t-relay");
    const eyes = () => relay("POST", `${ISSUE}/reactions`, { content: "eyes" });
    expect([(await eyes()).status, (await eyes()).status]).toEqual([201, 200]);
    const { comment } = mock.act({ do: "comment", as: "ann", repo: "acme/shop", number: 1, body: "go" });
    const on = `/repos/acme/shop/issues/comments/${comment}/reactions`;
    expect((await relay("POST", on, { content: "+1" })).status).toBe(201);
    mock.act({ do: "react", as: "ann", repo: "acme/shop", number: 1, comment: comment ?? 0, content: "heart" });
    expect((await relay("GET", `${on}?content=%2B1`)).list).toMatchObject([
      { user: { login: "relay" }, content: "+1" },
    ]);
    expect((await relay("GET", on)).list).toHaveLength(2);
    expect((await relay("GET", ISSUE)).body).toMatchObject({ reactions: { total_count: 1, eyes: 1 } });
    expect(mock.violations).toEqual([]);
  });

  test("labels are made when they are missing; one that the issue has not cannot be removed", async () => {
    const relay = asking(mock, "t-relay");
    const added = await relay("POST", `${ISSUE}/labels`, { labels: ["Bug", "relay: asking"] });
    expect(added.list.map((each) => each["name"])).toEqual(["bug", "relay: asking"]);
    const label = `/repos/acme/shop/labels/${encodeURIComponent("relay: asking")}`;
    expect((await relay("GET", label)).body).toMatchObject({ color: "ededed" });
    expect(await relay("POST", "/repos/acme/shop/labels", { name: "BUG", color: "ff0000" })).toMatchObject({
      status: 422,
      body: { errors: [{ resource: "Label", code: "already_exists", field: "name" }] },
    });
    const remove = () => relay("DELETE", `${ISSUE}/labels/${encodeURIComponent("relay: asking")}`);
    expect((await remove()).list.map((each) => each["name"])).toEqual(["bug"]);
    expect(await remove()).toMatchObject({ status: 404, body: { message: "Label does not exist" } });
    expect(mock.violations).toEqual([]);
  });

  test("only who belongs to the repository is assigned", async () => {
    const relay = asking(mock, "t-relay");
    const added = await relay("POST", `${ISSUE}/assignees`, { assignees: ["relay", "eve"] });
    expect(added).toMatchObject({ status: 201, body: { assignees: [{ login: "relay" }] } });
    expect((await relay("GET", "/repos/acme/shop/assignees/relay")).status).toBe(204);
    expect((await relay("GET", "/repos/acme/shop/assignees/eve")).status).toBe(404);
    expect((await relay("DELETE", `${ISSUE}/assignees`, { assignees: ["relay"] })).body).toMatchObject({
      assignees: [],
    });
  });
});

describe("tokens", () => {
  test("a wrong token is 401; what it may not see is 404; what it may not do is 403", async () => {
    expect(await asking(mock, "t-none")("GET", "/user")).toMatchObject({
      status: 401,
      body: { message: "Bad credentials" },
    });
    const relay = asking(mock, "t-relay");
    const me = await relay("GET", "/user");
    expect(me.body).toMatchObject({ login: "relay" });
    expect(me.headers.get("x-oauth-scopes")).toBe("repo");
    expect((await relay("GET", "/repos/acme/vault/issues")).status).toBe(404);
    const eve = asking(mock, "t-eve");
    expect((await eve("GET", ISSUE)).status).toBe(200);
    expect((await eve("POST", `${ISSUE}/labels`, { labels: ["bug"] })).status).toBe(403);
    expect((await asking(mock, "t-poor")("POST", `${ISSUE}/comments`, { body: "Hi" })).status).toBe(404);
    expect((await asking(mock, null)("GET", ISSUE)).status).toBe(200);
    expect((await asking(mock, null)("POST", `${ISSUE}/comments`, { body: "Hi" })).status).toBe(401);
  });

  test("a fine-grained token has permissions, and no scopes", async () => {
    mock.plant({ tokens: [{ token: "t-fine", login: "relay", permissions: { issues: "read" } }] });
    const fine = asking(mock, "t-fine");
    const read = await fine("GET", ISSUE);
    expect([read.status, read.headers.get("x-oauth-scopes")]).toEqual([200, null]);
    const refused = await fine("POST", `${ISSUE}/comments`, { body: "Hi" });
    expect(refused).toMatchObject({
      status: 403,
      body: { message: "Resource not accessible by personal access token" },
    });
    expect(refused.headers.get("x-accepted-github-permissions")).toBe("issues=write; pull_requests=write");
  });

  test("a request that breaks the published description is remembered", async () => {
    const relay = asking(mock, "t-relay");
    await relay("POST", `${ISSUE}/comments`, { body: "Hi", bodi: "Hi" });
    await relay("GET", `${ISSUE}/comments?since=yesterday&offset=3`);
    await relay("GET", "/repos/acme/shop/nothing");
    expect(mock.violations).toEqual([
      "POST /repos/acme/shop/issues/1/comments: body bodi: is not described",
      "GET /repos/acme/shop/issues/1/comments: query offset: is not described",
      'GET /repos/acme/shop/issues/1/comments: query since: must match format "date-time"',
      "GET /repos/acme/shop/nothing: the mock knows no such operation",
    ]);
  });
});
