import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type MockGitlab, startMockGitlab } from "./server.ts";

const anything = z.record(z.string(), z.unknown());

async function setUp() {
  const mock = await startMockGitlab();
  onTestFinished(async () => mock.close());
  const { people } = mock;
  for (const name of ["ann", "bob", "relay"]) people.user(name);
  people.project("group/sub/shop");
  people.member("group/sub/shop", "ann", 20);
  people.member("group/sub/shop", "relay", 40);
  people.token("relay", "secret");
  const iid = people.openIssue("group/sub/shop", "ann", { title: "Broken", labels: ["bug"] });
  return { mock, people, at: { project: "group/sub/shop", iid } };
}

async function call(mock: MockGitlab, method: string, path: string, body?: unknown) {
  const response = await fetch(`${mock.url}/api/v4${path}`, {
    method,
    headers: { "private-token": "secret", ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const said = await response.text();
  const json: unknown = said.startsWith("{") || said.startsWith("[") ? JSON.parse(said) : said;
  return { status: response.status, headers: response.headers, json, one: () => anything.parse(json) };
}

const PROJECT = "/projects/group%2Fsub%2Fshop";

test("pages carry the numbers of their neighbours, until there are too many to count", async () => {
  const { mock, people, at } = await setUp();
  for (let n = 0; n < 25; n += 1) people.comment(at, "ann", `note ${n}`);
  const first = await call(mock, "GET", `${PROJECT}/issues/1/discussions?per_page=10`);
  expect(first.headers.get("x-next-page")).toBe("2");
  expect(first.headers.get("x-total")).toBe("25");
  expect(first.headers.get("link")).toContain('per_page=10&page=2>; rel="next"');
  const last = await call(mock, "GET", `${PROJECT}/issues/1/discussions?per_page=10&page=3`);
  expect(last.headers.get("x-next-page")).toBe("");
  expect(z.array(anything).parse(last.json)).toHaveLength(5);
  for (let n = 0; n < 9_980; n += 1) people.comment(at, "ann", "more");
  expect((await call(mock, "GET", `${PROJECT}/issues/1/discussions`)).headers.get("x-total")).toBeNull();
  expect(mock.violations).toEqual([]);
});

test("a reply turns a note on its own into a thread, and moves the note's time", async () => {
  const { mock, people, at } = await setUp();
  const { thread } = people.comment(at, "ann", "question");
  const before = (await call(mock, "GET", `${PROJECT}/issues/1/discussions/${thread}`)).one();
  expect(before).toMatchObject({ individual_note: true, notes: [{ type: null, body: "question" }] });
  const reply = await call(mock, "POST", `${PROJECT}/issues/1/discussions/${thread}/notes`, { body: "answer" });
  expect(reply.one()).toMatchObject({ type: "DiscussionNote", body: "answer" });
  const after = (await call(mock, "GET", `${PROJECT}/issues/1/discussions/${thread}`)).one();
  expect(after).toMatchObject({ individual_note: false, notes: [{ type: "DiscussionNote" }, { body: "answer" }] });
  const said = people.comment(at, "ann", "closed the door", { system: true });
  const refused = await call(mock, "POST", `${PROJECT}/issues/1/discussions/${said.thread}/notes`, { body: "x" });
  expect(refused.status).toBe(400);
});

test("the same emoji twice is 404, as is a note that is not there", async () => {
  const { mock } = await setUp();
  expect((await call(mock, "POST", `${PROJECT}/issues/1/award_emoji`, { name: "eyes" })).status).toBe(201);
  const again = await call(mock, "POST", `${PROJECT}/issues/1/award_emoji`, { name: "eyes" });
  expect(again.one()).toEqual({ message: "404 Award Emoji Name has already been taken Not Found" });
  expect((await call(mock, "POST", `${PROJECT}/issues/1/notes/5/award_emoji`, { name: "eyes" })).status).toBe(404);
});

test.each([
  ["/close", "closed", 202],
  ["I am done\n/close\n", "closed", 201],
  ["/CLOSE now", "closed", 202],
  ["```\n/close\n```", "opened", 201],
  ["> quoted\n\n`/close`", "opened", 201],
  ["see /close", "opened", 201],
  [String.raw`\/close`, "opened", 201],
  ["    /close", "opened", 201],
])("commands in a note are carried out: %j leaves the issue %s", async (body, state, status) => {
  const { mock } = await setUp();
  const posted = await call(mock, "POST", `${PROJECT}/issues/1/notes`, { body });
  expect(posted.status).toBe(status);
  expect((await call(mock, "GET", `${PROJECT}/issues/1`)).one()).toMatchObject({ state });
});

test("a second open merge request of a branch is refused in GitLab's words", async () => {
  const { mock } = await setUp();
  const request = { title: "Draft: Fix", source_branch: "fix", target_branch: "main" };
  expect((await call(mock, "POST", `${PROJECT}/merge_requests`, request)).one()).toMatchObject({ draft: true });
  const second = await call(mock, "POST", `${PROJECT}/merge_requests`, request);
  expect(second.status).toBe(409);
  expect(second.one()).toEqual({ message: ["Another open merge request already exists for this source branch: !1"] });
});

test("what may not be seen is not there, and what may not be done is forbidden", async () => {
  const { mock, people } = await setUp();
  people.project("other/secret");
  expect((await call(mock, "GET", "/projects/other%2Fsecret")).one()).toEqual({ message: "404 Project Not Found" });
  people.member("group/sub/shop", "relay", 20);
  expect((await call(mock, "GET", `${PROJECT}/hooks`)).status).toBe(403);
  people.token("relay", "secret", ["read_api"]);
  expect((await call(mock, "POST", `${PROJECT}/issues/1/notes`, { body: "x" })).one()).toMatchObject({
    error: "insufficient_scope",
  });
  mock.state.tokens.clear();
  expect((await call(mock, "GET", "/user")).one()).toEqual({ message: "401 Unauthorized" });
});

test("requests that the description does not have are told", async () => {
  const { mock } = await setUp();
  await call(mock, "GET", `${PROJECT}/issues?since=2026-01-01`);
  await call(mock, "POST", `${PROJECT}/issues/1/notes`, { body: "x", text: "y" });
  await call(mock, "GET", "/nothing");
  expect(mock.violations).toHaveLength(3);
});

test("one request too many is answered in plain text with the time to wait", async () => {
  const { mock } = await setUp();
  mock.limits.limit = { requests: 2, seconds: 1_000_000 };
  await call(mock, "GET", "/user");
  expect((await call(mock, "GET", "/user")).headers.get("ratelimit-remaining")).toBe("0");
  const refused = await call(mock, "GET", "/user");
  expect(refused).toMatchObject({ status: 429, json: "Retry later\n" });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("a cut after the effect leaves the effect", async () => {
  const { mock } = await setUp();
  for (const fault of [
    { kind: "cut", when: "before" },
    { kind: "cut", when: "after" },
    { kind: "truncate" },
  ] as const) {
    mock.faults = () => fault;
    await expect(call(mock, "POST", `${PROJECT}/issues/1/notes`, { body: fault.kind })).rejects.toBeInstanceOf(Error);
  }
  mock.faults = null;
  expect(mock.state.projects[0]?.issues[0]?.notes.map((note) => note.body)).toEqual(["cut", "truncate"]);
});

test("hooks tell of changes once, and again under the same key where somebody asks for it", async () => {
  const { mock, people, at } = await setUp();
  const seen: { headers: NodeJS.Dict<string | string[]>; body: unknown }[] = [];
  const receiver = createServer((request, response) => {
    void (async () => {
      seen.push({ headers: request.headers, body: JSON.parse(await text(request)) });
      response.writeHead(seen.length === 1 ? 503 : 202).end();
    })();
  });
  await new Promise<void>((resolve) => {
    receiver.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void receiver.close());
  const address = receiver.address();
  const port = typeof address === "object" ? address?.port : 0;
  const hook = people.hook("group/sub/shop", `http://127.0.0.1:${port}/`, { token: "t" });
  people.comment(at, "ann", "hello");
  await mock.hooks.settled();
  expect(seen[0]?.headers).toMatchObject({ "x-gitlab-event": "Note Hook", "x-gitlab-token": "t" });
  const failed = await call(mock, "GET", `${PROJECT}/hooks/${hook}/events?status=server_failure`);
  const [event] = z.array(z.object({ id: z.number(), response_status: z.string() })).parse(failed.json);
  expect(event?.response_status).toBe("503");
  await call(mock, "POST", `${PROJECT}/hooks/${hook}/events/${event?.id ?? 0}/resend`);
  expect(seen[1]?.headers["idempotency-key"]).toBe(seen[0]?.headers["idempotency-key"]);
  expect(seen[1]?.headers["x-gitlab-webhook-uuid"]).not.toBe(seen[0]?.headers["x-gitlab-webhook-uuid"]);
  expect(mock.violations).toEqual([]);
});
