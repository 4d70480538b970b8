import type { Config } from "../../config/config.ts";
import { webhookSecrets } from "../../config/config.ts";
import { missingWebhookSecret } from "../../config/secrets.ts";
import type { HostedName } from "../../domain/issue.ts";
import type { Environment } from "../../lib/secret-variable.ts";
import { HOSTED } from "../../adapters/trackers/registry.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Report } from "./check.ts";
import { attempt } from "./check.ts";

/**
 * What Relay signs in with, and what its webhooks are signed with: there, and long enough. Says nothing of a tracker
 * for which nothing is set, unless it is asked for. No value is told.
 *
 * @returns whether the tracker can be asked
 */
export async function examineCredentials(
  provider: HostedName,
  { config, env, isWanted }: { config: Config; env: Environment; isWanted: boolean },
  report: Report,
): Promise<boolean> {
  const { title: name, signIn: mend, docs, credentials } = HOSTED[provider];
  if (!isWanted && isBlank(provider, config, env)) return false;
  const found = await attempt(report, { name: `${name} credentials`, mend }, () => {
    const detail = credentials(config, env);
    if (detail !== null) return { value: true, detail };
    throw new RelayError("config", `nothing is set that Relay could sign in to ${name} with`);
  });
  const secret = { name: `${name} webhook secret`, mend: `see “The webhook” in ${docs}` };
  await attempt(report, secret, () => {
    const secrets = webhookSecrets(provider, env);
    if (secrets.length === 0) throw missingWebhookSecret(provider);
    return { value: true, detail: secrets.map((one) => `${one.length} characters`).join(" and ") };
  });
  return found === true;
}

function isBlank(provider: HostedName, config: Config, env: Environment): boolean {
  try {
    return HOSTED[provider].credentials(config, env) === null && webhookSecrets(provider, env).length === 0;
  } catch {
    // What is wrong is told by the check.
    return false;
  }
}
