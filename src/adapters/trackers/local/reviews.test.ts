import { describe, expect, test } from "vitest";
import { describeReviews } from "../../../../test/contracts/review-tracker.ts";
import { localDemo } from "../../../../test/support/local-request.ts";

const COMMIT = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d";

async function setUp() {
  const { people, tracker } = await localDemo();
  const request = await tracker.createPullRequest("demo", {
    title: "Fix",
    body: "why",
    head: "fix/7-x",
    base: "main",
    draft: false,
  });
  return { people, tracker, request, at: { project: "demo", number: request.number } };
}

describeReviews("the local tracker", async () => {
  const { people, tracker, request } = await setUp();
  return {
    tracker,
    request,
    project: "demo",
    commit: COMMIT,
    people: {
      say: async ({ login, ...at }, body, place) => void (await people.reviewComment(at, login, body, place)),
      reply: async ({ login, ...at }, threadId, body) =>
        void (await people.reviewComment(at, login, body, { threadId })),
      review: async ({ login, ...at }, verdict, body) => void (await people.review(at, login, verdict, body)),
      resolve: async ({ login, ...at }, threadId) => await people.resolveThread(at, login, threadId),
      merge: async ({ login, ...at }) => void (await people.mergeRequest(at, login)),
      close: async ({ login, ...at }) => void (await people.closeRequest(at, login)),
      report: async (project, commit, check) =>
        void (await people.reportCheck({ project, number: request.number }, "bob", commit, check)),
      labelsOf: async (project, number) => await people.labelsOfRequest({ project, number }),
    },
  };
});

describe("what happens to a request", () => {
  test("is told as hosted trackers tell it", async () => {
    const { people, at } = await setUp();
    const common = { provider: "local", externalIssueId: `!${at.number}`, branch: "fix/7-x", actor: "bob" };
    const opened = await people.reviewComment(at, "bob", "why?", { path: "a.ts", line: 3 });
    expect(opened).toMatchObject({ ...common, kind: "review_commented", text: "why?", threadId: opened.commentId });
    const threadId = opened.threadId ?? "";
    expect(await people.reviewComment(at, "bob", "so?", { threadId })).toMatchObject({ threadId, text: "so?" });
    expect(await people.reviewComment(at, "bob", "nice", null)).toMatchObject({ ...common, kind: "commented" });
    expect(await people.review(at, "bob", "approved", "")).toMatchObject({
      ...common,
      kind: "review_submitted",
      outcome: "approved",
    });
    expect(await people.mergeRequest(at, "bob")).toMatchObject({ ...common, kind: "pull_request_merged" });
    await expect(people.closeRequest(at, "bob")).rejects.toMatchObject({ code: "invalid" });
  });

  test("is told of checks once none of them runs any more", async () => {
    const { people, at } = await setUp();
    const check = { name: "unit", outcome: "pending" as const, detail: "" };
    expect(await people.reportCheck(at, "bob", COMMIT, check)).toBeNull();
    const lint = { ...check, name: "lint", outcome: "failed" as const };
    expect(await people.reportCheck(at, "bob", COMMIT, lint)).toBeNull();
    const told = await people.reportCheck(at, "bob", COMMIT, { ...check, outcome: "passed" });
    expect(told).toMatchObject({ kind: "checks_completed", outcome: "failure", branch: "fix/7-x" });
    const mended = await people.reportCheck(at, "bob", COMMIT, { ...lint, outcome: "passed" });
    expect(mended).toMatchObject({ outcome: "success" });
  });

  test("is done by those who may", async () => {
    const { people, at } = await setUp();
    const refused = { code: "forbidden", status: 403 };
    await expect(people.mergeRequest(at, "ann")).rejects.toMatchObject(refused);
    await expect(people.closeRequest(at, "ann")).rejects.toMatchObject(refused);
    await expect(people.reviewComment(at, "stranger", "hi", null)).rejects.toMatchObject({ code: "not_found" });
    await expect(people.reviewComment(at, "ann", "hi", { path: "a.ts", line: 0 })).rejects.toMatchObject({
      code: "invalid",
    });
    const elsewhere = { ...at, number: 99 };
    await expect(people.reviewComment(elsewhere, "ann", "hi", null)).rejects.toMatchObject({ code: "not_found" });
  });
});
