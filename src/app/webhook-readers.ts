import type { Config } from "../config/config.ts";
import { githubAccess, gitlabToken, webhookSecrets } from "../config/config.ts";
import { missingWebhookSecret } from "../config/secrets.ts";
import type { Clock } from "../lib/clock.ts";
import { githubWebhooks } from "../adapters/trackers/github/webhook.ts";
import { gitlabWebhooks } from "../adapters/trackers/gitlab/webhook.ts";
import type { WebhookReader } from "../adapters/trackers/webhook.ts";

/**
 * Readers for the trackers that have a webhook secret. Throws `config` for a tracker that Relay has access to, but no
 * secret for: its webhooks would all be refused, and people would wait for Relay in vain.
 */
export function webhookReaders(config: Config, clock: Clock): WebhookReader[] {
  const github = webhookSecrets("github");
  const gitlab = webhookSecrets("gitlab");
  if (github.length === 0 && githubAccess(config) !== null) throw missingWebhookSecret("github");
  if (gitlab.length === 0 && gitlabToken() !== null) throw missingWebhookSecret("gitlab");
  return [
    ...(github.length === 0 ? [] : [githubWebhooks({ secrets: github, clock })]),
    ...(gitlab.length === 0 ? [] : [gitlabWebhooks({ secrets: gitlab, clock })]),
  ];
}
