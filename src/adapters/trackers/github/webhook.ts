import { createHmac, timingSafeEqual } from "node:crypto";
import { ZodError } from "zod";
import type { Clock } from "../../../lib/clock.ts";
import { type WebhookCall, type WebhookReader, type WebhookReading, dated, malformed } from "../webhook.ts";
import { eventsIn } from "./webhook-events.ts";
import { sha256Of } from "../../../lib/sha256.ts";

export interface GithubWebhookOptions {
  /** A signature by any of them is valid, so that secrets can be rotated without losing deliveries. At least one. */
  secrets: readonly string[];
  /** The time of events whose payload has none. */
  clock: Clock;
}

/** Reads GitHub's webhook calls, from Apps and repositories, as JSON or as a form (R-IN-1, R-IN-2). */
export function githubWebhooks({ secrets, clock }: GithubWebhookOptions): WebhookReader {
  return {
    provider: "github",
    mayBeSigned: (headers) => signatureIn(headers) !== undefined,
    isSigned: async ({ headers, body }) => {
      const given = signatureIn(headers);
      if (given === undefined) return await Promise.resolve(false);
      const signature = Buffer.from(given, "hex");
      // Compares all of them, so that the timing does not reveal which one matched.
      const fits = secrets.map((secret) =>
        timingSafeEqual(signature, createHmac("sha256", secret).update(body).digest()),
      );
      return await Promise.resolve(fits.includes(true));
    },
    read: (call) => read(call, clock),
  };
}

/** As hexadecimal digits. */
function signatureIn(headers: Headers): string | undefined {
  return /^sha256=([0-9a-f]{64})$/i.exec(headers.get("x-hub-signature-256") ?? "")?.[1];
}

function read(call: WebhookCall, clock: Clock): WebhookReading {
  const name = call.headers.get("x-github-event") ?? "";
  const deliveryId = call.headers.get("x-github-delivery") ?? "";
  if (!/^[a-z0-9_]{1,100}$/.test(name)) return malformed("the header X-GitHub-Event is missing or is no event's name");
  if (!/^[\x21-\x7e]{1,200}$/.test(deliveryId)) return malformed("the header X-GitHub-Delivery is missing or is no id");
  const payload = payloadOf(call);
  if (payload === undefined) return malformed("the body is not JSON");
  try {
    const telling = eventsIn(name, payload);
    if (telling.kind === "access" || telling.kind === "pushed") return telling;
    if (telling.kind === "ignored") return { kind: "ignored", what: name };
    const { events, besides } = telling;
    const [first, ...rest] = events;
    return {
      kind: "events",
      deliveryId,
      contentKey: keyOf([name, besides, events]),
      events: [dated(first, clock), ...rest.map((event) => dated(event, clock))],
    };
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const issue = error.issues[0];
    return malformed(`${name}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not as expected"}`);
  }
}

/** Undefined if it is not JSON. */
function payloadOf({ headers, body }: WebhookCall): unknown {
  const text = new TextDecoder().decode(body);
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "");
  try {
    return JSON.parse(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text);
  } catch {
    return undefined;
  }
}

/** If the payload has no time, neither does its key. */
function keyOf(facts: unknown): string {
  return sha256Of(JSON.stringify(facts));
}
