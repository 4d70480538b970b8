import { describe, expect, test } from "vitest";
import { type PeopleOfReviews, describeReviews } from "../../../../test/contracts/review-tracker.ts";
import type { MockGitlab } from "../../../../test/mock-gitlab/server.ts";
import { PROJECT, gitlabStage } from "../../../../test/mock-gitlab/fixture.ts";

const REQUEST = { title: "Fix", body: "why", head: "fix/7-x", base: "main", draft: false };
const STATUSES = { pending: "running", passed: "success", failed: "failed", other: "canceled" } as const;

function peopleOf({ people, state }: MockGitlab): PeopleOfReviews {
  const at = ({ project, number }: { project: string; number: number }) => ({
    project,
    iid: number,
    kind: "merge_request" as const,
  });
  const done = async (act: unknown) => await Promise.resolve(void act);
  return {
    say: async (where, body, position) => await done(people.comment(at(where), where.login, body, { position })),
    reply: async (where, thread, body) => await done(people.comment(at(where), where.login, body, { thread })),
    review: async (where, verdict, body) => {
      if (verdict === "approved") people.approve(at(where), where.login, true);
      else people.requestChanges(at(where), where.login);
      await done(body === "" ? null : people.comment(at(where), where.login, body));
    },
    resolve: async (where, thread) => await done(people.resolve(at(where), where.login, thread)),
    merge: async (where) => await done(people.edit(at(where), where.login, { state: "merged" })),
    close: async (where) => await done(people.edit(at(where), where.login, { state: "closed" })),
    report: async (project, sha, { name, outcome, detail }) =>
      await done(people.job(project, sha, { name, status: STATUSES[outcome], trace: detail })),
    labelsOf: async (project, number) => {
      const found = state.projects.find(({ path }) => path === project)?.mergeRequests[number - 1];
      return await Promise.resolve(found?.labels ?? []);
    },
  };
}

/** A request of Relay's on its own branch, with those who look at it. */
async function setUp() {
  const stage = await gitlabStage();
  const { people, state } = stage.mock;
  people.member(PROJECT, "bob", 30);
  people.branch(PROJECT, REQUEST.head);
  const commit = state.projects[0]?.branches.get(REQUEST.head) ?? "";
  const request = await stage.tracker.createPullRequest(PROJECT, REQUEST);
  const at = { project: PROJECT, iid: request.number, kind: "merge_request" as const };
  const threads = async () => await stage.tracker.listReviewThreads(PROJECT, request.number);
  const checks = async () => await stage.tracker.listChecks(PROJECT, commit);
  return { ...stage, request, commit, project: PROJECT, at, threads, checks };
}

describeReviews("GitLab", async () => {
  const given = await setUp();
  return { ...given, people: peopleOf(given.mock) };
});

describe("a request", () => {
  test("takes a reaction to a comment in a thread and under it, once each", async () => {
    const { mock, tracker, request, at, threads } = await setUp();
    mock.people.comment(at, "bob", "Round it.", { position: { path: "src/pay.ts", line: 2 } });
    mock.people.comment(at, "bob", "And document it.");
    const place = { provider: "gitlab" as const, externalProjectId: PROJECT, externalIssueId: `!${request.number}` };
    const notes = (await threads()).flatMap(({ comments }) => comments.map(({ id }) => id));
    expect(notes).toHaveLength(2);
    for (const id of [...notes, ...notes]) await tracker.addReaction(place, id, "eyes");
    for (const id of notes) expect(await tracker.listReactions(place, id, "eyes")).toEqual([tracker.bot]);
  });

  test.each([false, true, null])(
    "tells %j whether it conflicts with its base, as far as GitLab knows",
    async (conflicts) => {
      const { mock, tracker, request } = await setUp();
      for (const found of mock.state.projects[0]?.mergeRequests ?? []) found.conflicts = conflicts;
      expect(await tracker.getPullRequest(PROJECT, request.number)).toMatchObject({ conflicts });
    },
  );

  test("from a fork is never taken for one's own; one that ended is told", async () => {
    const { mock, tracker, request } = await setUp();
    mock.people.project("ann/shop", { visibility: "public" });
    const fork = { title: "Mine", source: REQUEST.head, from: "ann/shop" };
    mock.people.openMergeRequest(PROJECT, "ann", fork);
    const { number } = request;
    expect(await tracker.listPullRequests(PROJECT, REQUEST.head)).toMatchObject([{ number, state: "open" }]);
    await tracker.updatePullRequest(PROJECT, number, { state: "closed" });
    expect(await tracker.listPullRequests(PROJECT, REQUEST.head)).toMatchObject([{ number, state: "closed" }]);
  });

  test.each([0, -1, 1.5, Number.NaN])("has a number, and %j is none", async (number) => {
    const { tracker, mock } = await setUp();
    mock.requests.length = 0;
    for (const asked of [
      tracker.getPullRequest(PROJECT, number),
      tracker.listReviewThreads(PROJECT, number),
      tracker.replyToThread(PROJECT, number, "0".repeat(40), "x"),
      tracker.labelPullRequest(PROJECT, number, ["x"]),
    ]) {
      await expect(asked).rejects.toMatchObject({ code: "not_found" });
    }
    expect(mock.requests).toEqual([]);
  });

  test("is not labelled by who may not", async () => {
    const { mock, tracker, request } = await setUp();
    mock.people.member(PROJECT, "relay", 20);
    await expect(tracker.labelPullRequest(PROJECT, request.number, ["x"])).rejects.toMatchObject({ code: "forbidden" });
    await expect(tracker.labelPullRequest(PROJECT, request.number, ["a,b"])).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("threads", () => {
  test("are those of people: nothing that GitLab notes by itself", async () => {
    const { mock, at, threads } = await setUp();
    mock.people.edit(at, "bob", { state: "closed" });
    mock.people.edit(at, "bob", { state: "opened" });
    mock.people.comment(at, "bob", "Why?", { position: { path: "src/pay.ts", line: 3 } });
    expect(await threads()).toMatchObject([{ path: "src/pay.ts", line: 3, comments: [{ body: "Why?" }] }]);
  });

  test("that are settled were not edited by that", async () => {
    const { mock, at, threads } = await setUp();
    const { thread } = mock.people.comment(at, "bob", "Why?", { position: { path: "src/pay.ts", line: 3 } });
    mock.people.resolve(at, "bob", thread);
    expect(await threads()).toMatchObject([{ resolved: true, comments: [{ editedAt: null }] }]);
    mock.people.comment(at, "bob", "And this?", { thread });
    expect(await threads()).toMatchObject([{ resolved: false }]);
  });

  test("are the newest where more was said than anybody reads", async () => {
    const { mock, at, threads } = await setUp();
    for (let n = 0; n < 1_130; n += 1) mock.people.comment(at, "bob", `${n}`);
    const said = (await threads()).flatMap(({ comments }) => comments.map(({ body }) => Number(body)));
    expect(said).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 130));
  });

  test("take no commands from Relay", async () => {
    const { mock, at, tracker, request } = await setUp();
    const { thread } = mock.people.comment(at, "bob", "Why?");
    const made = await tracker.replyToThread(PROJECT, request.number, thread, "/close\nI think.");
    expect(made).toMatchObject({ body: " /close\nI think.", threadId: thread, author: "relay" });
    expect(await tracker.getPullRequest(PROJECT, request.number)).toMatchObject({ state: "open" });
  });
});

describe("checks", () => {
  test.each([
    ["success", "passed"],
    ["failed", "failed"],
    ["created", "pending"],
    ["pending", "pending"],
    ["running", "pending"],
    ["canceled", "other"],
    ["skipped", "other"],
    ["manual", "other"],
  ] as const)("that are %s are %s", async (status, outcome) => {
    const { mock, commit, checks } = await setUp();
    mock.people.job(PROJECT, commit, { name: "unit", status });
    expect(await checks()).toMatchObject([{ name: "unit", outcome }]);
  });

  test("that may fail do not make a request red", async () => {
    const { mock, commit, checks } = await setUp();
    mock.people.job(PROJECT, commit, { name: "audit", status: "failed", allowFailure: true, trace: "1 advisory" });
    expect(await checks()).toMatchObject([{ name: "audit", outcome: "other", detail: "" }]);
  });

  test("tell the end of a failed job's log, as people read it", async () => {
    const { mock, commit, checks } = await setUp();
    const log = [
      "section_start:1700000000:step_script[collapsed=true]\r\u001B[0KRunning",
      "\u001B[32;1m$ npm test\u001B[0;m",
      "  0%\r 50%\r100%",
      "x".repeat(9_000),
      "\u001B[31mERROR: Job failed: exit code 1\u001B[0;m\r",
      "section_end:1700000001:step_script\r\u001B[0K",
    ];
    mock.people.job(PROJECT, commit, { name: "unit", status: "failed", trace: log.join("\n") });
    const [unit] = await checks();
    expect(unit?.detail).toHaveLength(8_000);
    expect(unit?.detail.endsWith("x\nERROR: Job failed: exit code 1")).toBe(true);
    mock.people.job(PROJECT, commit, { name: "unit", status: "failed", trace: log.slice(0, 3).join("\n") });
    expect((await checks())[0]?.detail).toBe("Running\n$ npm test\n100%");
  });

  test("of other services tell what those say, and so does a job whose log is not to be had", async () => {
    const { mock, commit, checks } = await setUp();
    const targetUrl = "https://ci.example/1";
    mock.people.job(PROJECT, commit, { name: "ci", status: "failed", trace: null, description: "no agent", targetUrl });
    mock.people.job(PROJECT, commit, { name: "unit", status: "failed", description: "out of memory", trace: "log" });
    expect(await checks()).toMatchObject([
      { name: "ci", outcome: "failed", url: targetUrl, detail: "no agent" },
      { name: "unit", outcome: "failed", detail: "log" },
    ]);
    mock.faults = ({ path }) => (path.endsWith("/trace") ? { kind: "status", status: 403 } : null);
    expect((await checks()).map(({ detail }) => detail)).toEqual(["no agent", "out of memory"]);
    mock.faults = ({ path }) => (path.endsWith("/trace") ? { kind: "status", status: 502 } : null);
    await expect(checks()).rejects.toMatchObject({ code: "unavailable", retryable: true });
  });

  test("of a newer pipeline for the same branch take the place of those before", async () => {
    const { mock, commit, checks } = await setUp();
    mock.people.job(PROJECT, commit, { name: "unit", status: "failed", pipelineId: 1 });
    mock.people.job(PROJECT, commit, { name: "unit", status: "success", pipelineId: 2 });
    mock.people.job(PROJECT, commit, {
      ...{ name: "unit", status: "failed", pipelineId: 3, ref: "refs/merge-requests/1/head" },
    });
    expect((await checks()).map(({ outcome }) => outcome)).toEqual(["passed", "failed"]);
  });

  test("are all told, over several pages, and few logs are read", async () => {
    const { mock, commit, checks } = await setUp();
    for (let n = 0; n < 130; n += 1) mock.people.job(PROJECT, commit, { name: `job ${n}`, status: "failed" });
    mock.requests.length = 0;
    expect((await checks()).map(({ name }) => name)).toEqual(Array.from({ length: 130 }, (_, n) => `job ${n}`));
    expect(mock.requests).toHaveLength(12);
  });

  test.each(["0".repeat(40), "main", "../../user", "", "A".repeat(40)])(
    "of no commit are not found: %j",
    async (id) => {
      const { tracker } = await setUp();
      await expect(tracker.listChecks(PROJECT, id)).rejects.toMatchObject({ code: "not_found", retryable: false });
    },
  );
});
