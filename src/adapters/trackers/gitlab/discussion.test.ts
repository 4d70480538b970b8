import { expect, test } from "vitest";
import { gitlabStage } from "../../../../test/mock-gitlab/fixture.ts";
import type { IssueAddress } from "../../../domain/issue.ts";
import type { Tracker } from "../tracker.ts";

async function whole(tracker: Tracker, issue: IssueAddress) {
  const comments = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Tracker["listComments"]>> = await tracker.listComments(issue, cursor);
    expect(page.comments.length).toBeLessThanOrEqual(100);
    comments.push(...page.comments);
    cursor = page.next;
  } while (cursor !== null);
  return comments;
}

test("what GitLab notes by itself is no comment", async () => {
  const { mock, tracker, issue, at } = await gitlabStage();
  mock.people.comment(at, "ann", "changed the description", { system: true });
  mock.people.comment(at, "ann", "one");
  expect((await whole(tracker, issue)).map(({ body }) => body)).toEqual(["one"]);
  expect((await tracker.getIssue(issue)).commentCount).toBe(1);
});

test("internal notes, which fewer people can read, are no comments (R-SAFE-11)", async () => {
  const { mock, tracker, issue, at } = await gitlabStage();
  const since = new Date(0);
  const { thread } = mock.people.comment(at, "ann", "the customer is Acme Bank", { internal: true });
  mock.people.comment(at, "ann", "so it is", { thread });
  mock.people.comment(at, "ann", "one");
  expect((await whole(tracker, issue)).map(({ body }) => body)).toEqual(["one"]);
  // GitLab counts them.
  expect((await tracker.listComments(issue, null)).leftOut).toBe(2);
  expect((await tracker.getIssue(issue)).commentCount).toBe(3);
  expect((await tracker.listChangedComments(issue, since, [thread]))?.map(({ body }) => body)).toEqual(["one"]);
});

test("an issue is as confidential as GitLab says, and a project private only where it says so (R-SAFE-11)", async () => {
  const { mock, tracker, issue, at } = await gitlabStage();
  expect(await tracker.getIssue(issue)).toMatchObject({ confidential: false });
  mock.people.edit(at, "ann", { confidential: true });
  expect(await tracker.getIssue(issue)).toMatchObject({ confidential: true });
  expect(await tracker.getProject(issue.externalProjectId)).toMatchObject({ isPrivate: true });
  mock.people.project("group/open", { visibility: "public" });
  expect(await tracker.getProject("group/open")).toMatchObject({ isPrivate: false });
});

test("a thread of hundreds of replies comes whole, and once", async () => {
  const { mock, tracker, issue, at } = await gitlabStage();
  const { thread } = mock.people.comment(at, "ann", "head");
  for (let n = 0; n < 249; n += 1) mock.people.comment(at, n % 2 === 0 ? "bob" : "ann", `reply ${n}`, { thread });
  const alone = mock.people.comment(at, "ann", "aside");
  const comments = await whole(tracker, issue);
  expect(comments).toHaveLength(251);
  expect(new Set(comments.map(({ id }) => id)).size).toBe(251);
  expect(new Set(comments.map(({ threadId }) => threadId))).toEqual(new Set([thread, alone.thread]));
});

test("a reply does not make the comment that it answers an edited one", async () => {
  let now = new Date("2026-03-01T10:00:00Z");
  const { mock, tracker, issue, at } = await gitlabStage({ clock: { now: () => now } });
  const { id, thread } = mock.people.comment(at, "ann", "question");
  now = new Date("2026-03-01T10:05:00Z");
  await tracker.createComment(issue, "answer", thread);
  expect((await whole(tracker, issue)).map(({ editedAt }) => editedAt)).toEqual([null, null]);
  now = new Date("2026-03-01T10:06:00Z");
  mock.people.editComment(at, id, "ann", "another question");
  expect((await whole(tracker, issue))[0]?.editedAt).toBeInstanceOf(Date);
});

test("a thread that is deleted while the pages are read makes the reading begin anew", async () => {
  const { mock, tracker, issue, at } = await gitlabStage();
  const first = mock.people.comment(at, "ann", "0");
  for (let n = 1; n < 150; n += 1) mock.people.comment(at, "ann", String(n));
  const page = await tracker.listComments(issue, null);
  mock.people.deleteComment(at, first.id);
  await expect(tracker.listComments(issue, page.next)).rejects.toMatchObject({ code: "conflict", retryable: true });
  expect(await whole(tracker, issue)).toHaveLength(149);
});

test("one new comment in a thread of five thousand costs as many requests as in a short one", async () => {
  const { mock, tracker, issue, at } = await gitlabStage();
  for (let n = 0; n < 5_000; n += 1) mock.people.comment(at, "ann", String(n));
  expect(await whole(tracker, issue)).toHaveLength(5_000);
  expect(mock.requests).toHaveLength(50);

  const since = mock.state.now();
  const { thread } = mock.people.comment(at, "bob", "new");
  mock.requests.length = 0;
  expect(await tracker.listChangedComments(issue, since, [thread])).toMatchObject([{ body: "new", threadId: thread }]);
  expect(mock.requests).toHaveLength(2);
  // Without the event that names the thread it is found among the newest ones.
  mock.requests.length = 0;
  expect(await tracker.listChangedComments(issue, since, [])).toMatchObject([{ body: "new", threadId: thread }]);
  expect(mock.requests).toHaveLength(3);
  expect(mock.violations).toEqual([]);
});

test("what GitLab says has not changed is as good as new, also how many threads there are", async () => {
  const { mock, tracker, issue, at } = await gitlabStage();
  for (let n = 0; n < 120; n += 1) mock.people.comment(at, "ann", String(n));
  for (const text of ["a", "b"]) {
    const since = mock.state.now();
    for (let n = 0; n < 50; n += 1) mock.people.comment(at, "ann", `${text} ${n}`);
    expect(await tracker.listChangedComments(issue, since, [])).toHaveLength(50);
    expect(await whole(tracker, issue)).toHaveLength(text === "a" ? 170 : 220);
  }
  expect(mock.requests.filter(({ status }) => status === 304).length).toBeGreaterThan(0);
});

test("a reply in an old thread is told where an event named the thread, and else not known", async () => {
  const { mock, tracker, issue, at } = await gitlabStage();
  const { thread } = mock.people.comment(at, "ann", "old");
  for (let n = 0; n < 320; n += 1) mock.people.comment(at, "ann", String(n));
  const since = mock.state.now();
  mock.people.comment(at, "bob", "reply", { thread });
  const changed = await tracker.listChangedComments(issue, since, [thread]);
  expect(changed?.map(({ body }) => body)).toEqual(["old", "reply"]);
  expect(await tracker.listChangedComments(issue, since, [])).toBeNull();
});

test("a thread that an event named and that is gone is no trouble", async () => {
  const { mock, tracker, issue, at } = await gitlabStage();
  const gone = mock.people.comment(at, "ann", "gone");
  const since = mock.state.now();
  mock.people.comment(at, "ann", "there");
  mock.people.deleteComment(at, gone.id);
  const changed = await tracker.listChangedComments(issue, since, [gone.thread, "0".repeat(40)]);
  expect(changed?.map(({ body }) => body)).toEqual(["there"]);
});

test("more changes than a few pages are fetched with the whole", async () => {
  const { mock, tracker, issue, at } = await gitlabStage();
  const since = mock.state.now();
  for (let n = 0; n < 301; n += 1) mock.people.comment(at, "ann", String(n));
  expect(await tracker.listChangedComments(issue, since, [])).toBeNull();
});

test.each([
  "/close",
  "done\n/close",
  "done\r\n/close\r\n",
  "\r/close",
  "/CLOSE now",
  '/label ~"relay:done"\n/assign @bob',
  "```\n/close\n```",
  "```\nx\n``` \n```\n/close\n```",
  "~~~\n/close\n~~~",
  "<details>\n/close",
  "> a\n\n/close\t",
])("no comment of Relay's makes GitLab do something: %j", async (body) => {
  const { mock, tracker, issue } = await gitlabStage();
  const made = await tracker.createComment(issue, body, null);
  await tracker.createComment(issue, body, made.threadId);
  await tracker.updateComment(issue, made.id, `${body}\n${body}`);
  const request = { title: "Fix", body, head: "fix/1-x", base: "main", draft: false };
  const { number } = await tracker.createPullRequest(issue.externalProjectId, request);
  await tracker.updatePullRequest(issue.externalProjectId, number, { body: `${body}\n${body}` });
  const now = await tracker.getIssue(issue);
  expect(now).toMatchObject({ state: "open", labels: ["bug"], assignees: ["bob"], commentCount: 2 });
  const [first] = await whole(tracker, issue);
  const plain = (text: string) => text.replaceAll(/\s/g, "");
  expect(plain(first?.body ?? "")).toBe(plain(body + body));
  expect(plain(mock.state.projects[0]?.mergeRequests[0]?.description ?? "")).toBe(plain(body + body));
});

test("paths and words that only look like commands stay to the letter", async () => {
  const { tracker, issue } = await gitlabStage();
  const body = "/usr/bin/env\n//close\nand /close\n /close\n/v2/users";
  expect((await tracker.createComment(issue, body, null)).body).toBe(body);
});
