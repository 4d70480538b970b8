import type { HostedName } from "../domain/issue.ts";
import { HOSTED } from "../adapters/trackers/registry.ts";
import { RelayError } from "../lib/errors.ts";
import { type Environment, readSecret } from "../lib/secret-variable.ts";

const LEAST_LENGTH = 16;

/**
 * The secrets that webhook calls of a tracker may be signed with. One per line, so that an old and a new one are valid
 * during rotation. Throws `config` for a secret that is short enough to be guessed.
 */
export function webhookSecretsIn(provider: HostedName, env: Environment): string[] {
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

/** The secret that opens the dashboard and the API (R-SAFE-4); null if none is set. Throws `config` for a short one. */
export function adminTokenIn(env: Environment): string | null {
  return tokenIn("RELAY_ADMIN_TOKEN", env);
}

/** The secret that opens the metrics, and nothing else; null if none is set. Throws `config` for a short one. */
export function metricsTokenIn(env: Environment): string | null {
  return tokenIn("RELAY_METRICS_TOKEN", env);
}

function tokenIn(name: string, env: Environment): string | null {
  const token = readSecret(name, env);
  if (token === null || token.length >= LEAST_LENGTH) return token;
  throw new RelayError(
    "config",
    `${name} is shorter than ${LEAST_LENGTH} characters and could be guessed; make one with \`openssl rand -hex 32\``,
  );
}

/** Remedy if webhooks are enabled without a secret. */
export function missingWebhookSecret(provider: HostedName): RelayError {
  return new RelayError(
    "config",
    `${secretName(provider)} is not set, and without it nobody can tell who calls; ${HOW(provider)}`,
  );
}

const HOW = (provider: HostedName) =>
  `make one with \`openssl rand -hex 32\`, and set it here and in the webhook's settings on ${HOSTED[provider].title}`;

function secretName(provider: HostedName): string {
  return `${provider.toUpperCase()}_WEBHOOK_SECRET`;
}
