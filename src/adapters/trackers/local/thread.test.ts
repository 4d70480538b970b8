import { expect, test } from "vitest";
import { freshDatabase } from "../../../../test/support/database.ts";
import { systemClock } from "../../../lib/clock.ts";
import { snowflakes } from "../../../lib/ids.ts";
import { localPeople } from "./people.ts";
import { localTracker } from "./tracker.ts";

async function setUp() {
  const { db } = await freshDatabase();
  const deps = { clock: systemClock, ids: snowflakes() };
  const people = localPeople(db, deps);
  await people.createProject("demo");
  await people.setMember("demo", "relay", "write", true);
  await people.setMember("demo", "ann", "read");
  const open = async () =>
    await people.openIssue("demo", {
      number: null,
      title: "Broken",
      body: "",
      author: "ann",
      labels: [],
      assignees: [],
      url: null,
      createdAt: new Date("2026-03-01T00:00:00Z"),
    });
  return { people, issue: await open(), other: await open(), tracker: localTracker(db, { bot: "relay", ...deps }) };
}

test("pages stay in step when comments of earlier pages go away", async () => {
  const { people, issue, tracker } = await setUp();
  for (let n = 0; n < 150; n += 1) await people.comment(issue, "ann", String(n));
  const first = await tracker.listComments(issue, null);
  for (const comment of first.comments.slice(50)) await people.deleteComment(issue, comment.id, "ann");
  const second = await tracker.listComments(issue, first.next);
  expect(second.comments.map((comment) => comment.body)).toEqual(Array.from({ length: 50 }, (_, n) => String(n + 100)));
});

test("comments of one instant are on one page or the next, never on both or none", async () => {
  const { people, issue, tracker } = await setUp();
  const at = new Date("2026-03-02T00:00:00Z");
  for (let n = 0; n < 150; n += 1) await people.comment(issue, "ann", String(n), { at });
  const first = await tracker.listComments(issue, null);
  const second = await tracker.listComments(issue, first.next);
  const all = [...first.comments, ...second.comments].map((comment) => comment.body);
  expect(all).toEqual(Array.from({ length: 150 }, (_, n) => String(n)));
});

test("comments brought in later stand at their time", async () => {
  const { people, issue, tracker } = await setUp();
  await people.comment(issue, "ann", "second", { at: new Date("2026-03-03T00:00:00Z") });
  await people.comment(issue, "ann", "first", { at: new Date("2026-03-02T00:00:00Z") });
  const { comments } = await tracker.listComments(issue, null);
  expect(comments.map((comment) => comment.body)).toEqual(["first", "second"]);
});

test.each(["", "7", "Zm9v", "MjAyNi0wMy0wMVQwMDowMDowMC4wMDBaIHg"])(
  "a made-up cursor is refused: %j",
  async (cursor) => {
    const { issue, tracker } = await setUp();
    await expect(tracker.listComments(issue, cursor)).rejects.toMatchObject({ code: "invalid", status: 422 });
  },
);

test("a thread lives as long as one of its comments", async () => {
  const { people, issue, tracker } = await setUp();
  const opening = await people.comment(issue, "ann", "question");
  const threadId = opening.commentId ?? "";
  const reply = await tracker.createComment(issue, "answer", threadId);
  expect(reply).toMatchObject({ threadId, replyToId: threadId });
  await people.deleteComment(issue, threadId, "ann");
  expect(await people.comment(issue, "ann", "more", { threadId })).toMatchObject({ text: "more" });
  await expect(tracker.createComment(issue, "x", reply.id)).rejects.toMatchObject({ code: "not_found" });
});

test("threads and comments of another issue are not found", async () => {
  const { people, issue, other, tracker } = await setUp();
  const id = (await people.comment(other, "ann", "elsewhere")).commentId ?? "";
  const missing = { code: "not_found", status: 404 };
  await expect(tracker.createComment(issue, "x", id)).rejects.toMatchObject(missing);
  await expect(tracker.updateComment(issue, id, "x")).rejects.toMatchObject(missing);
  await expect(tracker.addReaction(issue, id, "eyes")).rejects.toMatchObject(missing);
  await expect(people.editComment(issue, id, "ann", "x")).rejects.toMatchObject(missing);
  await expect(people.deleteComment(issue, id, "ann")).rejects.toMatchObject(missing);
});

test.each(["x", "-1", "1.5", "", "9".repeat(19), "9".repeat(40)])("an id that is none is not found: %j", async (id) => {
  const { people, issue, tracker } = await setUp();
  const missing = { code: "not_found", status: 404 };
  await expect(tracker.updateComment(issue, id, "x")).rejects.toMatchObject(missing);
  await expect(tracker.createComment(issue, "x", id)).rejects.toMatchObject(missing);
  await expect(tracker.listReactions(issue, id, "eyes")).rejects.toMatchObject(missing);
  await expect(people.comment({ ...issue, externalIssueId: id }, "ann", "x")).rejects.toMatchObject(missing);
});

test("a limit counts characters, not their halves", async () => {
  const { issue, tracker } = await setUp();
  const body = "🧪".repeat(65_536);
  expect((await tracker.createComment(issue, body, null)).body).toBe(body);
  await expect(tracker.createComment(issue, `${body}x`, null)).rejects.toMatchObject({ code: "invalid" });
  await expect(tracker.createComment(issue, "\uD83E", null)).rejects.toMatchObject({ code: "invalid" });
});

test("labels changed at the same time are all there", async () => {
  const { issue, tracker } = await setUp();
  const names = Array.from({ length: 10 }, (_, n) => `label ${n}`);
  await Promise.all(names.map(async (name) => tracker.changeLabels(issue, { add: [name], remove: [] })));
  expect((await tracker.getIssue(issue)).labels.toSorted()).toEqual(names);
});

test("a pull request that reopens gives way to the one that is open", async () => {
  const { tracker } = await setUp();
  const request = { title: "t", body: "", head: "a", base: "main", draft: false };
  const first = await tracker.createPullRequest("demo", request);
  await tracker.updatePullRequest("demo", first.number, { state: "closed" });
  await tracker.createPullRequest("demo", request);
  const refused = { code: "invalid", status: 422 };
  await expect(tracker.updatePullRequest("demo", first.number, { state: "open" })).rejects.toMatchObject(refused);
  await expect(tracker.createPullRequest("demo", { ...request, head: "main" })).rejects.toMatchObject(refused);
  await expect(tracker.requestReview("demo", first.number, ["relay"])).rejects.toMatchObject(refused);
});
