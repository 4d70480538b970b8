import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { asking, SEED } from "./asking.ts";
import { type MockGithub, startMockGithub } from "./server.ts";

let mock: MockGithub;
const SHOP = "/repos/acme/shop";
const SHA = "5".repeat(40);
const Page = z.object({
  data: z.object({
    node: z.object({ reviewThreads: z.object({ pageInfo: z.object({ startCursor: z.string() }) }) }),
  }),
});
const run = { do: "check_run", repo: "acme/shop", sha: SHA, name: "unit" } as const;

beforeEach(async () => {
  mock = await startMockGithub({ seed: SEED, checkAnswers: true });
  mock.act({ do: "push", as: "ann", repo: "acme/shop", branch: "feature/pay", sha: SHA });
});

afterEach(async () => {
  await mock.close();
  if (mock.mistakes.length > 0) throw new Error(`the mock is wrong: ${mock.mistakes.join("; ")}`);
  if (mock.violations.length > 0) throw new Error(`the test is wrong: ${mock.violations.join("; ")}`);
});

describe("checks", () => {
  test("of a commit are the last of each name and workflow, the newest first", async () => {
    const relay = asking(mock, "t-relay");
    mock.act({ ...run, conclusion: null });
    mock.act({ ...run, conclusion: "failure", title: "1 failed" });
    mock.act({ ...run, workflow: "Docs", conclusion: "success" });
    for (const ref of [SHA, "feature/pay"]) {
      expect((await relay("GET", `${SHOP}/commits/${ref}/check-runs`)).body).toMatchObject({
        total_count: 2,
        check_runs: [
          { status: "completed", conclusion: "success" },
          { conclusion: "failure", head_sha: SHA, output: { title: "1 failed", annotations_count: 0 } },
        ],
      });
    }
    const all = await relay("GET", `${SHOP}/commits/${SHA}/check-runs?filter=all&per_page=1`);
    expect(all.body).toMatchObject({ total_count: 3 });
    expect(all.headers.get("link")).toContain('rel="next"');
    expect((await relay("GET", `${SHOP}/commits/${"6".repeat(40)}/check-runs`)).status).toBe(422);
  });

  test("point at lines", async () => {
    const annotations = [{ path: "a.ts", line: 3, message: "no" }];
    const { check = 0 } = mock.act({ ...run, conclusion: "failure", annotations });
    const { list } = await asking(mock, "t-relay")("GET", `${SHOP}/check-runs/${check}/annotations`);
    expect(list).toMatchObject([{ path: "a.ts", start_line: 3, annotation_level: "failure", message: "no" }]);
    expect((await asking(mock, "t-relay")("GET", `${SHOP}/check-runs/1/annotations`)).status).toBe(404);
  });

  test("are told of once all of a workflow are over, with the pull requests of the repository itself", async () => {
    const told = () =>
      mock.world.courier.attempts.flatMap(({ delivery }) => (delivery.event === "check_suite" ? [delivery.text] : []));
    mock.world.repository("acme/shop").hooks.push({
      ...{ id: 1, url: "http://127.0.0.1:9/", secret: "s", events: ["check_suite"] },
      ...{ active: true, createdAt: new Date() },
    });
    const { number } = mock.act({ do: "open_pull", as: "ann", repo: "acme/shop", title: "Pay", head: "feature/pay" });
    mock.act({ ...run, conclusion: null });
    mock.act({ ...run, name: "lint", conclusion: "failure" });
    await mock.world.courier.settled();
    expect(told()).toEqual([]);
    mock.act({ ...run, conclusion: "success" });
    await mock.world.courier.settled();
    const suite = { head_sha: SHA, conclusion: "failure", pull_requests: [{ number }] };
    expect(told().map((text) => JSON.parse(text))).toMatchObject([{ action: "completed", check_suite: suite }]);
  });
});

test("statuses of a commit are the last of each context, and one word for all", async () => {
  const relay = asking(mock, "t-relay");
  const combined = async () => (await relay("GET", `${SHOP}/commits/${SHA}/status`)).body;
  const status = { do: "status", as: "ann", repo: "acme/shop", sha: SHA } as const;
  expect(await combined()).toMatchObject({ state: "pending", total_count: 0, statuses: [] });
  mock.act({ ...status, context: "ci", state: "failure" });
  expect(await combined()).toMatchObject({ state: "failure" });
  mock.act({ ...status, context: "ci", state: "success" });
  expect(await combined()).toMatchObject({ state: "success", statuses: [{ context: "ci", state: "success" }] });
  mock.act({ ...status, context: "docs", state: "pending" });
  expect(await combined()).toMatchObject({ state: "pending", total_count: 2 });
});

describe("review threads", () => {
  const query =
    "query($id: ID!, $before: String) { node(id: $id) { ... on PullRequest { reviewThreads(last: 2, before: $before) { pageInfo { hasPreviousPage startCursor } nodes { isResolved comments(first: 1) { nodes { id } } } } } } }";

  test("are given from the last one backwards, with what is settled", async () => {
    const { number = 0 } = mock.act({
      ...{ do: "open_pull", as: "ann", repo: "acme/shop", title: "Pay", head: "feature/pay" },
    });
    const at = { as: "bob", repo: "acme/shop", number } as const;
    const [first, , third] = ["1", "2", "3"].map(
      (body) => mock.act({ do: "review_comment", ...at, body }).comment ?? 0,
    );
    mock.act({ do: "resolve_thread", ...at, comment: first ?? 0 });
    mock.act({ do: "resolve_thread", ...at, comment: third ?? 0 });
    const relay = asking(mock, "t-relay");
    const id = String((await relay("GET", `${SHOP}/pulls/${number}`)).body["node_id"]);
    const ask = async (before: string | null, token = "t-relay") =>
      (await asking(mock, token)("POST", "/graphql", { query, variables: { id, before } })).body;
    const last = await ask(null);
    const pageInfo = { hasPreviousPage: true, startCursor: expect.any(String) };
    expect(last).toMatchObject({
      data: { node: { reviewThreads: { pageInfo, nodes: [{ isResolved: false }, { isResolved: true }] } } },
    });
    const { startCursor } = Page.parse(last).data.node.reviewThreads.pageInfo;
    const [comment] = (await relay("GET", `${SHOP}/pulls/${number}/comments`)).list;
    expect(await ask(startCursor)).toEqual({
      data: {
        node: {
          reviewThreads: {
            pageInfo: { hasPreviousPage: false, startCursor: expect.any(String) },
            nodes: [{ isResolved: true, comments: { nodes: [{ id: comment?.["node_id"] }] } }],
          },
        },
      },
    });
    const unknown = await asking(mock, "t-relay")("POST", "/graphql", {
      query,
      variables: { id: "PR_x", before: null },
    });
    expect(unknown).toMatchObject({ status: 200, body: { errors: [{ type: "NOT_FOUND" }] } });
  });

  test("a review is given by its id", async () => {
    const { number = 0 } = mock.act({
      ...{ do: "open_pull", as: "ann", repo: "acme/shop", title: "Pay", head: "feature/pay" },
    });
    const { review = 0 } = mock.act({
      ...{ do: "review", as: "bob", repo: "acme/shop", number, state: "COMMENTED", body: "Hm." },
    });
    const relay = asking(mock, "t-relay");
    expect((await relay("GET", `${SHOP}/pulls/${number}/reviews/${review}`)).body).toMatchObject({ body: "Hm." });
    expect((await relay("GET", `${SHOP}/pulls/${number}/reviews/1`)).status).toBe(404);
  });
});
