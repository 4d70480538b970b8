import { expect, onTestFinished, test } from "vitest";
import { PROJECT, TOKEN } from "../../../../test/mock-gitlab/fixture.ts";
import { startMockGitlab } from "../../../../test/mock-gitlab/server.ts";
import { systemClock } from "../../../lib/clock.ts";
import { unlimited } from "../http/quota.ts";
import { unlessMissing } from "../missing.ts";
import { type GitlabOptions, gitlabConnection } from "./connection.ts";
import { eventsIn } from "./webhook-events.ts";

/** Where nobody listens, so that each delivery fails. */
const NOWHERE = "http://127.0.0.1:9/webhooks/gitlab";

async function setUp(root = "") {
  const mock = await startMockGitlab({ root });
  onTestFinished(async () => mock.close());
  const { people } = mock;
  for (const name of ["ann", "relay", "helper"]) people.user(name);
  people.project(PROJECT);
  people.member(PROJECT, "ann", 20);
  people.member(PROJECT, "relay", 40);
  people.token("relay", TOKEN);
  const connect = (more: Partial<GitlabOptions> = {}) =>
    gitlabConnection(
      { url: mock.url, token: TOKEN, botUsername: null, webhookUrl: NOWHERE, ...more },
      { quotas: unlimited, clock: systemClock },
    );
  return { mock, people, connect };
}

test("Relay goes by the login of its token, and by the name that it is given besides", async () => {
  const { connect } = await setUp();
  expect(await connect().tracker()).toMatchObject({ bot: "relay", calledAs: ["relay"] });
  expect(await connect({ botUsername: "helper" }).tracker()).toMatchObject({ calledAs: ["relay", "helper"] });
  expect(await connect({ botUsername: "Relay" }).tracker()).toMatchObject({ calledAs: ["relay"] });
});

test("its commits are by the name and the address that GitLab gives the token's account (R-WORK-6)", async () => {
  const { mock, connect } = await setUp();
  const { id = 0 } = mock.state.users.find(({ username }) => username === "relay") ?? {};
  expect(await (await connect().tracker()).commitAuthor(PROJECT)).toEqual({
    name: "relay",
    email: `${id}-relay@users.noreply.127.0.0.1`,
  });
});

test("a token that is refused is asked for again at the next call", async () => {
  const { mock, people, connect } = await setUp();
  mock.state.tokens.clear();
  const connection = connect();
  await expect(connection.tracker()).rejects.toMatchObject({ code: "forbidden", status: 401 });
  people.token("relay", TOKEN);
  expect((await connection.tracker()).bot).toBe("relay");
});

test("a GitLab below a path of its host is reached there", async () => {
  const { connect } = await setUp("/gitlab");
  const tracker = await connect().tracker();
  expect(await tracker.getProject(PROJECT)).toMatchObject({ externalProjectId: PROJECT });
});

test("open issues that Relay is assigned to are found in all projects, by either of its names", async () => {
  const { mock, people, connect } = await setUp();
  people.project("other/tools");
  people.member("other/tools", "relay", 30);
  const first = people.openIssue(PROJECT, "ann", { title: "One", assignees: ["relay"] });
  people.openIssue(PROJECT, "ann", { title: "Nobody's" });
  const closed = people.openIssue(PROJECT, "ann", { title: "Over", assignees: ["relay"] });
  people.edit({ project: PROJECT, iid: closed }, "ann", { state: "closed" });
  people.openIssue("other/tools", "ann", { title: "Two", assignees: ["helper"] });
  const { issues, cutAt } = await connect({ botUsername: "helper" }).listAssigned(null);
  expect(cutAt).toBeNull();
  expect(issues).toMatchObject([
    { provider: "gitlab", externalProjectId: PROJECT, externalIssueId: String(first) },
    { provider: "gitlab", externalProjectId: "other/tools", externalIssueId: "1" },
  ]);
  expect(mock.violations).toEqual([]);
});

test.each([
  ["Issue", ["listAssigned", "listIssues", "getIssue", "opened", "assigned", "commented"]],
  ["Task", ["listAssigned", "listIssues", "getIssue", "opened", "assigned", "commented"]],
  ["Test Case", []],
] as const)("a work item of the type %s is handled alike wherever Relay meets it", async (type, ways) => {
  const { mock, people, connect } = await setUp();
  people.hook(PROJECT, NOWHERE, { token: "t" });
  const iid = people.openIssue(PROJECT, "ann", { title: "One", assignees: ["relay"], type });
  people.comment({ project: PROJECT, iid }, "ann", "@relay, please.");
  const tracker = await connect().tracker();
  const address = { provider: "gitlab" as const, externalProjectId: PROJECT, externalIssueId: String(iid) };
  const listed = await tracker.listIssues(PROJECT, { since: null, assignee: null }, null);
  const got = await unlessMissing(tracker.getIssue(address));
  await mock.hooks.settled();
  const log = mock.state.projects[0]?.hooks[0]?.log ?? [];
  expect([
    ...(await connect().listAssigned(null)).issues.map(() => "listAssigned"),
    ...listed.issues.map(() => "listIssues"),
    ...(got ? ["getIssue"] : []),
    ...log.flatMap(({ body }) => eventsIn(JSON.parse(body)).events.map(({ kind }) => kind)),
  ]).toEqual(ways);
});

test("deliveries that did not arrive are listed, until they come through at a later try", async () => {
  const { mock, people, connect } = await setUp();
  const iid = people.openIssue(PROJECT, "ann", { title: "One" });
  const hook = people.hook(PROJECT, NOWHERE, { token: "t" });
  const since = new Date(Date.now() - 1_000);
  for (let n = 0; n < 25; n += 1) people.comment({ project: PROJECT, iid }, "ann", `comment ${n}`);
  await mock.hooks.settled();
  const missed = await connect().listMissedDeliveries(PROJECT, since);
  const log = mock.state.projects[0]?.hooks.find((one) => one.id === hook)?.log ?? [];
  expect(missed?.map(({ id }) => id)).toEqual(log.map(({ headers }) => headers["Idempotency-Key"]));
  expect(missed?.[0]).toMatchObject({ event: "note_hooks", status: 0 });
  for (const event of log.slice(0, 24)) event.responseStatus = "202";
  expect(await connect().listMissedDeliveries(PROJECT, since)).toHaveLength(1);
  expect(await connect().listMissedDeliveries(PROJECT, new Date(Date.now() + 60_000))).toEqual([]);
  expect(mock.violations).toEqual([]);
});

test("the webhook of a project is made once, with all events and the secret, where Relay's role allows it", async () => {
  const { mock, people, connect } = await setUp();
  const secret = "a secret of its own";
  expect(await connect().makeWebhook(PROJECT, secret)).toBe("made");
  expect(await connect().makeWebhook(PROJECT, secret)).toBe("present");
  const hooks = mock.state.projects[0]?.hooks ?? [];
  expect(hooks).toMatchObject([{ url: NOWHERE, token: secret, signingToken: null }]);
  const findings = await connect().inspect(PROJECT);
  expect(findings.filter(({ what, ok }) => !ok || what.includes("confidential"))).toEqual([]);
  hooks.length = 0;
  const signing = `whsec_${Buffer.from(secret).toString("base64")}`;
  expect(await connect().makeWebhook(PROJECT, signing)).toBe("made");
  expect(hooks).toMatchObject([{ token: null, signingToken: signing }]);
  hooks.length = 0;
  people.member(PROJECT, "relay", 30);
  expect(await connect().makeWebhook(PROJECT, secret)).toBeNull();
  expect(await connect({ webhookUrl: null }).makeWebhook(PROJECT, secret)).toBeNull();
  expect(hooks).toEqual([]);
  expect(mock.violations).toEqual([]);
});

test("who may not see webhooks cannot tell what was missed", async () => {
  const { people, connect } = await setUp();
  people.member(PROJECT, "relay", 30);
  expect(await connect().listMissedDeliveries(PROJECT, new Date())).toBeNull();
  expect(await connect({ webhookUrl: null }).listMissedDeliveries(PROJECT, new Date())).toBeNull();
});

test("a connection in order has nothing to mend", async () => {
  const { mock, people, connect } = await setUp();
  people.hook(PROJECT, NOWHERE, { token: "t" });
  const findings = await connect().inspect(PROJECT);
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  expect(findings.map(({ what }) => what)).toEqual([
    "GitLab token",
    "token scopes",
    `access to ${PROJECT}`,
    "webhook",
    "webhook deliveries",
  ]);
  expect(mock.violations).toEqual([]);
});

test("what is wrong with a connection is told with the way to mend it", async () => {
  const { mock, people, connect } = await setUp();
  const wrong = async () => (await connect().inspect(PROJECT)).filter(({ ok }) => !ok);
  expect(await wrong()).toMatchObject([{ what: "webhook", mend: expect.stringContaining(NOWHERE) }]);

  people.hook(PROJECT, NOWHERE, {
    events: {
      issues: true,
      confidentialIssues: true,
      notes: false,
      confidentialNotes: true,
      mergeRequests: true,
      pipelines: true,
      emoji: false,
    },
  });
  expect(await wrong()).toMatchObject([
    { what: "webhook events", mend: expect.stringContaining("tick Comments at") },
    { what: "webhook", detail: "it has no secret" },
  ]);

  people.member(PROJECT, "relay", 15);
  people.token("relay", TOKEN, ["read_api"]);
  expect(await wrong()).toMatchObject([{ what: "token scopes" }, { what: `access to ${PROJECT}` }]);

  mock.state.tokens.clear();
  expect(await wrong()).toMatchObject([{ what: "GitLab token", mend: expect.stringContaining("GITLAB_TOKEN") }]);
});

test("a webhook that tells nothing of confidential issues is no fault, and is told of (R-SAFE-11)", async () => {
  const { people, connect } = await setUp();
  people.hook(PROJECT, NOWHERE, {
    token: "a secret",
    events: {
      issues: true,
      confidentialIssues: false,
      notes: true,
      confidentialNotes: false,
      mergeRequests: true,
      pipelines: true,
      emoji: false,
    },
  });
  const findings = await connect().inspect(PROJECT);
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  expect(findings.find(({ what }) => what === "webhook confidential events")?.detail).toContain(
    "Confidential issues events, Confidential comments",
  );
});

test("Relay's own merge requests that changed are found in all projects by one request", async () => {
  const { mock, people, connect } = await setUp();
  people.project("other/tools");
  people.member("other/tools", "relay", 40);
  const connection = connect();
  const tracker = await connection.tracker();
  const request = { title: "Fix", body: "It is.", head: "fix/1-x", base: "main", draft: false };
  for (const project of [PROJECT, "other/tools"]) {
    people.branch(project, request.head);
    await tracker.createPullRequest(project, request);
  }
  const before = mock.requests.length;
  const found = await connection.listChangedRequests(new Date(0));
  expect(found.map(({ externalProjectId, number, state }) => `${externalProjectId}!${number} ${state}`)).toEqual([
    `${PROJECT}!1 open`,
    "other/tools!1 open",
  ]);
  expect(mock.requests.length - before).toBe(1);
  expect(await connection.listChangedRequests(new Date(Date.now() + 60_000))).toEqual([]);
});
