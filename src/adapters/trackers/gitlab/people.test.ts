import { expect, test } from "vitest";
import { gitlabStage, PROJECT } from "../../../../test/mock-gitlab/fixture.ts";

const LEVEL = { developer: 30 } as const;

test("an account is a bot where GitLab says so, whatever its name, and its role decides nothing; GitLab is asked once", async () => {
  const { mock, tracker } = await gitlabStage();
  mock.people.user("helpful-hands", { bot: true });
  mock.people.member(PROJECT, "helpful-hands", LEVEL.developer);
  mock.people.user("dora");
  mock.people.member(PROJECT, "dora", LEVEL.developer);
  for (let n = 0; n < 3; n += 1) {
    expect(await tracker.permissionOf(PROJECT, "helpful-hands")).toBe("none");
    expect(await tracker.isBot("helpful-hands")).toBe(true);
    expect(await tracker.permissionOf(PROJECT, "dora")).toBe("write");
    expect(await tracker.isBot("dora")).toBe(false);
  }
  expect(await tracker.isBot("project_7_bot_0a1b2c")).toBe(true);
  expect(await tracker.isBot("nobody-at-all")).toBe(false);
  expect(mock.requests.filter(({ path }) => /\/users\/\d+$/.test(path) && !path.includes("members"))).toHaveLength(2);
});

test("a role that changed counts at once; people who may decide nothing are not asked after", async () => {
  const { mock, tracker } = await gitlabStage();
  expect(await tracker.permissionOf(PROJECT, "carl")).toBe("none");
  mock.people.member(PROJECT, "carl", LEVEL.developer);
  expect(await tracker.permissionOf(PROJECT, "carl")).toBe("write");
  mock.people.member(PROJECT, "carl", 0);
  expect(await tracker.permissionOf(PROJECT, "carl")).toBe("none");
  await expect(tracker.permissionOf("group/none", "carl")).rejects.toMatchObject({ code: "not_found" });
  const before = mock.requests.length;
  expect(await tracker.permissionOf(PROJECT, "ann")).toBe("read");
  // Who she is, and what she may.
  expect(mock.requests.length - before).toBe(2);
});

test("the roles of all people in a long thread cost a handful of requests", async () => {
  const { mock, tracker, issue, at } = await gitlabStage();
  const names = Array.from({ length: 9 }, (_, n) => `person-${n}`);
  for (const name of names) mock.people.user(name);
  mock.people.member(PROJECT, "person-0", LEVEL.developer);
  for (let n = 0; n < 231; n += 1) mock.people.comment(at, names[n % names.length] ?? "ann", `note ${n}`);
  for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
    cursor = (await tracker.listComments(issue, cursor)).next;
  }
  const before = mock.requests.length;
  const roles = async () => await Promise.all(names.map(async (name) => await tracker.permissionOf(PROJECT, name)));
  expect(await roles()).toEqual(["write", ...names.slice(1).map(() => "none")]);
  // Their roles, and what kind of account the developer is.
  expect(mock.requests.length - before).toBe(2);
  const again = mock.requests.length;
  await roles();
  expect(mock.requests.length - again).toBe(1);
});
