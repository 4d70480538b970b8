import { expect, test } from "vitest";
import { addressWithin } from "./model-path.ts";

const within = (rest: string, base = "https://models.example/api"): string | undefined =>
  addressWithin(base, rest)?.href;

test("a path goes on behind the address of the model server, with its query", () => {
  expect(within("/v1/messages?beta=true")).toBe("https://models.example/api/v1/messages?beta=true");
  expect(within("/v1beta/models/a:generateContent?alt=sse")).toBe(
    "https://models.example/api/v1beta/models/a:generateContent?alt=sse",
  );
  expect(within("/v1/models/owner%2Fname")).toBe("https://models.example/api/v1/models/owner%2Fname");
  expect(within("/v1", "https://models.example")).toBe("https://models.example/v1");
  expect(within("/v1", "https://models.example/api/")).toBe("https://models.example/api/v1");
  expect(within("")).toBe("https://models.example/api");
  expect(within("?a=/../b")).toBe("https://models.example/api?a=/../b");
});

test("no path leads out of it, however it is written", () => {
  const rests = [
    "/../admin",
    "/v1/../../admin",
    "/%2e%2e/admin",
    "/%2E./admin",
    "/..%2fadmin",
    "/%252e%252e/admin",
    "/..\\admin",
    "/..%5cadmin",
    "/%25252e%25252e/admin",
    "/%",
  ];
  expect(rests.filter((rest) => within(rest) !== undefined)).toEqual([]);
  expect(within("//elsewhere.example/x")).toBe("https://models.example/api//elsewhere.example/x");
  expect(addressWithin("file:///etc", "/passwd")).toBeNull();
});
