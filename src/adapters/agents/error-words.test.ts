import { expect, test } from "vitest";
import { failed } from "./error-words.ts";

const kindOf = (words: string, code: number | null = 1) => {
  const { usable, passing } = failed("", words, code);
  return usable ? (passing ? "passes" : "unknown") : "stays";
};

test.each([
  'status 529: API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
  "API Error: Repeated 529 Overloaded errors",
  "exceeded retry limit, last status: 429 Too Many Requests, request id: req_1",
  "unexpected status 503 Service Unavailable: upstream connect error",
  "stream disconnected before completion: error sending request for url (https://api.openai.com/v1/responses)",
  "[API Error: got status: UNAVAILABLE. The model is overloaded. Please try again later.]",
  "Attempt 3 failed with status 429. Max attempts reached",
  "Error: getaddrinfo ENOTFOUND api.anthropic.com",
  "TypeError: fetch failed: read ECONNRESET",
  "Connection error.",
  "Claude usage limit reached. Your limit will reset at 3pm",
  "Request timed out.",
])("an outage passes: %s", (words) => {
  expect(kindOf(words)).toBe("passes");
});

test.each([
  "status 401: Invalid API key",
  "You exceeded your current quota (429 insufficient_quota), please check your plan and billing details",
  "unexpected status 404 Not Found: model_not_found",
])("what another run would meet as well stays: %s", (words) => {
  expect(kindOf(words)).toBe("stays");
});

test.each(["", "TypeError: cannot read properties of undefined", "wrote 429 lines to src/rate.ts"])(
  "other words say nothing: %s",
  (words) => {
    expect(kindOf(words)).toBe("unknown");
  },
);
