import { assert, constantFrom, json, nat, oneof, property, string, stringMatching } from "fast-check";
import { describe, expect, test } from "vitest";
import { errorMessageIn } from "./error-message.ts";

describe("what trackers say of failures", () => {
  test.each([
    ['{"message":"Not Found","documentation_url":"https://docs"}', "Not Found"],
    [
      '{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"}]}',
      "Validation Failed: title: missing field",
    ],
    [
      '{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","message":"A pull request already exists for a:b."}]}',
      "Validation Failed: A pull request already exists for a:b.",
    ],
    [
      '{"message":"Validation Failed","errors":["Could not add reviewer"]}',
      "Validation Failed: Could not add reviewer",
    ],
    ['{"message":"Validation Failed","errors":"no commits"}', "Validation Failed: no commits"],
    ['{"message":"404 Project Not Found"}', "404 Project Not Found"],
    ['{"message":{"title":["is too long","is bad"],"base":["is closed"]}}', "title is too long, is bad, is closed"],
    ['{"message":["A merge request exists: !7"]}', "A merge request exists: !7"],
    ['{"error":"title is missing, body is missing"}', "title is missing, body is missing"],
    [
      '{"error":"insufficient_scope","error_description":"The request requires higher privileges.","scope":"api"}',
      "insufficient_scope: The request requires higher privileges.",
    ],
    ['{"message":"401 Unauthorized","error":"401 Unauthorized"}', "401 Unauthorized"],
    ['"plain"', "plain"],
    ["Retry later\n", "Retry later"],
    ["<html><head><title>502 Bad\nGateway</title></head><body>…</body></html>", "502 Bad Gateway"],
    ["<!DOCTYPE html><h1 class='x'>Sign in</h1>", "Sign in"],
    ["<p>hm</p>", "a page instead of an answer"],
    ['{"message":"broken', '{"message":"broken'],
    ["{}", ""],
    ["null", "null"],
    ["", ""],
  ])("%s", (text, expected) => {
    expect(errorMessageIn(text, [])).toBe(expected);
  });

  test("is cut to one line of 300 characters", () => {
    const line = errorMessageIn(JSON.stringify({ message: `a\u001b[31mb\r\nc${"x".repeat(1_000)}` }), []);
    expect(line.startsWith("a [31mb cxxx") || line.startsWith("a[31mb cxxx")).toBe(true);
    expect(line).toHaveLength(300);
  });
});

const anything = oneof(
  string({ unit: "binary" }),
  json(),
  json().map((text) => `{"message":${text}}`),
);

test("whatever was said comes out as one safe line", () => {
  assert(
    property(anything, (text) => {
      const line = errorMessageIn(text, []);
      expect(line.length).toBeLessThanOrEqual(300);
      expect(line.isWellFormed()).toBe(true);
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    }),
  );
});

test("what was sent as a credential is not told, in whatever form and place", () => {
  const secret = stringMatching(/^[A-Za-z0-9+/=_%-]{8,40}$/);
  const forms = [
    (each: string) => each,
    (each: string) => encodeURIComponent(each),
    (each: string) => Buffer.from(each).toString("base64"),
    // Hidden characters would part it for the eyes of a filter only.
    (each: string) => each.split("").join("\u200b"),
  ];
  assert(
    property(secret, constantFrom(...forms), string(), nat(400), (token, form, around, padding) => {
      const shown = form(token);
      const line = errorMessageIn(`${"x".repeat(padding)}${around} ${shown} ${around}`, [token]);
      expect(line).not.toContain(token);
      expect(line).not.toContain(form === forms[3] ? token : shown);
    }),
  );
});

test("what looks like a credential is not told either", () => {
  const token = `ghp_${"a1".repeat(18)}`;
  expect(errorMessageIn(JSON.stringify({ message: `bad ${token}` }), [])).toBe("bad [secret removed]");
});
