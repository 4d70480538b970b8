import { describe, expect, test } from "vitest";
import { failureOf } from "./failure.ts";

const now = new Date("2026-11-01T12:00:00Z");
const of = (error: unknown, began = false) => failureOf(error, { model: "openai/gpt", key: "our-key", began, now });

describe("how long a provider asks to wait", () => {
  test.each([
    [{ "retry-after": "3" }, 3_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after-ms": "1234", "retry-after": "3" }, 1_234],
    [{ "retry-after": "Sun, 01 Nov 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Sun, 01 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{}, undefined],
  ])("%j", (responseHeaders, expected) => {
    expect(of({ statusCode: 429, responseHeaders }).retryAfterMs).toBe(expected);
  });

  test("Google writes it into the body", () => {
    const responseBody = '{"error":{"details":[{"@type":"…RetryInfo","retryDelay": "34s"}]}}';
    expect(of({ statusCode: 429, responseBody })).toMatchObject({ kind: "rate_limited", retryAfterMs: 34_000 });
  });
});

describe("what is told within an answer that began with 200", () => {
  test.each([
    [{ type: "overloaded_error", message: "Overloaded" }, "overloaded"],
    [{ type: "rate_limit_error", message: "slow down" }, "rate_limited"],
    [{ code: "RESOURCE_EXHAUSTED", message: "quota" }, "rate_limited"],
    [{ type: "api_error", message: "oops" }, "server_error"],
    [{ code: "context_length_exceeded", message: "too long" }, "too_long"],
    [{ type: "authentication_error", message: "no" }, "auth"],
    [{ type: "invalid_request_error", message: "no" }, "bad_request"],
    [new TypeError("terminated", { cause: new Error("other side closed") }), "cut_short"],
    ["a word", "invalid_answer"],
    [null, "invalid_answer"],
    [{ message: 5, statusCode: "x" }, "invalid_answer"],
  ])("%j", (error, kind) => {
    expect(of(error, true).kind).toBe(kind);
  });
});

test("a spent account is not mistaken for a rate limit", () => {
  const responseBody = '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}';
  expect(of({ statusCode: 429, responseBody })).toMatchObject({ kind: "no_credit", retryable: false });
  expect(of({ statusCode: 402, message: "Payment Required" }).kind).toBe("no_credit");
});

test("the sentence says what, where and how to mend it, on one line, without keys and of bounded length", () => {
  const detail = `bad\n\u001b[31m\u202ekey sk-ant-${"a1".repeat(20)} ${"x".repeat(9_000)}`;
  const { message } = of({ statusCode: 401, message: detail });
  expect(message).toMatch(
    /^openai\/gpt refused the key \(401\): bad \[31m key \[secret removed\] x+; check the provider's key/,
  );
  expect(message.length).toBeLessThan(600);
  expect(message).not.toContain("\n");
});

test("a key of no known shape is not told either", () => {
  expect(of({ statusCode: 401, message: "our-key is wrong" }).message).toContain("(401): [key] is wrong;");
});

test("hostile text is read in linear time", () => {
  for (const text of ["context".repeat(50_000), "exceeds ".repeat(50_000), '"retryDelay":'.repeat(50_000)]) {
    expect(of({ statusCode: 400, message: text, responseBody: text }).kind).toMatch(/bad_request|too_long/);
  }
});
