import { expect, test } from "vitest";
import { ago } from "./document.ts";

const NOW = new Date("2026-11-23T12:00:00Z");

test.each([
  ["2026-11-23T11:59:30Z", "just now"],
  ["2026-11-23T09:00:00Z", "3 h ago"],
  ["2026-11-23T12:20:00Z", "in 20 min"],
])("%s is told as %s, with the exact time", async (at, words) => {
  const markup = String(await ago(new Date(at), NOW));
  expect(markup).toContain(`>${words}<`);
  expect(markup).toContain(`datetime="${new Date(at).toISOString()}"`);
});
