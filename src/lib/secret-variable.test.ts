import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readSecret } from "./secret-variable.ts";

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "relay-secret-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "secret");
  writeFileSync(path, text);
  return path;
}

describe("a secret", () => {
  test("comes from its variable, or from the file that another one names", () => {
    expect(readSecret("GITHUB_TOKEN", {})).toBeNull();
    expect(readSecret("GITHUB_TOKEN", { GITHUB_TOKEN: "" })).toBeNull();
    expect(readSecret("GITHUB_TOKEN", { GITHUB_TOKEN: " abc\n" })).toBe("abc");
    expect(readSecret("GITHUB_TOKEN", { GITHUB_TOKEN_FILE: file("abc\n") })).toBe("abc");
  });

  test.each([
    [{ X: "a", X_FILE: "b" }, /X and X_FILE are both set/],
    [{ X_FILE: "/nowhere/x" }, /cannot read \/nowhere\/x, which X_FILE names: .*; check/],
    [{ X_FILE: "/" }, /cannot read \/, which X_FILE names/],
    [{ X_FILE: "/dev/null" }, /\/dev\/null, which X_FILE names, is empty/],
  ])("that cannot be had is told, with the mend: %j", (env, says) => {
    expect(() => readSecret("X", env)).toThrow(says);
  });
});
