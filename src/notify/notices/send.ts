import { createHmac } from "node:crypto";
import { retryAfter } from "../../adapters/trackers/http/limits.ts";
import type { Notice, NoticeAddress } from "../../domain/notice.ts";
import type { Clock } from "../../lib/clock.ts";
import { systemCode } from "../../lib/errors.ts";
import { slackMessage } from "./slack.ts";

/** For one call, in milliseconds. */
const TIMEOUT_MS = 10_000;
const LONGEST_WAIT_MS = 24 * 3_600_000;
/** The receiver is not reachable, or asks to be left alone; it does not object to this notice. */
const AWAY = new Set([408, 425, 429, 502, 503, 504]);

/** The outcome of one call. A receiver's body is never read, only its status and `Retry-After`. */
export interface Answer {
  /**
   * `taken`; `gone`: it wants no notices any more; `away`: nothing gets through; `refused`: it is there, and does not
   * take this.
   */
  kind: "taken" | "gone" | "away" | "refused";
  /** Null without an answer. */
  status: number | null;
  /** Why it was not taken; names no address. */
  error: string | null;
  /** Milliseconds that it asks to wait. */
  retryAfterMs: number | null;
}

export interface SendOptions {
  clock: Clock;
  timeoutMs?: number | undefined;
}

/** Sends a notice once, and follows no redirect. Throws nothing: a receiver may do anything. */
export async function sendNotice(
  notice: Notice,
  { kind, url, keys }: NoticeAddress,
  { clock, timeoutMs }: SendOptions,
): Promise<Answer> {
  const body = JSON.stringify(kind === "slack" ? slackMessage(notice) : notice);
  const signed = kind === "slack" ? {} : signedHeaders({ id: notice.id, body, at: clock.now() }, keys);
  const headers = { "content-type": "application/json; charset=utf-8", ...signed };
  return await call(url, { method: "POST", headers, body }, { clock, timeoutMs });
}

/** Whether a target's server answers at all: a look that sends no notice. */
export async function lookAt({ url }: NoticeAddress, options: SendOptions): Promise<Pick<Answer, "status" | "error">> {
  const { status, error } = await call(url, { method: "HEAD" }, options);
  return { status, error: status === null ? error : null };
}

async function call(
  url: string,
  request: { method: string; headers?: Record<string, string>; body?: string },
  { clock, timeoutMs = TIMEOUT_MS }: SendOptions,
): Promise<Answer> {
  try {
    const headers = { ...request.headers, "user-agent": "relay/0.1" };
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...request, headers, redirect: "manual", signal });
    await response.body?.cancel();
    return answerOf(response, clock.now());
  } catch (error) {
    return { kind: "away", status: null, error: whyNot(error, timeoutMs), retryAfterMs: null };
  }
}

function answerOf({ status, headers }: Response, now: Date): Answer {
  if (status >= 200 && status < 300) return { kind: "taken", status, error: null, retryAfterMs: null };
  const sentAt = Date.parse(headers.get("date") ?? "");
  const from = Number.isNaN(sentAt) ? now.getTime() : sentAt;
  const why = status >= 300 && status < 400 ? ", and redirects are not followed" : "";
  return {
    kind: status === 410 ? "gone" : AWAY.has(status) ? "away" : "refused",
    status,
    error: `answered with ${status}${why}`,
    retryAfterMs: retryAfter(headers.get("retry-after"), from, LONGEST_WAIT_MS),
  };
}

/** Messages of errors may name the address, which may be a secret. */
function whyNot(error: unknown, timeoutMs: number): string {
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return `no answer within ${timeoutMs / 1_000} seconds`;
  }
  const code = systemCode(error instanceof Error ? error.cause : null);
  return `no connection${code === undefined ? "" : ` (${code})`}`;
}

/**
 * The headers of a webhook by [Standard Webhooks](https://www.standardwebhooks.com): its id, when it is sent, in
 * seconds, and a signature by each key over `id.timestamp.body`.
 */
function signedHeaders(
  { id, body, at }: { id: string; body: string; at: Date },
  keys: readonly Uint8Array[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = keys.map(
    (key) => `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`,
  );
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
