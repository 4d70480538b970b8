import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { expect, test } from "vitest";
import { addressOf } from "./address.ts";

test.each([
  ["https://api.example", "/user", "https://api.example/user"],
  ["https://ghe.example/api/v3/", "/user", "https://ghe.example/api/v3/user"],
  ["https://gl.example/sub/api/v4", "/projects/a%2Fb", "https://gl.example/sub/api/v4/projects/a%2Fb"],
  ["https://api.example", "/items?cursor=a/../b", "https://api.example/items?cursor=a/../b"],
  ["https://api.example", "/files/.gitlab%2FCODEOWNERS", "https://api.example/files/.gitlab%2FCODEOWNERS"],
  ["https://api.example", "/branches/a..b", "https://api.example/branches/a..b"],
  ["https://api.example/api", "https://api.example/other?page=2#x", "https://api.example/other?page=2"],
])("%s with %s", (base, path, expected) => {
  expect(addressOf(base, path).href).toBe(expected);
});

test("values of the query are encoded, and join those of the path", () => {
  const url = addressOf("https://api.example", "/items?a=1", { b: "x&y=z#", c: true, d: 0 });
  expect(Object.fromEntries(url.searchParams)).toEqual({ a: "1", b: "x&y=z#", c: "true", d: "0" });
});

test.each([
  "/repos/../user",
  "/repos/%2e%2E/user",
  "/repos/./user",
  "/repos/..",
  "/repos/..?x=1",
  "/projects/a%2F..%2Fb",
  "/repos/a\\b",
  "/repos/a b",
  "/repos/a#b",
  "/repos/a\nb",
  "user",
  "",
  "https://other.example/items",
  "http://api.example/items",
  "https://api.example:8443/items",
  "https://user@api.example/items",
  "javascript:alert(1)",
])("%j is refused", (path) => {
  expect(() => addressOf("https://api.example", path)).toThrow(expect.objectContaining({ code: "invalid" }));
});

test("no path leads out of the API", () => {
  const part = oneof(
    constantFrom("..", ".", "%2e", "%2E%2e", "/", "//", "\\", "@", ":", "?", "#", "\t", "evil.example", "https:"),
    string(),
  );
  assert(
    property(array(part), (parts) => {
      const path = `/${parts.join("")}`;
      const url = allowed(path);
      if (url === null) return;
      expect(url.href.startsWith("https://api.example/api/v4/")).toBe(true);
    }),
  );
});

function allowed(path: string): URL | null {
  try {
    return addressOf("https://api.example/api/v4", path);
  } catch {
    return null;
  }
}
