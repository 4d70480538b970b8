import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Config } from "./schema.ts";

type Environment = Record<string, string | undefined>;

/** Who Relay is on GitHub. */
export type GithubAccess =
  | { kind: "token"; token: string }
  /** `privateKey`: PEM. */
  | { kind: "app"; appId: string; privateKey: string };

export type WebhookProvider = "github" | "gitlab";

const LEAST_LENGTH = 16;
const SIZE_LIMIT = 64 * 1024;

/** The variable `name`, or what is in the file that `name_FILE` names; null without either. */
export function readSecret(name: string, env: Environment): string | null {
  const direct = env[name]?.trim() ?? "";
  const file = env[`${name}_FILE`] ?? "";
  if (direct !== "" && file !== "") {
    throw new RelayError("config", `${name} and ${name}_FILE are both set; unset one of them`);
  }
  if (direct !== "") return direct;
  return file === "" ? null : readSecretFile(file, `${name}_FILE`);
}

/** What a file holds, without blanks around. `told` is where people named it. */
function readSecretFile(file: string, told: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new RelayError(
      "config",
      `cannot read ${file}, which ${told} names: ${messageOf(cause)}; check that it exists and that this account may read it`,
      { cause },
    );
  }
  const secret = text.trim();
  if (secret === "") throw new RelayError("config", `${file}, which ${told} names, is empty`);
  if (secret.length > SIZE_LIMIT)
    throw new RelayError("config", `${file}, which ${told} names, is no secret but too long`);
  return secret;
}

/** Throws `config` where it is not clear which one is meant, or the App's key cannot be used. */
export function githubAccessIn(
  github: Pick<Config["github"], "app_id" | "private_key_file">,
  env: Environment,
): GithubAccess | null {
  const token = readSecret("GITHUB_TOKEN", env);
  const key = appKey(github, env);
  if (github.app_id === undefined) {
    if (key === null) return token === null ? null : { kind: "token", token };
    throw new RelayError(
      "config",
      "there is a private key of a GitHub App, but no App: set github.app_id (GITHUB_APP_ID) to the id in its settings",
    );
  }
  if (token !== null) {
    throw new RelayError(
      "config",
      "GITHUB_TOKEN and github.app_id are both set, and Relay acts as one of them; unset the one that is not meant",
    );
  }
  if (key === null) {
    throw new RelayError(
      "config",
      `the GitHub App ${github.app_id} needs its private key: make one in the App's settings, and set GITHUB_PRIVATE_KEY_FILE to the downloaded file`,
    );
  }
  return { kind: "app", appId: github.app_id, privateKey: checkedKey(key) };
}

function appKey(github: Pick<Config["github"], "app_id" | "private_key_file">, env: Environment): string | null {
  const direct = env["GITHUB_PRIVATE_KEY"]?.trim() ?? "";
  const file = github.private_key_file;
  if (direct !== "" && file !== undefined) {
    throw new RelayError(
      "config",
      "GITHUB_PRIVATE_KEY and github.private_key_file (GITHUB_PRIVATE_KEY_FILE) are both set; unset one of them",
    );
  }
  if (file !== undefined) return readSecretFile(file, "github.private_key_file (GITHUB_PRIVATE_KEY_FILE)");
  // Where a variable cannot hold line ends, people write them out.
  return direct === "" ? null : direct.replaceAll(String.raw`\n`, "\n");
}

function checkedKey(pem: string): string {
  try {
    if (createPrivateKey(pem).asymmetricKeyType === "rsa") return pem;
  } catch {
    // Told below, without the reason, which could hold a part of the key.
  }
  throw new RelayError(
    "config",
    "the private key of the GitHub App is no RSA key in PEM form; use the .pem file that GitHub gave, unchanged",
  );
}

const SETTINGS: Record<WebhookProvider, string> = {
  github: "the webhook's settings on GitHub",
  gitlab: "the webhook's settings on GitLab",
};

/** Throws `config` for a secret that is short enough to be guessed. */
export function webhookSecretsIn(provider: WebhookProvider, env: Environment): string[] {
  const name = secretName(provider);
  const secrets = (readSecret(name, env) ?? "")
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (secrets.every((secret) => secret.length >= LEAST_LENGTH)) return secrets;
  throw new RelayError(
    "config",
    `${name} is shorter than ${LEAST_LENGTH} characters and could be guessed; ${HOW(provider)}`,
  );
}

/** What to do where webhooks are wanted and no secret is set. */
export function missingWebhookSecret(provider: WebhookProvider): RelayError {
  return new RelayError(
    "config",
    `${secretName(provider)} is not set, and without it nobody can tell who calls; ${HOW(provider)}`,
  );
}

const HOW = (provider: WebhookProvider) =>
  `make one with \`openssl rand -hex 32\`, and set it here and in ${SETTINGS[provider]}`;

function secretName(provider: WebhookProvider): string {
  return `${provider.toUpperCase()}_WEBHOOK_SECRET`;
}
