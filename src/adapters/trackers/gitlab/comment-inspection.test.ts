import { expect, test } from "vitest";
import { gitlabStage } from "../../../../test/mock-gitlab/fixture.ts";

async function edited(by: string) {
  const stage = await gitlabStage();
  const { id } = stage.mock.people.comment(stage.at, "ann", "Thanks!");
  stage.mock.people.editComment(stage.at, id, by, "yes");
  return { ...stage, id: String(id) };
}

test.each(["ann", "bob"])("GitLab tells in one request that %s edited a comment (R-CONF-8)", async (by) => {
  const { mock, tracker, issue, id } = await edited(by);
  expect(await tracker.inspectComment(issue, id)).toEqual({ edit: { by }, isMinimized: false });
  expect(mock.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /api/graphql"]);
  expect(mock.violations).toEqual([]);
});

test("what only moved a comment's time is no edit", async () => {
  const { mock, tracker, issue, at } = await gitlabStage();
  const { id, thread } = mock.people.comment(at, "ann", "yes");
  mock.people.comment(at, "bob", "why?", { thread });
  expect(await tracker.inspectComment(issue, String(id))).toEqual({ edit: null, isMinimized: false });
});

test("a GitLab that cannot tell who edited fails for good: the comment does not count", async () => {
  const { mock, tracker, issue, id } = await edited("ann");
  mock.state.lackingFields = ["lastEditedBy"];
  await expect(tracker.inspectComment(issue, id)).rejects.toMatchObject({
    code: "invalid",
    retryable: false,
    message: expect.stringContaining("Field 'lastEditedBy' doesn't exist"),
  });
  mock.faults = () => ({ kind: "status", status: 200, text: "<html>Welcome</html>" });
  await expect(tracker.inspectComment(issue, id)).rejects.toMatchObject({ code: "invalid", retryable: false });
  mock.faults = null;
  mock.state.lackingFields = [];
  await expect(tracker.inspectComment(issue, "999")).rejects.toMatchObject({ code: "not_found" });
});
