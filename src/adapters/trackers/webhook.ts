import type { TrackerEvent, UndatedEvent } from "../../domain/event.ts";
import type { Provider } from "../../domain/issue.ts";
import type { Clock } from "../../lib/clock.ts";

/** A webhook call as it came in. */
export interface WebhookCall {
  headers: Headers;
  /** The bytes that were signed. */
  body: Uint8Array;
}

/** What a call means; `ignored` calls do not concern Relay, and are acknowledged all the same. */
export type WebhookReading =
  | {
      kind: "events";
      /** The tracker's id of the delivery, the same when it delivers again. */
      deliveryId: string;
      /** A hash of the content, to recognize the same change under another delivery id (R-IN-2). */
      contentKey: string;
      /** At least one: a call may report several changes. They are in the order to process them in. */
      events: [TrackerEvent, ...TrackerEvent[]];
    }
  /** Relay may work in repositories of this account, or do more there, since now. */
  | { kind: "access"; account: string }
  | { kind: "ignored"; what: string }
  | { kind: "malformed"; problem: string };

/** Reads the webhook calls of one provider. Nothing here throws on what a stranger sends. */
export interface WebhookReader {
  readonly provider: Provider;
  /** Whether the call carries the secret's signature, compared in constant time (R-IN-1). */
  isSigned(call: WebhookCall): Promise<boolean>;
  /** For signed calls only. Ignores the fields that Relay does not use. */
  read(call: WebhookCall): WebhookReading;
}

export function malformed(problem: string): WebhookReading {
  return { kind: "malformed", problem };
}

/** An event whose payload does not say when it happened gets the time of its delivery. */
export function dated(event: UndatedEvent, clock: Clock): TrackerEvent {
  return { ...event, at: event.at ?? clock.now() };
}
