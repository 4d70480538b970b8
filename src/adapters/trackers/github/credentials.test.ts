import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { githubCredentials } from "./credentials.ts";
import { githubSettings } from "./provider.ts";

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

const github = githubSettings.parse(undefined);

describe("credentials for GitHub", () => {
  test("is a token, or an App with its key, or none", () => {
    expect(githubCredentials(github, {})).toBeNull();
    expect(githubCredentials(github, { GITHUB_TOKEN: "t" })).toEqual({ kind: "token", token: "t" });
    for (const privateKey of [pem("pkcs1"), pem("pkcs8")]) {
      const app = { kind: "app", appId: "12", privateKey };
      expect(githubCredentials({ ...github, app_id: "12" }, { GITHUB_PRIVATE_KEY: privateKey })).toEqual(app);
      const oneLine = privateKey.replaceAll("\n", String.raw`\n`);
      expect(githubCredentials({ ...github, app_id: "12" }, { GITHUB_PRIVATE_KEY: oneLine })).toEqual(app);
      expect(githubCredentials({ ...github, app_id: "12", private_key_file: file(privateKey) }, {})).toEqual(app);
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
    expect(() => githubCredentials(given, env)).toThrow(says);
  });

  test("is never told where it is wrong", () => {
    const env = { GITHUB_PRIVATE_KEY: "-----BEGIN SECRET" };
    expect(() => githubCredentials({ ...github, app_id: "12" }, env)).toThrow(/^(?!.*SECRET)/);
  });
});
