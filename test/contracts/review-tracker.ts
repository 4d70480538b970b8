import { beforeEach, describe, expect, test } from "vitest";
import { openOn } from "../support/find-open-request.ts";
import type { CodeHost, CommitCheck, PullRequest, ReviewThread } from "../../src/adapters/trackers/code-host.ts";

/** A request, and who does something to it. */
export interface AtRequest {
  project: string;
  number: number;
  login: string;
}

/** What the suite does as a person or as a check, in the tracker's own web pages as it were. */
export interface PeopleOfReviews {
  /** Opens a thread at a line of the request's changes; under the request as a whole without a place. */
  say(at: AtRequest, body: string, place: { path: string; line: number } | null): Promise<void>;
  /** Answers in a thread that `listReviewThreads` told of. */
  reply(at: AtRequest, threadId: string, body: string): Promise<void>;
  /** Hands in a review of the whole; the words may be empty. */
  review(at: AtRequest, verdict: "approved" | "changes_requested", body: string): Promise<void>;
  /** Declares a thread at a line settled. */
  resolve(at: AtRequest, threadId: string): Promise<void>;
  merge(at: AtRequest): Promise<void>;
  close(at: AtRequest): Promise<void>;
  /** A check on the commit says how it stands; later ones of its name replace it. */
  report(project: string, commit: string, check: Pick<CommitCheck, "name" | "outcome" | "detail">): Promise<void>;
  /** The labels that the request has now. */
  labelsOf(project: string, number: number): Promise<string[]>;
}

export interface ReviewsUnderTest {
  tracker: CodeHost;
  people: PeopleOfReviews;
  project: string;
  /** Open, by the bot, from `fix/7-x` into `main`, with `src/pay.ts` among its changes; nobody has said anything yet. */
  request: PullRequest;
  /** The newest commit of its head, without checks. `bob` may write in the project, `ann` may read. */
  commit: string;
  /** What the tracker cannot do, of what the suite asks. */
  lacks?: { resolved?: boolean; detail?: boolean };
}

const PLACE = { path: "src/pay.ts", line: 2 };
const MISSING = { code: "not_found", retryable: false };

/** What every tracker must do while a request is reviewed, whatever stands behind it (R-WORK-9). */
export function describeReviews(name: string, setUp: () => Promise<ReviewsUnderTest>): void {
  describe(`${name} while a request is reviewed`, () => {
    let given: ReviewsUnderTest;
    let bob: AtRequest;
    let ann: AtRequest;

    beforeEach(async () => {
      given = await setUp();
      const { project, request } = given;
      bob = { project, number: request.number, login: "bob" };
      ann = { ...bob, login: "ann" };
    });

    async function threads(): Promise<ReviewThread[]> {
      return await given.tracker.listReviewThreads(given.project, given.request.number);
    }

    /** The only thread that there is. */
    async function thread(): Promise<ReviewThread> {
      const [only, ...others] = await threads();
      expect(others).toEqual([]);
      if (only === undefined) throw new Error("there is no thread");
      return only;
    }

    async function reply(threadId: string, body: string) {
      return await given.tracker.replyToThread(given.project, given.request.number, threadId, body);
    }

    test("tells a request as it is, whatever its state", async () => {
      const { tracker, people, project, request } = given;
      const state = async () => (await tracker.getPullRequest(project, request.number)).state;
      expect(await tracker.getPullRequest(project, request.number)).toEqual(request);
      await people.close(bob);
      expect(await state()).toBe("closed");
      expect(await openOn(tracker, project, request.head)).toBeNull();
    });

    test("takes a comment on the request as a whole, and shows it as the bot's (R-WORK-15)", async () => {
      const { tracker, project, request } = given;
      const made = await tracker.commentOn(project, request.number, "Nothing was pushed.");
      const shown = await thread();
      expect(shown).toMatchObject({ path: null, line: null, resolved: false });
      expect(shown.comments).toMatchObject([{ id: made.id, author: tracker.bot, body: "Nothing was pushed." }]);
      await expect(tracker.commentOn(project, request.number + 99, "x")).rejects.toMatchObject(MISSING);
    });

    test("tells apart what was merged and what was closed", async () => {
      const { tracker, people, project, request } = given;
      await people.merge(bob);
      expect(await tracker.getPullRequest(project, request.number)).toMatchObject({
        state: "merged",
        head: request.head,
      });
      expect(await tracker.listPullRequests(project, request.head)).toMatchObject([{ state: "merged" }]);
    });

    test("says not_found for a request that does not exist", async () => {
      const { tracker, project } = given;
      await expect(tracker.getPullRequest(project, 999_999)).rejects.toMatchObject(MISSING);
      await expect(tracker.listReviewThreads(project, 999_999)).rejects.toMatchObject(MISSING);
      await expect(tracker.replyToThread(project, 999_999, "1", "x")).rejects.toMatchObject(MISSING);
      await expect(tracker.labelPullRequest(project, 999_999, ["x"])).rejects.toMatchObject(MISSING);
    });

    test("has no threads before anybody said anything", async () => {
      expect(await threads()).toEqual([]);
    });

    test("tells a thread at a line with its place, its people and their words in order", async () => {
      await given.people.say(bob, "Use the constant here.", PLACE);
      const opened = await thread();
      expect(opened).toMatchObject({ ...PLACE, resolved: false });
      await given.people.reply(ann, opened.id, "Which one?");
      await given.people.reply(bob, opened.id, "RATE");
      const grown = await thread();
      expect(grown.id).toBe(opened.id);
      expect(grown.comments.map(({ author, body }) => [author, body])).toEqual([
        ["bob", "Use the constant here."],
        ["ann", "Which one?"],
        ["bob", "RATE"],
      ]);
      expect(new Set(grown.comments.map(({ id }) => id)).size).toBe(3);
      expect(grown.comments.every(({ isBot, createdAt }) => !isBot && createdAt instanceof Date)).toBe(true);
    });

    test("keeps threads at different lines apart", async () => {
      await given.people.say(bob, "one", PLACE);
      await given.people.say(bob, "two", { ...PLACE, line: 1 });
      const found = await threads();
      expect(found.map((each) => [each.line, bodies(each)])).toEqual([
        [2, ["one"]],
        [1, ["two"]],
      ]);
    });

    test.each(["Done in 1a2b3c4.\n\n<!-- relay:answer:1-2 -->", "emoji 🧪, 漢字\n\n```\ncode\n```"])(
      "answers in a thread at a line, to the letter: %j",
      async (body) => {
        await given.people.say(bob, "Use the constant here.", PLACE);
        const { id } = await thread();
        const made = await reply(id, body);
        expect(made).toMatchObject({ author: given.tracker.bot, body });
        const { comments } = await thread();
        expect(comments.map((comment) => comment.body)).toEqual(["Use the constant here.", body]);
        expect(comments[1]?.id).toBe(made.id);
      },
    );

    test("tells what was said under the request as a whole, and answers it there", async () => {
      await given.people.say(bob, "Please add a changelog entry.", null);
      const opened = await thread();
      expect(opened).toMatchObject({ path: null, line: null, resolved: false });
      expect(bodies(opened)).toEqual(["Please add a changelog entry."]);
      const made = await reply(opened.id, "Added.\n\n<!-- relay:answer:1-2 -->");
      const after = (await threads()).flatMap(({ comments }) => comments);
      expect(after.map(({ id }) => id)).toEqual([opened.comments[0]?.id, made.id]);
      expect(after[1]).toMatchObject({ author: given.tracker.bot });
      // Where there are no threads, the answer may say first what it answers.
      expect(after[1]?.body.endsWith("Added.\n\n<!-- relay:answer:1-2 -->")).toBe(true);
    });

    test("tells the words of a review, and nothing of one without words", async () => {
      await given.people.review(ann, "approved", "");
      expect(await threads()).toEqual([]);
      await given.people.review(bob, "changes_requested", "The rounding is wrong everywhere.");
      const opened = await thread();
      expect(opened).toMatchObject({ path: null, resolved: false });
      expect(bodies(opened)).toEqual(["The rounding is wrong everywhere."]);
      expect(opened.comments[0]?.author).toBe("bob");
      const made = await reply(opened.id, "Mended.");
      expect((await threads()).flatMap(({ comments }) => comments).map(({ id }) => id)).toContain(made.id);
    });

    test("tells what is settled, where the tracker knows", async () => {
      await given.people.say(bob, "one", PLACE);
      const { id } = await thread();
      await given.people.resolve(bob, id);
      expect((await thread()).resolved).toBe(given.lacks?.resolved !== true);
    });

    test("tells all of a long discussion, however many pages it takes", async () => {
      await given.people.say(bob, "0", PLACE);
      const { id } = await thread();
      for (let n = 1; n < 60; n += 1) await given.people.reply(bob, id, String(n));
      for (let n = 60; n < 180; n += 1) await given.people.say(bob, String(n), null);
      const all = (await threads()).flatMap(({ comments }) => comments.map(({ body }) => Number(body)));
      expect(all.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 180 }, (_, n) => n));
    });

    test.each([
      ["an empty one", ""],
      ["a blank one", " \n"],
      ["one with a NUL", "nul \0"],
      ["a longer one", "x".repeat(65_537)],
    ])("refuses an answer that no tracker takes: %s", async (_, body) => {
      await given.people.say(bob, "one", PLACE);
      const { id } = await thread();
      await expect(reply(id, body)).rejects.toMatchObject({ code: "invalid", retryable: false });
      expect(bodies(await thread())).toEqual(["one"]);
    });

    test("says not_found for a thread that does not exist", async () => {
      await expect(reply("999999", "x")).rejects.toMatchObject(MISSING);
      await expect(reply("../1", "x")).rejects.toMatchObject({ retryable: false });
    });

    test("tells the newest outcome of each check on a commit", async () => {
      const { tracker, people, project, commit } = given;
      const checks = async () => {
        const found = await tracker.listChecks(project, commit);
        return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      };
      expect(await checks()).toEqual([]);
      await people.report(project, commit, { name: "unit", outcome: "pending", detail: "" });
      await people.report(project, commit, { name: "lint", outcome: "passed", detail: "" });
      expect(await checks()).toMatchObject([
        { name: "lint", outcome: "passed" },
        { name: "unit", outcome: "pending" },
      ]);
      await people.report(project, commit, { name: "unit", outcome: "failed", detail: "pay.test.ts: 1 of 3 failed" });
      const failed = await checks();
      expect(failed).toMatchObject([
        { name: "lint", outcome: "passed" },
        { name: "unit", outcome: "failed" },
      ]);
      expect(failed[1]?.detail).toContain(given.lacks?.detail === true ? "" : "1 of 3 failed");
      await people.report(project, commit, { name: "unit", outcome: "passed", detail: "" });
      expect(await checks()).toMatchObject([{ outcome: "passed" }, { name: "unit", outcome: "passed" }]);
    });

    test("gives no more of what a check says than somebody can use", async () => {
      const { tracker, people, project, commit } = given;
      await people.report(project, commit, { name: "unit", outcome: "failed", detail: `${"x\n".repeat(20_000)}end` });
      const [unit] = await tracker.listChecks(project, commit);
      expect(unit?.outcome).toBe("failed");
      expect(unit?.detail.length).toBeLessThanOrEqual(8_000);
    });

    test("adds labels to a request, once each, and leaves the others", async () => {
      const { tracker, people, project, request } = given;
      await tracker.labelPullRequest(project, request.number, ["relay", "needs: review"]);
      await tracker.labelPullRequest(project, request.number, ["relay", "bug"]);
      expect((await people.labelsOf(project, request.number)).toSorted()).toEqual(["bug", "needs: review", "relay"]);
      await tracker.labelPullRequest(project, request.number, []);
      expect(await people.labelsOf(project, request.number)).toHaveLength(3);
      await expect(tracker.labelPullRequest(project, request.number, [" "])).rejects.toMatchObject({
        code: "invalid",
      });
    });
  });
}

function bodies({ comments }: ReviewThread): string[] {
  return comments.map(({ body }) => body);
}
