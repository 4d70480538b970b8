import { expect, test } from "vitest";
import { isOlder } from "./version.ts";

test("versions are compared number by number, and what tells none is not old (R-WORK-16)", () => {
  const older = (line: string) => isOlder(line, "2.0.28");
  expect(["1.0.128 (Claude Code)", "2.0.9", "codex-cli 0.169.0", "2.0"].map(older)).toEqual([true, true, true, true]);
  expect(["2.0.28", "2.0.28-beta.1", "2.1.0 (Claude Code)", "v10.0.0", "", "nightly", "7"].map(older)).toEqual(
    Array(7).fill(false),
  );
});
