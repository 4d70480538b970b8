import { describe, expect, test } from "vitest";
import { type PeopleOfReviews, describeReviews } from "../../../../test/contracts/review-tracker.ts";
import { PROJECT, githubStage, type GithubStage } from "../../../../test/support/github-fixture.ts";
import type { MockGithub } from "../../../../test/mock-github/server.ts";

const REQUEST = { title: "Fix", body: "why", head: "fix/7-x", base: "main", draft: false };
const CONCLUSIONS = { pending: null, passed: "success", failed: "failure", other: "neutral" } as const;
const VERDICTS = { approved: "APPROVED", changes_requested: "CHANGES_REQUESTED" } as const;

function peopleOf(mock: MockGithub): PeopleOfReviews {
  const by = ({ project, number, login }: { project: string; number: number; login: string }) => ({
    as: login,
    repo: project,
    number,
  });
  const done = async (act: unknown) => await Promise.resolve(void act);
  return {
    say: async (at, body, place) =>
      await done(
        place === null
          ? mock.act({ do: "comment", ...by(at), body })
          : mock.act({ do: "review_comment", ...by(at), body, ...place }),
      ),
    reply: async (at, threadId, body) =>
      await done(mock.act({ do: "review_comment", ...by(at), body, inReplyTo: Number(threadId) })),
    review: async (at, verdict, body) =>
      await done(mock.act({ do: "review", ...by(at), state: VERDICTS[verdict], body })),
    resolve: async (at, threadId) =>
      await done(mock.act({ do: "resolve_thread", ...by(at), comment: Number(threadId) })),
    merge: async (at) => await done(mock.act({ do: "merge", ...by(at) })),
    close: async (at) => await done(mock.act({ do: "close", ...by(at) })),
    report: async (repo, sha, { name, outcome, detail }) =>
      await done(mock.act({ do: "check_run", repo, sha, name, conclusion: CONCLUSIONS[outcome], summary: detail })),
    labelsOf: async (project, number) => await Promise.resolve(mock.world.item(project, number).labels),
  };
}

/** A request of Relay's on its own branch, with those who look at it. */
async function setUp(by: "byToken" | "byApp" = "byToken") {
  const stage = await githubStage();
  const { mock } = stage;
  mock.act({ do: "permit", repo: PROJECT, login: "bob", role: "write" });
  const { sha: commit = "" } = mock.act({ do: "push", as: "ann", repo: PROJECT, branch: REQUEST.head });
  const tracker = await stage[by].tracker();
  const request = await tracker.createPullRequest(PROJECT, REQUEST);
  const at = { as: "bob", repo: PROJECT, number: request.number };
  const threads = async () => await tracker.listReviewThreads(PROJECT, request.number);
  const answer = async (thread: string, body: string) =>
    await tracker.replyToThread(PROJECT, request.number, thread, body);
  return { ...stage, tracker, request, commit, project: PROJECT, at, threads, answer };
}

describeReviews("GitHub by a token", async () => {
  const given = await setUp();
  return { ...given, people: peopleOf(given.mock) };
});

describeReviews("GitHub by an App", async () => {
  const given = await setUp("byApp");
  return { ...given, people: peopleOf(given.mock) };
});

describe("a request", () => {
  test("takes a reaction to a comment at a line, in a thread and under it; a review as a whole takes none", async () => {
    const { mock, tracker, request, at } = await setUp();
    const line = mock.act({ do: "review_comment", ...at, body: "Round it." }).comment ?? 0;
    const reply = mock.act({ do: "review_comment", ...at, body: "Down.", inReplyTo: line }).comment ?? 0;
    const under = mock.act({ do: "comment", ...at, body: "And document it." }).comment ?? 0;
    const place = { provider: "github" as const, externalProjectId: PROJECT, externalIssueId: `!${request.number}` };
    await tracker.addReaction(place, String(line), "eyes", String(line));
    await tracker.addReaction(place, String(reply), "eyes", String(line));
    await tracker.addReaction(place, String(under), "eyes", `comment:${under}`);
    await expect(tracker.addReaction(place, "9", "eyes", "review:9")).rejects.toMatchObject({ code: "invalid" });
    const { comments, pull } = mock.world.item(PROJECT, request.number);
    const reacted = [...(pull?.comments ?? []), ...comments].filter(({ reactions }) => reactions.length === 1);
    expect(reacted.map(({ id }) => id)).toEqual([line, reply, under]);
  });

  test("tells whether it conflicts with its base, once GitHub has found out", async () => {
    const { mock, tracker, request } = await setUp();
    for (const [mergeable, conflicts] of [
      [true, false],
      [null, null],
      [false, true],
    ] as const) {
      mock.act({ do: "find_mergeable", as: "ann", repo: PROJECT, number: request.number, mergeable });
      expect(await tracker.getPullRequest(PROJECT, request.number)).toMatchObject({ conflicts });
    }
  });

  test("from a fork is never taken for one's own; one that ended is told", async () => {
    const { mock, tracker, request } = await setUp();
    mock.plant({ users: ["eve"] });
    for (const name of ["eve/shop", "acme/shop-of-eve"]) {
      mock.plant({ repositories: [{ name, branches: [REQUEST.head] }] });
      mock.act({ do: "open_pull", as: "eve", repo: PROJECT, title: "Mine", head: REQUEST.head, from: name });
    }
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
      tracker.replyToThread(PROJECT, number, "1", "x"),
      tracker.labelPullRequest(PROJECT, number, ["x"]),
    ]) {
      await expect(asked).rejects.toMatchObject({ code: "not_found" });
    }
    expect(mock.requests).toEqual([]);
  });

  test("is told from an issue, which takes no labels and answers as one", async () => {
    const { tracker } = await setUp();
    await expect(tracker.getPullRequest(PROJECT, 7)).rejects.toMatchObject({ code: "not_found" });
    await expect(tracker.labelPullRequest(PROJECT, 7, ["x"])).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("threads", () => {
  test("are read in few requests, however many have been settled", async () => {
    const { mock, at, threads } = await setUp();
    for (let n = 0; n < 130; n += 1) {
      const { comment = 0 } = mock.act({ do: "review_comment", ...at, body: `${n}`, line: n + 1 });
      if (n % 2 === 0) mock.act({ do: "resolve_thread", ...at, comment });
    }
    mock.requests.length = 0;
    const found = await threads();
    expect(found.map(({ resolved }) => resolved)).toEqual(Array.from({ length: 130 }, (_, n) => n % 2 === 0));
    // The request, two pages of comments, two of threads, the reviews, and what is under it.
    expect(mock.requests).toHaveLength(7);
  });

  test("are the newest where more was said than anybody reads", async () => {
    const { mock, at, threads } = await setUp();
    for (let n = 0; n < 1_130; n += 1) mock.act({ do: "comment", ...at, body: `${n}` });
    mock.requests.length = 0;
    const said = (await threads()).flatMap(({ comments }) => comments.map(({ body }) => Number(body)));
    expect(said).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 130));
    expect(mock.requests.length).toBeLessThan(15);
  });

  test("whose first comment is gone are told, and answered under the request", async () => {
    const { mock, at, threads, answer } = await setUp();
    const { comment = 0 } = mock.act({ do: "review_comment", ...at, body: "Why?", path: "src/pay.ts", line: 3 });
    mock.act({ do: "review_comment", ...at, body: "I mean the rate.", inReplyTo: comment });
    mock.act({ do: "delete_review_comment", ...at, comment });
    const [thread] = await threads();
    expect(thread).toMatchObject({ id: String(comment), path: "src/pay.ts", line: 3 });
    const made = await answer(String(comment), "It is a constant now.");
    expect(made).toMatchObject({ body: "> I mean the rate.\n\nIt is a constant now.", threadId: `comment:${made.id}` });
  });

  test("of another request are not answered in this one", async () => {
    const { mock, at, answer } = await setUp();
    const { comment = 0 } = mock.act({ do: "comment", ...at, number: 7, body: "in the issue" });
    await expect(answer(`comment:${comment}`, "x")).rejects.toMatchObject({ code: "not_found" });
    await expect(answer("review:1", "x")).rejects.toMatchObject({ code: "not_found" });
    await expect(answer("topic:1", "x")).rejects.toMatchObject({ code: "not_found" });
  });

  test.each([
    ["Please, @acme/owners and @carl: faster.", "> Please, acme/owners and carl: faster."],
    ["> what ann said\n\nI agree.\nVery much.", "> I agree."],
    ["```ts\nlet a\n```\n<!-- relay:action:1 --> fine <!-- relay:action:2-3 -->", "> let a"],
    ["<!-- relay:action:1-2-3 -->", null],
    ["!!!", null],
    ["long ".repeat(100), `> ${"long ".repeat(40).trim()}…`],
  ])("without answers of their own are quoted, quietly: %j", async (said, quote) => {
    const { mock, at, answer } = await setUp();
    const { review = 0 } = mock.act({ do: "review", ...at, state: "CHANGES_REQUESTED", body: said });
    const { body } = await answer(`review:${review}`, "Done.");
    expect(body).toBe(quote === null ? "Done." : `${quote}\n\nDone.`);
  });

  test("take an answer that leaves no room for a quote", async () => {
    const { mock, at, answer } = await setUp();
    const { comment = 0 } = mock.act({ do: "comment", ...at, body: "Why?" });
    const body = "x".repeat(65_536);
    expect((await answer(`comment:${comment}`, body)).body).toBe(body);
  });
});

describe("checks", () => {
  const checksOf = async ({ tracker, commit }: Awaited<ReturnType<typeof setUp>>) =>
    await tracker.listChecks(PROJECT, commit);

  test("that two workflows call the same do not hide each other", async () => {
    const given = await setUp();
    const job = { do: "check_run", repo: PROJECT, sha: given.commit, name: "build" } as const;
    given.mock.act({ ...job, workflow: "CI", conclusion: "failure" });
    given.mock.act({ ...job, workflow: "Docs", conclusion: "success" });
    expect((await checksOf(given)).map(({ outcome }) => outcome)).toEqual(["failed", "passed"]);
    given.mock.act({ ...job, workflow: "CI", conclusion: "success" });
    expect((await checksOf(given)).map(({ outcome }) => outcome)).toEqual(["passed", "passed"]);
  });

  test("tell what they point out before they go on at length", async () => {
    const given = await setUp();
    given.mock.act({
      ...{ do: "check_run", repo: PROJECT, sha: given.commit, name: "lint", conclusion: "failure" },
      ...{ title: "2 problems", summary: "s".repeat(20_000) },
      annotations: [
        { path: "src/pay.ts", line: 4, message: "RATE is not defined" },
        { path: ".github", level: "warning", message: "Node 20 is old" },
      ],
    });
    const [lint] = await checksOf(given);
    const points = "src/pay.ts:4: failure: RATE is not defined\n.github:1: warning: Node 20 is old";
    expect(lint?.detail.startsWith(`2 problems\n\n${points}\n\nsss`)).toBe(true);
    expect(lint?.detail).toHaveLength(8_000);
    expect(lint?.url).toContain("/actions/runs/");
  });

  test.each([
    ["success", "passed"],
    ["failure", "failed"],
    ["timed_out", "failed"],
    ["cancelled", "other"],
    ["skipped", "other"],
    ["neutral", "other"],
    ["action_required", "other"],
    [null, "pending"],
  ] as const)("that end with %s are %s", async (conclusion, outcome) => {
    const given = await setUp();
    given.mock.act({ do: "check_run", repo: PROJECT, sha: given.commit, name: "unit", conclusion });
    expect(await checksOf(given)).toMatchObject([{ name: "unit", outcome }]);
  });

  test("of the older kind are told with the others, the newest of each", async () => {
    const given = await setUp();
    const status = { do: "status", as: "ann", repo: PROJECT, sha: given.commit } as const;
    given.mock.act({ ...status, context: "ci/jenkins", state: "pending" });
    given.mock.act({ ...status, context: "ci/jenkins", state: "error", description: "no agent" });
    given.mock.act({ ...status, context: "docs", state: "success", targetUrl: "https://ci.example/1" });
    given.mock.act({ do: "check_run", repo: PROJECT, sha: given.commit, name: "unit", conclusion: "success" });
    expect(await checksOf(given)).toEqual([
      expect.objectContaining({ name: "unit", outcome: "passed" }),
      { name: "ci/jenkins", outcome: "failed", url: null, detail: "no agent" },
      { name: "docs", outcome: "passed", url: "https://ci.example/1", detail: "" },
    ]);
  });

  test("are all told, over several pages", async () => {
    const given = await setUp();
    for (let n = 0; n < 230; n += 1) {
      given.mock.act({ do: "check_run", repo: PROJECT, sha: given.commit, name: `job ${n}`, conclusion: "success" });
    }
    expect((await checksOf(given)).map(({ name }) => name)).toEqual(Array.from({ length: 230 }, (_, n) => `job ${n}`));
  });

  test("are told as far as the token may see them, and refused where it may see none", async () => {
    const given = await setUp();
    const { mock, connect, commit } = given;
    const permissions = { metadata: "read", pull_requests: "write" } as const;
    const withToken = async (token: string) => await connect({ credentials: { kind: "token", token } }).tracker();
    mock.plant({
      tokens: [
        { token: "fine-statuses", login: "relay", permissions: { ...permissions, statuses: "read" } },
        { token: "fine-none", login: "relay", permissions },
      ],
    });
    mock.act({ do: "status", as: "ann", repo: PROJECT, sha: commit, state: "failure" });
    mock.act({ do: "check_run", repo: PROJECT, sha: commit, name: "unit", conclusion: "failure" });
    const some = await withToken("fine-statuses");
    expect(await some.listChecks(PROJECT, commit)).toMatchObject([{ name: "default", outcome: "failed" }]);
    const none = await withToken("fine-none");
    await expect(none.listChecks(PROJECT, commit)).rejects.toMatchObject({ code: "forbidden", status: 403 });
  });

  test.each(["0".repeat(40), "main", "../../user", "", "A".repeat(40)])(
    "of no commit are not found: %j",
    async (id) => {
      const { tracker } = await setUp();
      await expect(tracker.listChecks(PROJECT, id)).rejects.toMatchObject({ code: "not_found", retryable: false });
    },
  );
});

test("the App's password for git is a token that may push, and may not change workflows", async () => {
  const { mock, byApp }: GithubStage = await githubStage();
  const { password } = await byApp.gitCredential(PROJECT, false);
  const grant = mock.world.tokens.get(password);
  expect(grant).toMatchObject({ kind: "installation", permissions: { contents: "write" } });
  expect(grant).not.toHaveProperty("permissions.workflows");
});
