import type { Call } from "../pages.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { ConnectionFinding } from "../connection.ts";
import { missedDeliveries } from "./deliveries.ts";
import { checked, fine, wrong } from "../connection-findings.ts";
import { type HookConfig } from "./hooks.ts";
import { lackingEvents } from "./needs.ts";
import { leadsTo } from "../webhook.ts";

const DAY_MS = 24 * 3_600_000;

/** Whether a webhook has Relay's URL, a content type that Relay reads, and a secret. `page`: its settings page. */
export function hookFindings(
  config: HookConfig,
  { webhookUrl, page }: { webhookUrl: string | null; page: string },
): ConnectionFinding[] {
  const findings: ConnectionFinding[] = [];
  const bad = (detail: string, mend: string) => findings.push(wrong("webhook", detail, mend));
  if (config.url === undefined || config.url === "") {
    const url = webhookUrl ?? "the public address of Relay, with /webhooks/github at its end";
    bad("it has no address", `set the webhook URL to ${url} at ${page}`);
  } else if (webhookUrl !== null && !leadsTo(config.url, webhookUrl)) {
    bad(`it leads to ${config.url}`, `set the webhook URL to ${webhookUrl} at ${page}`);
  }
  if (config.content_type !== undefined && config.content_type !== "json") {
    bad(`it sends ${config.content_type}`, `choose the content type application/json at ${page}`);
  }
  if (config.secret === undefined || config.secret === "") {
    bad("it has no secret", `set the value of GITHUB_WEBHOOK_SECRET as its secret at ${page}`);
  }
  if (config.insecure_ssl !== undefined && String(config.insecure_ssl) !== "0") {
    bad("it does not check the certificate of Relay's server", `enable SSL verification at ${page}`);
  }
  return findings.length > 0 ? findings : [fine("webhook", `leads to ${config.url}`)];
}

export function eventFindings(subscribed: readonly string[], page: string): ConnectionFinding[] {
  const lacking = lackingEvents(subscribed);
  if (lacking.length === 0) return [fine("webhook events", subscribed.join(", "))];
  const names = lacking.join(", ");
  return [wrong("webhook events", `GitHub does not tell of ${names}`, `subscribe to ${names} at ${page}`)];
}

/** Failed deliveries of the last day. */
export async function deliveryFindings(
  call: Call,
  { path, page, clock }: { path: string; page: string; clock: Clock },
): Promise<ConnectionFinding[]> {
  const what = "webhook deliveries";
  return await checked({ what, mend: `look at the recent deliveries at ${page}` }, async () => {
    const since = new Date(clock.now().getTime() - DAY_MS);
    const missed = await missedDeliveries(call, path, { since, repositoryId: null });
    const last = missed.at(-1);
    if (last === undefined) return [fine(what, "all of the last 24 hours arrived")];
    const answer = last.status === 0 ? "got no answer" : `was answered ${last.status}`;
    return [
      wrong(
        what,
        `${missed.length} of the last 24 hours did not arrive; the last, ${last.event} at ${last.at.toISOString()}, ${answer}`,
        `see that relay serve runs and can be reached, then redeliver them at ${page}; what they told of is also found by Relay itself`,
      ),
    ];
  });
}
