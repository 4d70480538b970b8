import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asking, SEED } from "./asking.ts";
import { type FaultRule, faultOf } from "./http/faults.ts";
import { type MockGithub, startMockGithub } from "./server.ts";

let mock: MockGithub;
let now: Date;
const ISSUE = "/repos/acme/shop/issues/1";

beforeEach(async () => {
  now = new Date("2026-01-01T10:00:00Z");
  now = new Date("2026-01-01T10:00:00Z");
  mock = await startMockGithub({ clock: { now: () => now }, seed: SEED });
});

afterEach(async () => {
  await mock.close();
});

describe("what GitHub counts", () => {
  test("each request counts, but one that nothing has changed for does not", async () => {
    const relay = asking(mock, "t-relay");
    const first = await relay("GET", ISSUE);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/);
    expect(first.headers.get("x-ratelimit-remaining")).toBe("4999");
    const same = await relay("GET", ISSUE, undefined, { "if-none-match": etag });
    expect([same.status, same.text, same.headers.get("x-ratelimit-remaining")]).toEqual([304, "", "4999"]);
    mock.act({ do: "comment", as: "ann", repo: "acme/shop", number: 1, body: "new" });
    const changed = await relay("GET", ISSUE, undefined, { "if-none-match": etag });
    expect([changed.status, changed.headers.get("x-ratelimit-used")]).toEqual([200, "2"]);
    const other = await asking(mock, "t-ann")("GET", ISSUE, undefined, {
      "if-none-match": changed.headers.get("etag") ?? "",
    });
    expect(other.status).toBe(200);
    expect((await relay("GET", "/rate_limit")).body).toMatchObject({
      rate: { limit: 5_000, used: 2, remaining: 4_998 },
    });
  });

  test("over the limit nothing is done until the hour is over", async () => {
    mock.world.limits.limit = 2;
    const relay = asking(mock, "t-relay");
    const say = () => relay("POST", `${ISSUE}/comments`, { body: "Hi" });
    expect([(await say()).status, (await say()).status]).toEqual([201, 201]);
    const refused = await say();
    expect(refused).toMatchObject({
      status: 403,
      body: { message: expect.stringMatching(/^API rate limit exceeded for user ID/) },
    });
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
    const reset = Number(refused.headers.get("x-ratelimit-reset"));
    expect(reset).toBe(now.getTime() / 1_000 + 3_600);
    expect(mock.world.item("acme/shop", 1).comments).toHaveLength(3);
    now = new Date(reset * 1_000);
    expect((await say()).status).toBe(201);
    mock.world.limits.status = 429;
    mock.world.limits.limit = 1;
    expect((await say()).status).toBe(429);
    expect((await asking(mock, "t-ann")("GET", ISSUE)).status).toBe(200);
  });

  test("who writes too much in a minute has to wait, whatever is left of the hour", async () => {
    mock.world.limits.writesPerMinute = 2;
    const relay = asking(mock, "t-relay");
    const say = () => relay("POST", `${ISSUE}/comments`, { body: "Hi" });
    expect([(await say()).status, (await say()).status]).toEqual([201, 201]);
    const refused = await say();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([403, "60"]);
    expect((await relay("GET", ISSUE)).status).toBe(200);
    now = new Date(now.getTime() + 60_000);
    const later = await say();
    expect([later.status, later.headers.get("date")]).toEqual([201, "Thu, 01 Jan 2026 10:01:00 GMT"]);
  });

  test("every request is in the log, without its token", async () => {
    await asking(mock, "t-relay")("GET", `${ISSUE}/comments?per_page=5`);
    expect(mock.requests).toMatchObject([
      {
        method: "GET",
        path: `${ISSUE}/comments?per_page=5`,
        operation: "issues/list-comments",
        status: 200,
        headers: { authorization: "Bearer …" },
      },
    ]);
    expect(JSON.stringify(mock.requests)).not.toContain("t-relay");
  });
});

describe("what goes wrong", () => {
  const set = (...rules: FaultRule[]) => {
    mock.world.faults = rules.map(faultOf);
  };
  const comments = () => mock.world.item("acme/shop", 1).comments.length;
  const say = (headers: Record<string, string> = {}) =>
    asking(mock, "t-relay")("POST", `${ISSUE}/comments`, { body: "Hi" }, headers);
  const POST = { method: "POST", operation: "issues/create-comment" };

  test("a secondary limit tells how long to wait, or does not, and does nothing", async () => {
    set(
      { ...POST, times: 1, trouble: { kind: "secondary_limit" } },
      { ...POST, trouble: { kind: "secondary_limit", status: 429, retryAfter: null } },
    );
    const first = await say();
    expect([first.status, first.headers.get("retry-after")]).toEqual([403, "60"]);
    expect(first.body["message"]).toMatch(/^You have exceeded a secondary rate limit/);
    const second = await say();
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, null]);
    expect(comments()).toBe(1);
  });

  test("the connection is cut before or after the comment is there", async () => {
    set({ ...POST, times: 1, trouble: { kind: "cut_before" } }, { ...POST, times: 1, trouble: { kind: "cut_after" } });
    await expect(say()).rejects.toThrow("fetch failed");
    expect(comments()).toBe(1);
    await expect(say()).rejects.toThrow("fetch failed");
    expect(comments()).toBe(2);
    expect((await say()).status).toBe(201);
  });

  test("an answer is a page, an error, half of itself, or an error although it was done", async () => {
    set(
      { ...POST, times: 1, trouble: { kind: "html" } },
      { ...POST, times: 1, trouble: { kind: "status", status: 500 } },
      { ...POST, times: 1, trouble: { kind: "status_after" } },
      { ...POST, times: 1, trouble: { kind: "truncate" } },
      { ...POST, times: 1, trouble: { kind: "half_json" } },
      { ...POST, times: 1, trouble: { kind: "delay", ms: 1 } },
    );
    const page = await say();
    expect([page.status, page.headers.get("content-type")]).toEqual([502, "text/html; charset=utf-8"]);
    expect([(await say()).status, comments()]).toEqual([500, 1]);
    expect([(await say()).status, comments()]).toEqual([502, 2]);
    await expect(say()).rejects.toThrow("terminated");
    expect(comments()).toBe(3);
    await expect(say()).rejects.toThrow(SyntaxError);
    expect([(await say()).status, comments()]).toEqual([201, 5]);
  });

  test("nothing ever comes, although it was done", async () => {
    set(
      { ...POST, times: 1, trouble: { kind: "hang_after" } },
      { ...POST, times: 1, trouble: { kind: "hang_before" } },
    );
    const stop = new AbortController();
    const ask = () =>
      fetch(`${mock.url}${ISSUE}/comments`, {
        method: "POST",
        headers: { authorization: "Bearer t-relay", "content-type": "application/json" },
        body: JSON.stringify({ body: "Hi" }),
        signal: stop.signal,
      });
    const waiting = [ask()];
    await expect.poll(comments).toBe(2);
    waiting.push(ask());
    await expect.poll(() => mock.requests.length).toBe(2);
    stop.abort();
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(comments()).toBe(2);
  });
});
