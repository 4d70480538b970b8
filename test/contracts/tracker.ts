import { beforeEach, describe, expect, test } from "vitest";
import { openOn } from "../support/find-open-request.ts";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { sleep } from "../../src/lib/clock.ts";
import type { Forge } from "../../src/adapters/trackers/code-host.ts";
import type { Permission, TrackerComment } from "../../src/adapters/trackers/tracker.ts";

/** What the suite does as a person, in the tracker's own web pages as it were. */
export interface PeopleOfTracker {
  comment(address: IssueAddress, login: string, body: string): Promise<{ id: string }>;
  editComment(address: IssueAddress, id: string, login: string, body: string): Promise<void>;
  deleteComment(address: IssueAddress, id: string, login: string): Promise<void>;
  setPermission(project: string, login: string, permission: Permission): Promise<void>;
  /** Opens an issue and assigns it; its number. */
  openIssue(project: string, login: string, assignees: string[]): Promise<string>;
  /** Makes a branch from the default one, or puts a file on the default branch. */
  makeBranch(project: string, branch: string): Promise<void>;
  putFile(project: string, path: string, text: string): Promise<void>;
}

export interface TrackerUnderTest {
  tracker: Forge;
  people: PeopleOfTracker;
  /**
   * An open issue by `ann` with the label `bug`, assigned to `bob`, without comments. Both may read its project, the
   * bot may write, and nobody is called `stranger`.
   */
  issue: IssueAddress;
}

/** What every tracker must do, whatever stands behind it. */
export function describeTracker(name: string, setUp: () => Promise<TrackerUnderTest>): void {
  describe(`${name} as a tracker`, () => {
    let tracker: Forge;
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

    test("counts the comments of an issue as they are now", async () => {
      const counted = async () => (await tracker.getIssue(issue)).commentCount;
      expect(await counted()).toBe(0);
      await people.comment(issue, "ann", "one");
      const two = await people.comment(issue, "ann", "two");
      expect(await counted()).toBe(2);
      await people.deleteComment(issue, two.id, "ann");
      expect(await counted()).toBe(1);
    });

    test("says not_found for an issue that does not exist", async () => {
      await expect(tracker.getIssue({ ...issue, externalIssueId: "999999" })).rejects.toMatchObject({
        code: "not_found",
        retryable: false,
      });
      await expect(tracker.createComment({ ...issue, externalIssueId: "999999" }, "x", null)).rejects.toMatchObject({
        code: "not_found",
      });
      await expect(tracker.listComments({ ...issue, externalIssueId: "999999" }, null)).rejects.toMatchObject({
        code: "not_found",
      });
    });

    test("gives a thread of several pages whole and in order, also when it grows meanwhile", async () => {
      for (let n = 0; n < 255; n += 1) await people.comment(issue, "ann", `comment ${n}`);
      expect((await thread()).map((comment) => comment.body)).toEqual(numbered(255));

      const first = await tracker.listComments(issue, null);
      await people.comment(issue, "ann", "comment 255");
      const second = await tracker.listComments(issue, first.next);
      const third = await tracker.listComments(issue, second.next);
      const all = [first, second, third].flatMap((page) => page.comments);
      expect(all.map((comment) => comment.body)).toEqual(numbered(256));
      expect(third.next).toBeNull();
    });

    test("has no second page for a thread of exactly one", async () => {
      for (let n = 0; n < 100; n += 1) await people.comment(issue, "ann", `comment ${n}`);
      const pages = [await tracker.listComments(issue, null)];
      // A tracker that cannot know may point to an empty page once.
      const next = pages[0]?.next ?? null;
      if (next !== null) pages.push(await tracker.listComments(issue, next));
      expect(pages.at(-1)?.next).toBeNull();
      expect(pages.flatMap((page) => page.comments)).toHaveLength(100);
    });

    test("shows edits and deletions", async () => {
      const first = await people.comment(issue, "ann", "one");
      const second = await people.comment(issue, "ann", "two");
      expect((await thread()).map((comment) => comment.editedAt)).toEqual([null, null]);
      await aSecondAfter(new Date());
      await people.editComment(issue, first.id, "ann", "uno");
      await people.deleteComment(issue, second.id, "ann");
      const comments = await thread();
      expect(comments.map((comment) => comment.body)).toEqual(["uno"]);
      expect(comments[0]?.editedAt).toBeInstanceOf(Date);
    });

    test("gives one comment as it is now, and says not_found once it is deleted", async () => {
      const { id } = await people.comment(issue, "ann", "one");
      expect(await tracker.getComment(issue, id)).toMatchObject({ id, author: "ann", body: "one", editedAt: null });
      await people.deleteComment(issue, id, "ann");
      await expect(tracker.getComment(issue, id)).rejects.toMatchObject({ code: "not_found", retryable: false });
    });

    test("tells what changed since a moment, new and edited, or that it cannot", async () => {
      const first = await people.comment(issue, "ann", "one");
      await people.comment(issue, "ann", "two");
      const before = await thread();
      const since = new Date(Math.max(...before.map(({ createdAt }) => createdAt.getTime())) + 1_000);
      await aSecondAfter(since);
      expect((await tracker.listChangedComments(issue, since, [])) ?? []).toEqual([]);
      await people.editComment(issue, first.id, "ann", "uno");
      await people.comment(issue, "bob", "three");
      const now = await thread();
      const changed = await tracker.listChangedComments(issue, since, []);
      if (changed === null) return;
      const known = new Map([...before, ...changed].map((comment) => [comment.id, comment]));
      expect([...known.values()]).toEqual(now);
      const elsewhere = { ...issue, externalIssueId: "999999" };
      await expect(tracker.listChangedComments(elsewhere, since, [])).rejects.toMatchObject({ code: "not_found" });
    });

    test("lists the issues that changed since a moment, and those of one person", async () => {
      const project = issue.externalProjectId;
      const second = await people.openIssue(project, "ann", [tracker.bot]);
      const found = async (since: Date | null, assignee: string | null) => {
        const page = await tracker.listIssues(project, { since, assignee }, null);
        expect(page.next).toBeNull();
        return page.issues.map(({ externalIssueId }) => externalIssueId).toSorted();
      };
      expect(await found(null, null)).toEqual([issue.externalIssueId, second].toSorted());
      expect(await found(null, tracker.bot)).toEqual([second]);
      expect(await found(null, "carl")).toEqual([]);
      const { updatedAt } = await tracker.getIssue({ ...issue, externalIssueId: second });
      await aSecondAfter(updatedAt);
      await people.comment(issue, "ann", "still there?");
      expect(await found(new Date(updatedAt.getTime() + 1_000), null)).toEqual([issue.externalIssueId]);
    });

    test.each([
      "plain",
      "<!-- relay:action:1-2-3 -->",
      "a <!-- relay:action:1-2-3 --> b\n\n<details>\n<summary>x</summary>\n\ny\n\n</details>",
      "emoji 🧪 👩‍💻 🇩🇪, 漢字 𠮷, עברית, e\u0301, \u202Ertl\u202C",
      "```\ncode\n```",
      "line\nline\n\n- list",
    ])("keeps the text of a comment to the letter: %j", async (body) => {
      const made = await tracker.createComment(issue, body, null);
      expect(made).toMatchObject({ body, author: tracker.bot });
      expect((await thread()).map((comment) => comment.body)).toEqual([body]);
    });

    test("keeps the lines of a comment, whatever ends them", async () => {
      await tracker.createComment(issue, "one\r\ntwo\n\r\nthree", null);
      expect((await thread()).map((comment) => comment.body.replaceAll("\r\n", "\n"))).toEqual(["one\ntwo\n\nthree"]);
    });

    test("takes a comment of 65,536 characters", async () => {
      const body = "x".repeat(65_536);
      await tracker.createComment(issue, body, null);
      expect((await thread())[0]?.body).toBe(body);
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

    test("deletes its own comment, once", async () => {
      await people.comment(issue, "ann", "kept");
      const made = await tracker.createComment(issue, "posted twice", null);
      await tracker.deleteComment(issue, made.id);
      expect((await thread()).map((comment) => comment.body)).toEqual(["kept"]);
      await expect(tracker.deleteComment(issue, made.id)).rejects.toMatchObject({ code: "not_found" });
    });

    test("updates its own comment in place", async () => {
      const made = await tracker.createComment(issue, "plan v1", null);
      await tracker.updateComment(issue, made.id, "plan v2");
      expect((await thread()).map((comment) => comment.body)).toEqual(["plan v2"]);
      await people.deleteComment(issue, made.id, tracker.bot);
      await expect(tracker.updateComment(issue, made.id, "plan v3")).rejects.toMatchObject({ code: "not_found" });
    });

    test.each([
      ["an empty one", ""],
      ["a blank one", " \n"],
      ["a longer one", "x".repeat(65_537)],
      ["one with a NUL", "nul \0"],
    ])("refuses a body that no tracker takes: %s", async (_, body) => {
      await expect(tracker.createComment(issue, body, null)).rejects.toMatchObject({
        code: "invalid",
        retryable: false,
      });
      expect(await thread()).toEqual([]);
    });

    test("tells who edited a comment, or that it does not tell, and that nothing is hidden", async () => {
      const { id } = await people.comment(issue, "ann", "hi");
      const plain = await tracker.inspectComment(issue, id);
      expect({ ...plain, edit: plain.edit?.by ?? null }).toEqual({ edit: null, isMinimized: false });
      await people.editComment(issue, id, "ann", "hello");
      expect([null, "ann"]).toContain((await tracker.inspectComment(issue, id)).edit?.by);
    });

    test("tells the thumbs on a comment in one look", async () => {
      const { id } = await people.comment(issue, "ann", "hi");
      expect(await tracker.listVotes(issue, id)).toEqual({ up: [], down: [] });
      await tracker.addReaction(issue, id, "+1");
      await tracker.addReaction(issue, id, "eyes");
      expect(await tracker.listVotes(issue, id)).toEqual({ up: [tracker.bot], down: [] });
      await tracker.addReaction(issue, id, "-1");
      expect(await tracker.listVotes(issue, id)).toEqual({ up: [tracker.bot], down: [tracker.bot] });
    });

    test("reacts once, however often it is told to", async () => {
      const { id } = await people.comment(issue, "ann", "hi");
      for (const comment of [null, id]) {
        await tracker.addReaction(issue, comment, "eyes");
        await tracker.addReaction(issue, comment, "eyes");
        expect(await tracker.listReactions(issue, comment, "eyes")).toEqual([tracker.bot]);
        expect(await tracker.listReactions(issue, comment, "rocket")).toEqual([]);
      }
    });

    test("changes only the labels it is told to, making missing ones", async () => {
      await tracker.changeLabels(issue, { add: ["relay:done"], remove: ["relay:stuck"] });
      expect((await tracker.getIssue(issue)).labels.toSorted()).toEqual(["bug", "relay:done"]);
      await tracker.changeLabels(issue, { add: ["relay:done"], remove: [] });
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

    test("lists who is a member, with what they may do", async () => {
      await people.setPermission(issue.externalProjectId, "carl", "write");
      const members = await tracker.listMembers(issue.externalProjectId);
      expect(members).toContainEqual({ login: "carl", permission: "write" });
      expect(members.map(({ login }) => login)).not.toContain("stranger");
    });

    test("knows the project, its branches and the files of its default branch", async () => {
      const project = issue.externalProjectId;
      expect(await tracker.getProject(project)).toMatchObject({ externalProjectId: project, defaultBranch: "main" });
      await people.makeBranch(project, "fix/1-x");
      expect(await tracker.branchExists(project, "fix/1-x")).toBe(true);
      expect(await tracker.branchExists(project, "fix/1")).toBe(false);
      expect(await tracker.branchExists(project, "fix/1-x/y")).toBe(false);
      await people.putFile(project, ".github/CODEOWNERS", "* @ann\n# für alle\n");
      expect(await tracker.readFile(project, ".github/CODEOWNERS")).toBe("* @ann\n# für alle\n");
      expect(await tracker.readFile(project, "CODEOWNERS")).toBeNull();
      expect(await tracker.readFile(project, ".github")).toBeNull();
      await expect(tracker.getProject("no/such-project")).rejects.toMatchObject({ code: "not_found" });
    });

    test("opens one pull request for a branch, finds and changes it", async () => {
      const request = { title: "Fix", body: "why", head: "fix/1-x", base: "main", draft: true };
      const project = issue.externalProjectId;
      await people.makeBranch(project, request.head);
      expect(await openOn(tracker, project, request.head)).toBeNull();
      const made = await tracker.createPullRequest(project, request);
      expect(made).toMatchObject({ ...request, state: "open" });
      await expect(tracker.createPullRequest(project, request)).rejects.toMatchObject({ code: "invalid" });
      expect(await openOn(tracker, project, request.head)).toMatchObject({
        ...request,
        number: made.number,
        url: made.url,
      });
      await tracker.updatePullRequest(project, made.number, { draft: false, title: "Fix it" });
      expect(await openOn(tracker, project, request.head)).toMatchObject({
        draft: false,
        title: "Fix it",
        body: "why",
      });
      await expect(tracker.updatePullRequest(project, 999_999, { title: "x" })).rejects.toMatchObject({
        code: "not_found",
      });
    });

    test("opens another pull request for a branch once the first is closed", async () => {
      const request = { title: "Fix", body: "", head: "fix/1-x", base: "main", draft: false };
      const project = issue.externalProjectId;
      await people.makeBranch(project, request.head);
      const first = await tracker.createPullRequest(project, request);
      expect(await tracker.updatePullRequest(project, first.number, { state: "closed" })).toMatchObject({
        state: "closed",
      });
      expect(await openOn(tracker, project, request.head)).toBeNull();
      const second = await tracker.createPullRequest(project, request);
      expect(second.number).not.toBe(first.number);
      expect(await tracker.listPullRequests(project, request.head)).toMatchObject([
        { number: second.number, state: "open" },
        { number: first.number, state: "closed" },
      ]);
    });

    test("asks for the reviews it is told to, of members only", async () => {
      const project = issue.externalProjectId;
      await people.makeBranch(project, "fix/1-x");
      const { number } = await tracker.createPullRequest(project, {
        title: "Fix",
        body: "",
        head: "fix/1-x",
        base: "main",
        draft: false,
      });
      await tracker.requestReview(project, number, ["bob"]);
      await tracker.requestReview(project, number, ["ann", "bob"]);
      const found = await openOn(tracker, project, "fix/1-x");
      expect(found?.reviewers.toSorted()).toEqual(["ann", "bob"]);
      await expect(tracker.requestReview(project, number, ["stranger"])).rejects.toMatchObject({ code: "invalid" });
    });
  });
}

/** Trackers tell times in seconds or milliseconds: what comes after this is later in either. */
async function aSecondAfter(time: Date): Promise<void> {
  await sleep(Math.max(0, time.getTime() + 1_100 - Date.now()));
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `comment ${n}`);
}
