import { createHmac } from "node:crypto";

/**
 * The headers of a webhook by [Standard Webhooks](https://www.standardwebhooks.com): its id, when it is sent, in seconds,
 * and a signature by each key over `id.timestamp.body`.
 */
export function signedHeaders(
  { id, body, at }: { id: string; body: string; at: Date },
  keys: readonly Uint8Array[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = keys.map(
    (key) => `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`,
  );
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
