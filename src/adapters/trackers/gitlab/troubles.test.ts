import { expect, test } from "vitest";
import { gitlabStage, PROJECT } from "../../../../test/mock-gitlab/fixture.ts";
import type { Fault } from "../../../../test/mock-gitlab/faults.ts";

const bodies = ({ mock }: Awaited<ReturnType<typeof gitlabStage>>) =>
  mock.state.projects[0]?.issues[0]?.notes.map(({ body }) => body);

test.each<[string, Fault, { code: string; retryable: boolean; status?: number }, string[]]>([
  ["an error of GitLab's", { kind: "status", status: 500 }, { code: "unavailable", retryable: true, status: 500 }, []],
  [
    "a page of a proxy",
    { kind: "status", status: 502, text: "<html><title>Bad Gateway</title>" },
    { code: "unavailable", retryable: true, status: 502 },
    [],
  ],
  ["a connection that breaks before", { kind: "cut", when: "before" }, { code: "unavailable", retryable: true }, []],
  ["one that breaks after", { kind: "cut", when: "after" }, { code: "unavailable", retryable: true }, ["hello"]],
  ["an answer that ends too early", { kind: "truncate" }, { code: "unavailable", retryable: true }, ["hello"]],
  ["a refusal", { kind: "status", status: 403 }, { code: "forbidden", retryable: false, status: 403 }, []],
])("%s is told, and the comment was sent once", async (_, fault, error, left) => {
  const stage = await gitlabStage();
  const { mock, tracker, issue } = stage;
  mock.faults = () => fault;
  await expect(tracker.createComment(issue, "hello", null)).rejects.toMatchObject(error);
  expect(mock.requests).toHaveLength(1);
  expect(bodies(stage)).toEqual(left);
});

test("a limit that is reached is told with the time to wait, and without an effect", async () => {
  const stage = await gitlabStage();
  const { mock, tracker, issue } = stage;
  mock.limits.limit = { requests: 1, seconds: 600 };
  await tracker.getIssue(issue);
  const refused = await tracker.createComment(issue, "hello", null).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "rate_limited", retryable: true, status: 429 });
  expect(refused).toHaveProperty("retryAfterMs", expect.any(Number));
  expect(bodies(stage)).toEqual([]);
});

test("a page that fails fails the reading: nothing shorter is taken for the thread", async () => {
  const { mock, tracker, issue, at } = await gitlabStage();
  for (let n = 0; n < 150; n += 1) mock.people.comment(at, "ann", String(n));
  const first = await tracker.listComments(issue, null);
  mock.faults = ({ path }) => (path.includes("page=2") ? { kind: "status", status: 500 } : null);
  await expect(tracker.listComments(issue, first.next)).rejects.toMatchObject({ code: "unavailable" });
});

test("who stands behind the address but is not GitLab is found out", async () => {
  const { mock, tracker, issue } = await gitlabStage();
  mock.faults = () => ({ kind: "status", status: 200, text: "<html>Welcome</html>" });
  await expect(tracker.getIssue(issue)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("GITLAB_URL"),
  });
});

test("labels that GitLab passes over in silence are told as forbidden", async () => {
  const { mock, tracker, issue } = await gitlabStage();
  const own = mock.people.openIssue(PROJECT, "relay", { title: "Relay's own" });
  mock.people.member(PROJECT, "relay", 10);
  const address = { ...issue, externalIssueId: String(own) };
  await expect(tracker.changeLabels(address, { add: ["relay:done"], remove: [] })).rejects.toMatchObject({
    code: "forbidden",
    retryable: false,
  });
  await expect(tracker.changeLabels(issue, { add: ["a,b"], remove: [] })).rejects.toMatchObject({ code: "invalid" });
});

test.each([
  ["../../admin", "1"],
  ["shop", "1"],
  ["group/..", "1"],
  ["group/sub/shop?x", "1"],
  [PROJECT, "0"],
  [PROJECT, "1/notes"],
  [PROJECT, "!1"],
])("what can be no issue is not asked for: %s %s", async (externalProjectId, externalIssueId) => {
  const { mock, tracker, issue } = await gitlabStage();
  await expect(tracker.getIssue({ ...issue, externalProjectId, externalIssueId })).rejects.toMatchObject({
    code: "not_found",
  });
  expect(mock.requests).toEqual([]);
});

test("neither is a comment, a thread, or a cursor that is none", async () => {
  const { mock, tracker, issue } = await gitlabStage();
  await expect(tracker.updateComment(issue, "1/../2", "x")).rejects.toMatchObject({ code: "not_found" });
  await expect(tracker.createComment(issue, "x", "../x")).rejects.toMatchObject({ code: "not_found" });
  await expect(tracker.listComments(issue, "2 x")).rejects.toMatchObject({ code: "invalid" });
  await expect(tracker.listIssues(PROJECT, { since: null, assignee: null }, "x")).rejects.toMatchObject({
    code: "invalid",
  });
  expect(mock.requests).toEqual([]);
});

test("who is blocked may do nothing, whatever their role", async () => {
  const { mock, tracker } = await gitlabStage();
  mock.people.member(PROJECT, "carl", 50);
  expect(await tracker.permissionOf(PROJECT, "Carl")).toBe("admin");
  mock.people.user("carl", { blocked: true });
  expect(await tracker.permissionOf(PROJECT, "carl")).toBe("none");
  await expect(tracker.permissionOf("no/such", "carl")).rejects.toMatchObject({ code: "not_found" });
});

test("issues are listed whole, also where one changes while they are read", async () => {
  const { mock, tracker } = await gitlabStage();
  for (let n = 2; n <= 150; n += 1) mock.people.openIssue(PROJECT, "ann", { title: String(n) });
  const filter = { since: null, assignee: null };
  const first = await tracker.listIssues(PROJECT, filter, null);
  mock.people.edit({ project: PROJECT, iid: 5 }, "ann", { title: "changed" });
  const second = await tracker.listIssues(PROJECT, filter, first.next);
  expect(second.next).toBeNull();
  const numbers = new Set([...first.issues, ...second.issues].map(({ externalIssueId }) => externalIssueId));
  expect(numbers.size).toBe(150);
  expect(second.issues.at(-1)?.externalIssueId).toBe("5");
});

test("a draft is told by its title, which people do not see twice", async () => {
  const { mock, tracker } = await gitlabStage();
  const request = { title: "Draft: Fix", body: "", head: "fix/1-x", base: "main", draft: true };
  const made = await tracker.createPullRequest(PROJECT, request);
  expect(made).toMatchObject({ title: "Fix", draft: true });
  const title = () => mock.state.projects[0]?.mergeRequests[0]?.title;
  expect(title()).toBe("Draft: Fix");
  await tracker.updatePullRequest(PROJECT, made.number, { title: "Fix it" });
  expect(title()).toBe("Draft: Fix it");
  await tracker.updatePullRequest(PROJECT, made.number, { draft: false });
  expect(title()).toBe("Fix it");
  expect(await tracker.updatePullRequest(PROJECT, made.number, {})).toMatchObject({ draft: false });
});
