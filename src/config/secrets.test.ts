import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { configSchema } from "./schema.ts";
import { githubAccessIn, readSecret, webhookSecretsIn } from "./secrets.ts";

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "relay-secret-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "secret");
  writeFileSync(path, text);
  return path;
}

const pem = (type: "pkcs1" | "pkcs8") =>
  generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type, format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  }).privateKey.trim();

const github = configSchema.parse({}).github;

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

describe("the way into GitHub", () => {
  test("is a token, or an App with its key, or none", () => {
    expect(githubAccessIn(github, {})).toBeNull();
    expect(githubAccessIn(github, { GITHUB_TOKEN: "t" })).toEqual({ kind: "token", token: "t" });
    for (const privateKey of [pem("pkcs1"), pem("pkcs8")]) {
      const app = { kind: "app", appId: "12", privateKey };
      expect(githubAccessIn({ ...github, app_id: "12" }, { GITHUB_PRIVATE_KEY: privateKey })).toEqual(app);
      const oneLine = privateKey.replaceAll("\n", String.raw`\n`);
      expect(githubAccessIn({ ...github, app_id: "12" }, { GITHUB_PRIVATE_KEY: oneLine })).toEqual(app);
      expect(githubAccessIn({ ...github, app_id: "12", private_key_file: file(privateKey) }, {})).toEqual(app);
    }
  });

  test.each([
    [{ ...github, app_id: "12" }, {}, /the GitHub App 12 needs its private key: .*GITHUB_PRIVATE_KEY_FILE/],
    [{ ...github, app_id: "12" }, { GITHUB_TOKEN: "t" }, /GITHUB_TOKEN and github\.app_id are both set/],
    [github, { GITHUB_PRIVATE_KEY: "k" }, /but no App: set github\.app_id/],
    [
      { ...github, app_id: "12", private_key_file: "/nowhere" },
      {},
      /cannot read \/nowhere, which github\.private_key_file/,
    ],
    [{ ...github, app_id: "12", private_key_file: "/x" }, { GITHUB_PRIVATE_KEY: "k" }, /are both set; unset one/],
    [{ ...github, app_id: "12" }, { GITHUB_PRIVATE_KEY: "SECRET" }, /is no RSA key in PEM form; use the \.pem file/],
  ])("that is not clear is told, with the mend: %j %j", (given, env, says) => {
    expect(() => githubAccessIn(given, env)).toThrow(says);
  });

  test("is never told where it is wrong", () => {
    const env = { GITHUB_PRIVATE_KEY: "-----BEGIN SECRET" };
    expect(() => githubAccessIn({ ...github, app_id: "12" }, env)).toThrow(/^(?!.*SECRET)/);
  });
});

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
