import { createHash } from "node:crypto";
import { array, assert, boolean, nat, property, record, stringMatching } from "fast-check";
import { expect, test } from "vitest";
import { answerJson, serveOnLoopback } from "../../../../test/support/loopback.ts";
import { systemClock } from "../../../lib/clock.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { unlimited } from "./quota.ts";
import { createTrackerHttp } from "./tracker-http.ts";

const CALL = { method: "GET", path: "/items?per_page=3", quota: "q" } as const;

/** Answers with `items`, or 304 where the caller has them already, as trackers do: without the page links. */
async function list(items: unknown[], kept = new KeptAnswers()) {
  const answers: number[] = [];
  const page = { next: false };
  const url = await serveOnLoopback((request, response) => {
    const etag = `W/"${createHash("sha256").update(JSON.stringify(items)).digest("hex")}"`;
    const known = request.headers["if-none-match"] === etag;
    answers.push(known ? 304 : 200);
    if (known) response.writeHead(304, { etag }).end();
    else answerJson(response, 200, items, { etag, ...(page.next ? { link: '</items?page=2>; rel="next"' } : {}) });
  });
  const http = (token: string) =>
    createTrackerHttp({
      baseUrl: url,
      name: "GitHub",
      authorization: async () => ({ authorization: token }),
      quotas: unlimited,
      clock: systemClock,
      kept,
    });
  return { url, answers, page, call: http("a"), http };
}

test("what did not change is not sent again", async () => {
  const items = [{ id: 1 }];
  const { answers, call } = await list(items);
  const first = await call(CALL);
  const second = await call(CALL);
  expect(second).toMatchObject({ status: 200, body: items, next: null });
  expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"));
  expect(answers).toEqual([200, 304]);
  items.push({ id: 2 });
  expect((await call(CALL)).body).toEqual(items);
  expect((await call(CALL)).body).toEqual(items);
  expect(answers).toEqual([200, 304, 200, 304]);
});

test("who changes an answer does not change what others get", async () => {
  const { call } = await list(["one"]);
  const { body } = await call(CALL);
  if (Array.isArray(body)) body.push("mine");
  expect((await call(CALL)).body).toEqual(["one"]);
});

test("the page links of an unchanged page are known", async () => {
  const { answers, page, call, url } = await list([1, 2, 3]);
  page.next = true;
  await call(CALL);
  expect((await call(CALL)).next).toBe(`${url}/items?page=2`);
  expect(answers).toEqual([200, 304]);
});

test("a full last page is asked for whole, since its tag would not tell of a page behind it", async () => {
  const { page, call, url } = await list([1, 2, 3]);
  expect((await call(CALL)).next).toBeNull();
  page.next = true;
  expect((await call(CALL)).next).toBe(`${url}/items?page=2`);
});

test("what one credential may see is not confirmed to another", async () => {
  const { answers, http } = await list([1]);
  await http("a")(CALL);
  await http("b")({ ...CALL, quota: "other" });
  await http("a")({ ...CALL, headers: { accept: "text/html" } });
  expect(answers).toEqual([200, 200, 200]);
});

test("a 304 that nobody asked for is a failure", async () => {
  const url = await serveOnLoopback((_, response) => {
    response.writeHead(304).end();
  });
  const call = createTrackerHttp({
    baseUrl: url,
    name: "GitHub",
    authorization: async () => ({}),
    quotas: unlimited,
    clock: systemClock,
  });
  await expect(call(CALL)).rejects.toMatchObject({ status: 304 });
});

test("a large answer is not kept", async () => {
  const kept = new KeptAnswers();
  const { answers, call } = await list(["x".repeat(1_100_000)], kept);
  await call(CALL);
  await call(CALL);
  expect(answers).toEqual([200, 200]);
  expect(kept.size).toBe(0);
});

test("what is kept stays within its bounds, and its count of bytes stays true", () => {
  const step = record({ key: stringMatching(/^[a-f]{1,2}$/), length: nat(3_000), forget: boolean() });
  assert(
    property(array(step, { maxLength: 200 }), (steps) => {
      const kept = new KeptAnswers({ entries: 10, bytes: 20_000 });
      for (const { key, length, forget } of steps) {
        if (forget) kept.forget(key);
        else kept.keep(key, { etag: "e", status: 200, headers: new Headers(), text: "x".repeat(length) });
        expect(kept.bytes).toBeLessThanOrEqual(20_000);
        expect(kept.size).toBeLessThanOrEqual(10);
      }
      for (const { key } of steps) kept.forget(key);
      expect(kept).toMatchObject({ bytes: 0, size: 0 });
    }),
  );
});
