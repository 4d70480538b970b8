import { expect, test } from "vitest";
import { gitlabStage, PROJECT } from "../../../../test/mock-gitlab/fixture.ts";

const REPORTER = 20;

async function stage() {
  const staged = await gitlabStage();
  const { mock, tracker } = staged;
  mock.people.member(PROJECT, "carl", REPORTER);
  const open = (author: string, assignees: string[]) => {
    const iid = mock.people.openIssue(PROJECT, author, { title: "Another", assignees });
    return { at: { project: PROJECT, iid }, issue: { ...staged.issue, externalIssueId: String(iid) } };
  };
  return { ...staged, open, assigner: async (of: typeof staged.issue) => await tracker.assignerOf(of, "relay", null) };
}

test("who assigned Relay is told by GitLab's last note of it, and by the author where there is none (R-LIFE-11)", async () => {
  const { mock, open, assigner } = await stage();
  const { at, issue } = open("ann", ["relay"]);
  expect(await assigner(issue)).toEqual({ login: "ann", permission: "read" });
  mock.people.comment(at, "bob", "assigned to @relay");
  expect(await assigner(issue)).toEqual({ login: "ann", permission: "read" });
  mock.people.edit(at, "carl", { assignees: ["bob"] });
  mock.people.edit(at, "carl", { assignees: ["bob", "relay"] });
  mock.people.edit(at, "bob", { assignees: ["relay"] });
  expect(await assigner(issue)).toEqual({ login: "carl", permission: "triage" });
  expect(mock.violations).toEqual([]);
});

test("whom an event names is believed, and a bot has its role", async () => {
  const { mock, tracker, issue } = await stage();
  mock.people.user("helper", { bot: true });
  mock.people.member(PROJECT, "helper", REPORTER);
  expect(await tracker.assignerOf(issue, "relay", "helper")).toEqual({ login: "helper", permission: "triage" });
  expect(await tracker.assignerOf(issue, "relay", "carl")).toEqual({ login: "carl", permission: "triage" });
  expect(await tracker.assignerOf(issue, "relay", "stranger")).toEqual({ login: "stranger", permission: "none" });
});

test("more notes than Relay reads tell nothing", async () => {
  const { mock, at, assigner, issue } = await stage();
  for (let n = 0; n < 300; n += 1) mock.people.comment(at, "ann", "changed the description", { system: true });
  expect(await assigner(issue)).toBeNull();
});
