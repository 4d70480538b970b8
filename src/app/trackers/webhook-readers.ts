import type { Config } from "../../config/config.ts";
import { environment } from "../../config/environment.ts";
import { missingWebhookSecret, webhookSecretsIn } from "../../config/secrets.ts";
import type { Clock } from "../../lib/clock.ts";
import { HOSTED_PROVIDERS } from "../../adapters/trackers/registry.ts";
import type { WebhookReader } from "../../adapters/trackers/webhook.ts";

/** Whether a hosted tracker may call; otherwise there is only the local tracker. */
export function takesWebhooks(config: Config): boolean {
  return HOSTED_PROVIDERS.some(
    ({ name, credentials }) =>
      webhookSecretsIn(name, environment()).length > 0 || credentials(config, environment()) !== null,
  );
}

/**
 * Readers for the trackers that have a webhook secret. Throws `config` for a tracker that Relay has credentials but no
 * secret for: all of its webhooks would be refused, and people would wait for Relay in vain.
 */
export async function webhookReaders(config: Config, clock: Clock): Promise<WebhookReader[]> {
  const readers: WebhookReader[] = [];
  for (const provider of HOSTED_PROVIDERS) {
    const secrets = webhookSecretsIn(provider.name, environment());
    if (secrets.length > 0) readers.push(await provider.webhooks({ secrets, clock }));
    else if (provider.credentials(config, environment()) !== null) throw missingWebhookSecret(provider.name);
  }
  return readers;
}
