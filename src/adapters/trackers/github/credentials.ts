import { createPrivateKey } from "node:crypto";
import { RelayError } from "../../../lib/errors.ts";
import { type Environment, readSecret, readSecretFile } from "../../../lib/secret-variable.ts";

/** Relay's account on GitHub. */
export type GithubCredentials =
  | { kind: "token"; token: string }
  /** `privateKey`: PEM. */
  | { kind: "app"; appId: string; privateKey: string };

interface AppSettings {
  app_id?: string | undefined;
  private_key_file?: string | undefined;
}

/**
 * The configured token or App; null if there is neither. Throws `config` if there are both, or if the App's key is
 * unusable.
 */
export function githubCredentials(github: AppSettings, env: Environment): GithubCredentials | null {
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

function appKey(github: AppSettings, env: Environment): string | null {
  const direct = env["GITHUB_PRIVATE_KEY"]?.trim() ?? "";
  const file = github.private_key_file;
  if (direct !== "" && file !== undefined) {
    throw new RelayError(
      "config",
      "GITHUB_PRIVATE_KEY and github.private_key_file (GITHUB_PRIVATE_KEY_FILE) are both set; unset one of them",
    );
  }
  if (file !== undefined) return readSecretFile(file, "github.private_key_file (GITHUB_PRIVATE_KEY_FILE)");
  // Variables that cannot hold line ends have them written as `\n`.
  return direct === "" ? null : direct.replaceAll(String.raw`\n`, "\n");
}

function checkedKey(pem: string): string {
  try {
    if (createPrivateKey(pem).asymmetricKeyType === "rsa") return pem;
  } catch {
    // The cause could quote part of the key.
  }
  throw new RelayError(
    "config",
    "the private key of the GitHub App is no RSA key in PEM form; use the .pem file that GitHub gave, unchanged",
  );
}
