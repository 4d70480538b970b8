import { describe, expect, test } from "vitest";
import { freshDatabase } from "../../../../test/support/database.ts";
import type { IssueAddress } from "../../../domain/issue.ts";
import { systemClock } from "../../../lib/clock.ts";
import { snowflakes } from "../../../lib/ids.ts";
import { localPeople, type NewIssue } from "./people.ts";
import { localTracker } from "./tracker.ts";

const NEW: NewIssue = {
  number: null,
  title: "Broken",
  body: "It is.",
  author: "ann",
  labels: ["bug"],
  assignees: [],
  url: null,
  createdAt: new Date("2026-03-01T00:00:00Z"),
};
const PULL_REQUEST = { title: "t", body: "", head: "a", base: "main", draft: false };

async function setUp() {
  const { db } = await freshDatabase();
  const deps = { clock: systemClock, ids: snowflakes() };
  const people = localPeople(db, deps);
  await people.createProject("demo");
  await people.setMember("demo", "relay", "write", true);
  await people.setMember("demo", "Ann", "read");
  await people.setMember("demo", "maria", "triage");
  await people.setMember("demo", "will", "write");
  const issue: IssueAddress = await people.openIssue("demo", NEW);
  return { db, people, issue, tracker: localTracker(db, { bot: "relay", ...deps }) };
}

describe("what people do", () => {
  test("is told as an event", async () => {
    const { people, issue } = await setUp();
    expect(await people.assign(issue, "maria", "relay")).toMatchObject({ kind: "assigned", assignee: "relay" });
    expect(await people.unassign(issue, "maria", "Relay")).toMatchObject({ kind: "unassigned", actor: "maria" });
    expect(await people.editIssue(issue, "ann", { body: "now" })).toMatchObject({ kind: "edited", text: "now" });
    expect(await people.label(issue, "maria", ["new"])).toMatchObject({ kind: "labelled", actorIsBot: false });
    expect(await people.setState(issue, "ann", "closed")).toMatchObject({ kind: "closed" });
    expect(await people.setState(issue, "ann", "open")).toMatchObject({ kind: "reopened" });
    const said = await people.comment(issue, "relay", "hi");
    expect(said).toMatchObject({ kind: "commented", actorIsBot: true, text: "hi", provider: "local" });
    const id = said.commentId ?? "";
    expect(await people.editComment(issue, id, "will", "ho")).toMatchObject({ kind: "comment_edited", commentId: id });
    expect(await people.deleteComment(issue, id, "will")).toMatchObject({ kind: "comment_deleted", commentId: id });
  });

  test("is in the tracker at once", async () => {
    const { people, issue, tracker } = await setUp();
    await people.editIssue(issue, "ann", { title: "Fixed?", body: "" });
    await people.label(issue, "maria", ["new", "new"]);
    await people.assign(issue, "maria", "will");
    await people.assign(issue, "maria", "Will");
    await people.setState(issue, "ann", "closed");
    await people.react(issue, null, "ann", "eyes");
    await tracker.addReaction(issue, null, "eyes");
    expect(await tracker.getIssue(issue)).toMatchObject({
      title: "Fixed?",
      body: "",
      labels: ["new"],
      assignees: ["Will"],
      state: "closed",
    });
    expect(await tracker.listReactions(issue, null, "eyes")).toEqual(["ann", "relay"]);
  });

  test("counts as a change of the issue, but never turns its time back", async () => {
    const { people, issue, tracker } = await setUp();
    const opened = (await tracker.getIssue(issue)).updatedAt;
    await people.comment(issue, "ann", "old news", { at: new Date("2025-01-01T00:00:00Z") });
    expect((await tracker.getIssue(issue)).updatedAt).toEqual(opened);
    await people.comment(issue, "ann", "news");
    expect((await tracker.getIssue(issue)).updatedAt.getTime()).toBeGreaterThan(opened.getTime());
  });

  test("goes with the transaction it is part of", async () => {
    const { db, people, issue, tracker } = await setUp();
    const given = { clock: systemClock, ids: snowflakes() };
    const undone = db.transaction(async (tx) => {
      await localPeople(tx, given).comment(issue, "ann", "never said");
      throw new Error("the event could not be stored");
    });
    await expect(undone).rejects.toThrow("could not be stored");
    expect((await tracker.listComments(issue, null)).comments).toEqual([]);
    await expect(people.openIssue("demo", { ...NEW, title: " " })).rejects.toMatchObject({ status: 422 });
    expect((await people.openIssue("demo", NEW)).externalIssueId).toBe("2");
  });
});

describe("permissions", () => {
  test("hide a project from strangers", async () => {
    const { people, issue, tracker } = await setUp();
    const hidden = { code: "not_found", status: 404, retryable: false };
    await expect(people.comment(issue, "stranger", "hi")).rejects.toMatchObject(hidden);
    await expect(people.openIssue("demo", { ...NEW, author: "stranger" })).rejects.toMatchObject(hidden);
    await expect(people.openIssue("nowhere", NEW)).rejects.toMatchObject(hidden);
    await expect(people.setMember("nowhere", "ann", "read")).rejects.toMatchObject(hidden);
    await expect(tracker.permissionOf("nowhere", "ann")).rejects.toMatchObject(hidden);
    await people.setMember("demo", "relay", "none", true);
    await expect(tracker.getIssue(issue)).rejects.toMatchObject(hidden);
  });

  test("tell members what they lack", async () => {
    const { people, issue, tracker } = await setUp();
    const refused = { code: "forbidden", status: 403, retryable: false };
    await expect(people.assign(issue, "ann", "relay")).rejects.toMatchObject(refused);
    await expect(people.label(issue, "ann", [])).rejects.toMatchObject(refused);
    await expect(people.editIssue(issue, "maria", { title: "x" })).rejects.toMatchObject(refused);
    const { commentId } = await people.comment(issue, "will", "mine");
    await expect(people.editComment(issue, commentId ?? "", "maria", "x")).rejects.toMatchObject(refused);
    await expect(people.deleteComment(issue, commentId ?? "", "ann")).rejects.toMatchObject(refused);
    await people.setMember("demo", "relay", "triage", true);
    await expect(tracker.updateComment(issue, commentId ?? "", "x")).rejects.toMatchObject(refused);
    await expect(tracker.createPullRequest("demo", PULL_REQUEST)).rejects.toMatchObject(refused);
    await people.setMember("demo", "relay", "read", true);
    await expect(tracker.changeLabels(issue, { add: ["x"], remove: [] })).rejects.toMatchObject(refused);
  });

  test("belong to a login however it is spelled", async () => {
    const { people, issue, tracker } = await setUp();
    expect(await tracker.permissionOf("demo", "ANN")).toBe("read");
    await people.setMember("demo", "aNN", "admin");
    expect(await tracker.permissionOf("demo", "ann")).toBe("admin");
    await people.comment(issue, "ANN", "once");
    expect((await tracker.listComments(issue, null)).comments).toHaveLength(1);
  });

  test("are not lowered by an invitation", async () => {
    const { people, tracker } = await setUp();
    await people.invite("demo", "WILL", "read");
    await people.invite("demo", "newcomer", "read");
    expect(await tracker.permissionOf("demo", "will")).toBe("write");
    expect(await tracker.permissionOf("demo", "newcomer")).toBe("read");
  });

  test("let in what was said elsewhere by people who are no members", async () => {
    const { people, issue, tracker } = await setUp();
    const at = new Date("2026-02-01T00:00:00Z");
    expect(await people.comment(issue, "stranger", "as I said", { at })).toMatchObject({ at, actor: "stranger" });
    expect((await tracker.listComments(issue, null)).comments).toMatchObject([{ author: "stranger", createdAt: at }]);
  });

  test("are needed to be assigned", async () => {
    const { people, issue } = await setUp();
    await expect(people.assign(issue, "maria", "stranger")).rejects.toMatchObject({ code: "invalid", status: 422 });
  });
});

describe("numbers", () => {
  test("are shared by issues and pull requests", async () => {
    const { people, tracker } = await setUp();
    const open = async (number: number | null) =>
      Number((await people.openIssue("demo", { ...NEW, number })).externalIssueId);
    expect((await tracker.createPullRequest("demo", PULL_REQUEST)).number).toBe(2);
    expect(await open(7)).toBe(7);
    expect(await open(null)).toBe(8);
    expect(await open(3)).toBe(3);
    expect(await open(null)).toBe(9);
    for (const taken of [2, 7, 0, 1.5, 2_147_483_647]) {
      await expect(open(taken)).rejects.toMatchObject({ code: "invalid", status: 422 });
    }
  });

  test("are given once, however many ask at a time", async () => {
    const { people } = await setUp();
    const opened = await Promise.all(Array.from({ length: 20 }, async () => people.openIssue("demo", NEW)));
    expect(new Set(opened.map((event) => event.externalIssueId)).size).toBe(20);
  });
});
