import { expect, test } from "vitest";
import { hostRules, plainHost } from "./match-host.ts";

test("a name stands for itself, at the ports of HTTP and HTTPS", () => {
  const isAllowed = hostRules(["registry.npmjs.org"]);
  expect(isAllowed("registry.npmjs.org", 443)).toBe(true);
  expect(isAllowed("registry.npmjs.org", 80)).toBe(true);
  expect(isAllowed("registry.npmjs.org", 22)).toBe(false);
  expect(isAllowed("evil-registry.npmjs.org", 443)).toBe(false);
  expect(isAllowed("registry.npmjs.org.evil.example", 443)).toBe(false);
});

test("a star stands for everything below a name, and not for the name itself", () => {
  const isAllowed = hostRules(["*.example.org"]);
  expect(isAllowed("a.example.org", 443)).toBe(true);
  expect(isAllowed("a.b.example.org", 443)).toBe(true);
  expect(isAllowed("example.org", 443)).toBe(false);
  expect(isAllowed("badexample.org", 443)).toBe(false);
});

test("another port is reached where it is named, and then that one only", () => {
  const isAllowed = hostRules(["Example.org:8443"]);
  expect(isAllowed("example.org", 8443)).toBe(true);
  expect(isAllowed("example.org", 443)).toBe(false);
});

test("a name in capitals, or with the dot of a full name, is the same name", () => {
  expect(plainHost("Registry.NPMJS.org.")).toBe("registry.npmjs.org");
});

test("addresses, stars in the middle, and what is no host at all are refused as rules", () => {
  for (const entry of [
    "10.0.0.1",
    "::1",
    "[::1]",
    "*",
    "a.*.org",
    "*.",
    "https://example.org",
    "a b",
    "",
    "a/b",
    "*.1.2.3.4",
  ]) {
    expect(() => hostRules([entry])).toThrow(expect.objectContaining({ code: "config" }));
  }
});

test("no rules let nothing through", () => {
  expect(hostRules([])("example.org", 443)).toBe(false);
});
