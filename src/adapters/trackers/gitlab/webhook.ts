import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { ZodError } from "zod";
import type { Clock } from "../../../lib/clock.ts";
import { type WebhookCall, type WebhookReader, type WebhookReading, dated, malformed } from "../webhook.ts";
import { eventsIn } from "./webhook-events.ts";
import { sha256Of } from "../../../lib/sha256.ts";

export interface GitlabWebhookOptions {
  /**
   * Secret tokens, sent with each call, or signing tokens (`whsec_…`), which sign it. A match with any is valid, so
   * that secrets can be rotated without losing deliveries. At least one.
   */
  secrets: readonly string[];
  /** For the age of a signature, and for events whose payload has no time. */
  clock: Clock;
}

/** A signature further in the past or future may be a replay. */
const SIGNED_WITHIN_S = 5 * 60;

/** Reads GitLab's webhook calls, those of projects, of groups and of the whole instance (R-IN-1, R-IN-2). */
export function gitlabWebhooks({ secrets, clock }: GitlabWebhookOptions): WebhookReader {
  return {
    provider: "gitlab",
    mayBeSigned: (headers) =>
      secrets
        .flatMap((secret) => [hasToken({ headers }, secret), signaturesIn(headers, { secret, clock }).length > 0])
        .includes(true),
    isSigned: async (call) => {
      // Compares all of them, so that the timing does not reveal which one matched.
      const fits = secrets.map((secret) => [hasToken(call, secret), hasSignature(call, { secret, clock })]);
      return await Promise.resolve(fits.flat().includes(true));
    },
    read: (call) => read(call, clock),
  };
}

function hasToken({ headers }: Pick<WebhookCall, "headers">, secret: string): boolean {
  // Digests have a fixed length, so that the timing does not reveal the secret's length.
  return timingSafeEqual(digest(headers.get("x-gitlab-token") ?? ""), digest(secret)) && secret !== "";
}

/** The scheme of Standard Webhooks: the key signs `id.timestamp.body`; there may be several signatures. */
function hasSignature({ headers, body }: WebhookCall, { secret, clock }: { secret: string; clock: Clock }): boolean {
  const given = signaturesIn(headers, { secret, clock });
  if (given.length === 0) return false;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.`;
  const expected = digest(createHmac("sha256", key).update(signed).update(body).digest("base64"));
  return given.map((one) => timingSafeEqual(digest(one), expected)).includes(true);
}

/** Those of a call that this secret may have signed, and not too long ago. */
function signaturesIn(headers: Headers, { secret, clock }: { secret: string; clock: Clock }): string[] {
  const timestamp = headers.get("webhook-timestamp") ?? "";
  if (!secret.startsWith("whsec_") || !headers.get("webhook-id") || !/^\d{1,12}$/.test(timestamp)) return [];
  if (Math.abs(clock.now().getTime() / 1000 - Number(timestamp)) > SIGNED_WITHIN_S) return [];
  const given = (headers.get("webhook-signature") ?? "").split(" ").filter((one) => one.startsWith("v1,"));
  return given.map((one) => one.slice("v1,".length));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function read(call: WebhookCall, clock: Clock): WebhookReading {
  const deliveryId = deliveryIdOf(call);
  if (deliveryId === null) return malformed("the header Idempotency-Key, or X-Gitlab-Webhook-UUID, is no id");
  const payload = payloadOf(call);
  if (payload === undefined) return malformed("the body is not JSON");
  try {
    const { kind, events, push } = eventsIn(payload);
    if (push !== undefined) return { kind: "pushed", push };
    const [first, ...rest] = events;
    if (first === undefined) return { kind: "ignored", what: kind };
    return {
      kind: "events",
      deliveryId,
      // The webhooks of a project and of its group receive identical content, each under its own id.
      contentKey: sha256Of(call.body),
      events: [dated(first, clock), ...rest.map((event) => dated(event, clock))],
    };
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const issue = error.issues[0];
    return malformed(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not as expected"}`);
  }
}

/**
 * The id that stays the same when GitLab delivers again. Versions before 17.4 send an id that changes each time; there
 * the content key detects duplicates. `X-Gitlab-Event-UUID` does not work: all events of one request share it.
 */
function deliveryIdOf({ headers, body }: WebhookCall): string | null {
  const given = headers.get("idempotency-key") ?? headers.get("webhook-id") ?? headers.get("x-gitlab-webhook-uuid");
  if (given !== null) return /^[\x21-\x7e]{1,200}$/.test(given) ? given : null;
  return sha256Of(body);
}

/** Undefined if it is not JSON. */
function payloadOf({ body }: WebhookCall): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
