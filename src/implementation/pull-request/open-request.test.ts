import { describe, expect, test } from "vitest";
import { openOn } from "../../../test/support/find-open-request.ts";
import { memoryDemo } from "../../../test/support/memory-request.ts";
import { RelayError } from "../../lib/errors.ts";
import { type Opening, openRequest } from "./open-request.ts";

const TASK = "7300000000000001";
const BODY = `What changed.\n\nCloses #7\n\n<!-- relay:request:${TASK} -->`;

function opening(change: Partial<Opening> = {}): Opening {
  const text = { title: "fix: rounding", body: BODY, draft: true, labels: ["bug"] };
  const branches = { project: "demo", head: "fix/7-x", base: "main" };
  return { taskId: TASK, ...branches, known: null, text, reviewers: ["bob"], ...change };
}

describe("the request of a task", () => {
  test("is opened with its text, its labels and its reviewers", async () => {
    const { people, tracker } = memoryDemo();
    const opened = await openRequest(opening(), tracker);
    expect(opened).toMatchObject({ kind: "open", skipped: [] });
    const { number } = opened.request;
    expect(await tracker.getPullRequest("demo", number)).toMatchObject({
      ...{ title: "fix: rounding", body: BODY, draft: true, reviewers: ["bob"], state: "open" },
    });
    expect(people.labelsOfRequest({ project: "demo", number })).toEqual(["bug"]);
  });

  test("is one, however often it is opened, known by its number or by its branch", async () => {
    const { tracker } = memoryDemo();
    const { request } = await openRequest(opening(), tracker);
    for (const known of [null, request.number]) {
      const again = await openRequest(opening({ known }), tracker);
      expect(again).toMatchObject({ kind: "open", request: { number: request.number } });
    }
  });

  test("is one when several open it at a time", async () => {
    const { tracker } = memoryDemo();
    const opened = await Promise.all([1, 2, 3, 4].map(async () => openRequest(opening(), tracker)));
    expect(new Set(opened.map(({ request }) => request.number)).size).toBe(1);
  });

  test("is found again when the answer to its making was lost", async () => {
    const { tracker } = memoryDemo();
    const lossy: typeof tracker = {
      ...tracker,
      createPullRequest: async (project, request) => {
        await tracker.createPullRequest(project, request);
        throw new RelayError("unavailable", "the connection broke", { retryable: true });
      },
    };
    await expect(openRequest(opening(), lossy)).rejects.toMatchObject({ code: "unavailable" });
    expect(await openRequest(opening(), lossy)).toMatchObject({ kind: "open", request: { reviewers: [] } });
    expect(await openOn(tracker, "demo", "fix/7-x")).toMatchObject({ reviewers: ["bob"] });
  });

  test("gets its newer text, and keeps the title, the state of draft, and what people wrote below", async () => {
    const { tracker } = memoryDemo();
    const { request } = await openRequest(opening(), tracker);
    const { number } = request;
    const below = "\n\n- [x] tried on staging";
    await tracker.updatePullRequest("demo", number, { body: BODY + below, title: "Rounding", draft: false });
    const body = BODY.replace("What changed.", "What changed since.");
    await openRequest(opening({ known: number, text: { ...opening().text, body } }), tracker);
    expect(await tracker.getPullRequest("demo", number)).toMatchObject({
      ...{ body: body + below, title: "Rounding", draft: false },
    });
  });

  test("is left alone where somebody else opened it for the branch", async () => {
    const { tracker } = memoryDemo();
    const theirs = { title: "Mine", body: "by hand", head: "fix/7-x", base: "main", draft: false };
    const { number } = await tracker.createPullRequest("demo", theirs);
    expect(await openRequest(opening(), tracker)).toMatchObject({ kind: "open", request: { number, ...theirs } });
    expect(await tracker.getPullRequest("demo", number)).toMatchObject(theirs);
  });

  test("is another one where the branch is only open into a branch of somebody's", async () => {
    const { tracker } = memoryDemo();
    const theirs = { title: "Mine", body: "by hand", head: "fix/7-x", base: "staging", draft: false };
    const { number } = await tracker.createPullRequest("demo", theirs);
    const { request } = await openRequest(opening(), tracker);
    expect(request).toMatchObject({ base: "main", title: "fix: rounding" });
    expect(request.number).not.toBe(number);
  });

  test("is not opened a second time once people merged or closed it", async () => {
    const { people, tracker } = memoryDemo();
    const { request } = await openRequest(opening(), tracker);
    people.closeRequest({ project: "demo", number: request.number });
    for (const known of [request.number, null]) {
      const again = await openRequest(opening({ known }), tracker);
      expect(again).toMatchObject({ kind: "ended", request: { state: "closed", number: request.number } });
    }
    expect(await openOn(tracker, "demo", "fix/7-x")).toBeNull();
  });

  test("is another one where one of an earlier task, or of somebody's, has ended on its branch", async () => {
    const { people, tracker } = memoryDemo();
    for (const body of ["by hand", BODY.replace(TASK, "6200000000000001")]) {
      const ended = { title: "Mine", body, head: "fix/7-x", base: "main", draft: false };
      const { number } = await tracker.createPullRequest("demo", ended);
      people.closeRequest({ project: "demo", number });
    }
    expect(await openRequest(opening(), tracker)).toMatchObject({ kind: "open", request: { title: "fix: rounding" } });
  });

  test("is there without the reviewers and labels that the tracker refuses", async () => {
    const { tracker } = memoryDemo();
    const text = { ...opening().text, labels: ["two\nlines"] };
    const opened = await openRequest(opening({ text, reviewers: ["stranger", "relay", "ann", "bob"] }), tracker);
    expect(opened).toMatchObject({
      ...{ kind: "open", skipped: [{ name: "two\nlines" }, { name: "stranger" }, { name: "relay" }] },
    });
    expect((await openOn(tracker, "demo", "fix/7-x"))?.reviewers).toEqual(["ann", "bob"]);
  });

  test("asks nobody again whom people took off", async () => {
    const { tracker } = memoryDemo();
    const { request } = await openRequest(opening({ reviewers: [] }), tracker);
    await openRequest(opening({ known: request.number, reviewers: ["bob"] }), tracker);
    expect((await tracker.getPullRequest("demo", request.number)).reviewers).toEqual([]);
  });

  test("fails as the tracker does, where nothing is open", async () => {
    const { tracker } = memoryDemo();
    await expect(openRequest(opening({ head: "main" }), tracker)).rejects.toMatchObject({ code: "invalid" });
  });
});
