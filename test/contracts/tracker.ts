import { beforeEach, describe, expect, test } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import type { Permission, Tracker, TrackerComment } from "../../src/trackers/tracker.ts";

/** What the suite does as a person, in the tracker's own web pages as it were. */
export interface PeopleOfTracker {
  comment(address: IssueAddress, login: string, body: string): Promise<{ id: string }>;
  editComment(address: IssueAddress, id: string, login: string, body: string): Promise<void>;
  deleteComment(address: IssueAddress, id: string, login: string): Promise<void>;
  setPermission(project: string, login: string, permission: Permission): Promise<void>;
}

export interface TrackerUnderTest {
  tracker: Tracker;
  people: PeopleOfTracker;
  /** An open issue by `ann` with the label `bug`, assigned to `bob`, without comments. */
  issue: IssueAddress;
}

/** What every tracker must do, whatever stands behind it. */
export function describeTracker(name: string, setUp: () => Promise<TrackerUnderTest>): void {
  describe(`${name} as a tracker`, () => {
    let tracker: Tracker;
    let people: PeopleOfTracker;
    let issue: IssueAddress;

    beforeEach(async () => {
      ({ tracker, people, issue } = await setUp());
    });

    async function thread(): Promise<TrackerComment[]> {
      const comments: TrackerComment[] = [];
      let cursor: string | null = null;
      do {
        const page = await tracker.listComments(issue, cursor);
        expect(page.comments.length).toBeLessThanOrEqual(100);
        comments.push(...page.comments);
        cursor = page.next;
      } while (cursor !== null);
      return comments;
    }

    test("tells an issue as it is", async () => {
      expect(await tracker.getIssue(issue)).toMatchObject({
        ...issue,
        author: "ann",
        state: "open",
        labels: ["bug"],
        assignees: ["bob"],
      });
    });

    test("says not_found for an issue that does not exist", async () => {
      await expect(tracker.getIssue({ ...issue, externalIssueId: "999999" })).rejects.toMatchObject({
        code: "not_found",
        retryable: false,
      });
      await expect(tracker.createComment({ ...issue, externalIssueId: "999999" }, "x", null)).rejects.toMatchObject({
        code: "not_found",
      });
    });

    test("gives a thread of several pages whole and in order", async () => {
      for (let n = 0; n < 205; n += 1) await people.comment(issue, "ann", `comment ${n}`);
      expect((await thread()).map((comment) => comment.body)).toEqual(
        Array.from({ length: 205 }, (_, n) => `comment ${n}`),
      );
    });

    test("shows edits and deletions", async () => {
      const first = await people.comment(issue, "ann", "one");
      const second = await people.comment(issue, "ann", "two");
      await people.editComment(issue, first.id, "ann", "uno");
      await people.deleteComment(issue, second.id, "ann");
      const comments = await thread();
      expect(comments.map((comment) => comment.body)).toEqual(["uno"]);
      expect(comments[0]?.editedAt).toBeInstanceOf(Date);
    });

    test.each([
      "plain",
      "<!-- relay:action:1-2-3 -->",
      "emoji 🧪, 漢字, עברית‏",
      "```\ncode\n```",
      "line\nline\n\n- list",
    ])("keeps the text of a comment to the letter: %j", async (body) => {
      const made = await tracker.createComment(issue, body, null);
      expect(made).toMatchObject({ body, author: tracker.bot });
      expect((await thread()).map((comment) => comment.body)).toEqual([body]);
    });

    test("replies in a thread", async () => {
      const opening = await people.comment(issue, "ann", "question");
      const [found] = await thread();
      await tracker.createComment(issue, "answer", found?.threadId ?? null);
      const comments = await thread();
      expect(comments.map((comment) => comment.body)).toEqual(["question", "answer"]);
      expect(comments[1]?.threadId).toBe(found?.threadId);
      expect(opening.id).toBe(found?.id);
    });

    test("updates its own comment in place", async () => {
      const made = await tracker.createComment(issue, "plan v1", null);
      await tracker.updateComment(issue, made.id, "plan v2");
      expect((await thread()).map((comment) => comment.body)).toEqual(["plan v2"]);
    });

    test.each(["", "x".repeat(65_537), "nul \0"])("refuses a body that no tracker takes", async (body) => {
      await expect(tracker.createComment(issue, body, null)).rejects.toMatchObject({
        code: "invalid",
        retryable: false,
      });
      expect(await thread()).toEqual([]);
    });

    test("reacts once, however often it is told to", async () => {
      const { id } = await people.comment(issue, "ann", "hi");
      for (const comment of [null, id]) {
        await tracker.addReaction(issue, comment, "eyes");
        await tracker.addReaction(issue, comment, "eyes");
        expect(await tracker.listReactions(issue, comment, "eyes")).toEqual([tracker.bot]);
      }
    });

    test("changes only the labels it is told to, making missing ones", async () => {
      await tracker.changeLabels(issue, { add: ["relay:done"], remove: ["relay:stuck"] });
      expect((await tracker.getIssue(issue)).labels.toSorted()).toEqual(["bug", "relay:done"]);
      await tracker.changeLabels(issue, { add: [], remove: ["relay:done"] });
      expect((await tracker.getIssue(issue)).labels).toEqual(["bug"]);
    });

    test("tells what a person may do at this moment", async () => {
      await people.setPermission(issue.externalProjectId, "carl", "write");
      expect(await tracker.permissionOf(issue.externalProjectId, "carl")).toBe("write");
      await people.setPermission(issue.externalProjectId, "carl", "none");
      expect(await tracker.permissionOf(issue.externalProjectId, "carl")).toBe("none");
      expect(await tracker.permissionOf(issue.externalProjectId, "stranger")).toBe("none");
    });

    test("opens one pull request for a branch, finds and changes it", async () => {
      const request = { title: "Fix", body: "why", head: "fix/1-x", base: "main", draft: true };
      const project = issue.externalProjectId;
      expect(await tracker.findPullRequest(project, request.head)).toBeNull();
      const made = await tracker.createPullRequest(project, request);
      expect(made).toMatchObject({ ...request, state: "open" });
      await expect(tracker.createPullRequest(project, request)).rejects.toMatchObject({ code: "invalid" });
      expect(await tracker.findPullRequest(project, request.head)).toMatchObject({ number: made.number });
      await tracker.updatePullRequest(project, made.number, { draft: false, title: "Fix it" });
      await tracker.requestReview(project, made.number, ["bob"]);
      expect(await tracker.findPullRequest(project, request.head)).toMatchObject({ draft: false, title: "Fix it" });
    });
  });
}
