import { expect, test } from "vitest";
import type { SpecRef } from "../../domain/spec.ts";
import { silentLog } from "../../lib/log.ts";
import { loggedSpecs } from "./logged.ts";
import type { SpecStore, WriteResult } from "./spec-store.ts";

test("what a store reads and writes is logged with path, bytes and time; what it does not write is not", async () => {
  const lines: unknown[] = [];
  const keep = (level: string) => (fields: unknown, message: string) => void lines.push([level, message, fields]);
  const ref: SpecRef = {
    version: 1,
    backend: "local",
    path: "issue_1/spec.md",
    updated_at: "2026-11-23T00:00:00Z",
    sha256: "0".repeat(64),
    format: "markdown",
  };
  const results: WriteResult[] = [
    { kind: "written", ref },
    { kind: "unchanged", ref },
  ];
  const answers = [...results];
  const nothing = async () => await Promise.reject(new Error("nothing asks for it"));
  const store: SpecStore = {
    backend: "local",
    read: async () => await Promise.resolve("größer"),
    write: async () => await Promise.resolve(answers.shift() ?? { kind: "unchanged", ref }),
    exists: nothing,
    remove: nothing,
    address: nothing,
    where: () => "",
  };
  const logged = loggedSpecs(store, { ...silentLog, info: keep("info"), debug: keep("debug") });
  const owner = { issueId: "1", provider: "local" as const, externalIssueId: "7", title: "Broken" };
  expect(await logged.read(ref)).toBe("größer");
  for (const result of results) expect(await logged.write(owner, "a spec", null)).toEqual(result);
  const facts = { path: "issue_1/spec.md", duration_ms: expect.any(Number) };
  expect(lines).toEqual([
    ["debug", "spec read", { ...facts, bytes: 8 }],
    ["info", "spec written", { ...facts, issue_id: "1", bytes: 6 }],
  ]);
});
