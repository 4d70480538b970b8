import { expect, test } from "vitest";
import { lackLines } from "./plan-text.ts";

test("the terminal says of a set-up that fails why, and how to fix it; doctor is named for what it finds", () => {
  const setup = { what: "setup" as const, name: "npm ci", why: "npm error network getaddrinfo EAI_AGAIN" };
  expect(lackLines([{ ...setup, cause: { kind: "hosts", hosts: ["registry.npmjs.org"] } }])).toBe(
    "Not ready yet\n  The set-up command npm ci fails on the default branch: npm error network getaddrinfo EAI_AGAIN. It tried to reach registry.npmjs.org, which isn’t allowed here. Relay’s operator can allow it in `work.network`.\n",
  );
  expect(lackLines([setup, { what: "key", name: "claude" }])).toMatch(
    /^Not ready yet \(relay doctor says how to fix it\)\n {2}The set-up .* other commands\.\n {2}The coding agent claude has no key/,
  );
  expect(lackLines([])).toBe("");
});
