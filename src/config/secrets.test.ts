import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { webhookSecretsIn } from "./secrets.ts";

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "relay-secret-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "secret");
  writeFileSync(path, text);
  return path;
}

describe("secrets of webhooks", () => {
  const long = "0123456789abcdef";

  test("are one on each line, so that an old and a new one hold side by side", () => {
    expect(webhookSecretsIn("github", {})).toEqual([]);
    expect(webhookSecretsIn("github", { GITHUB_WEBHOOK_SECRET: long })).toEqual([long]);
    expect(webhookSecretsIn("gitlab", { GITLAB_WEBHOOK_SECRET_FILE: file(`${long}\r\n${long}2\n\n`) })).toEqual([
      long,
      `${long}2`,
    ]);
  });

  test("that could be guessed are refused, with how to make one", () => {
    expect(() => webhookSecretsIn("github", { GITHUB_WEBHOOK_SECRET: "0123456789abcde" })).toThrow(
      /^GITHUB_WEBHOOK_SECRET is shorter than 16 characters .*`openssl rand -hex 32`.* on GitHub$/,
    );
    expect(() => webhookSecretsIn("gitlab", { GITLAB_WEBHOOK_SECRET: `${long}\nx` })).toThrow(/GITLAB_WEBHOOK_SECRET/);
  });
});
