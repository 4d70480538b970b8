import { brokenCall } from "./failure.ts";
import { failureText, wholeText } from "./read-answer.ts";

/** An answer that was read. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export interface Sending {
  url: URL;
  method: string;
  headers: Headers;
  body: string | null;
  /** Method and path, for errors. */
  call: string;
  /** What must not be told in errors. */
  secrets: readonly string[];
  /** For the whole of it, in milliseconds. */
  timeoutMs: number;
  maxBytes: number;
}

/**
 * Sends one request, once, and reads the answer whatever its status. Throws `timeout`, `unavailable` for a network
 * that fails, and `too_large`. A redirect is an answer.
 */
export async function send(fetch: typeof globalThis.fetch, sending: Sending): Promise<Answer> {
  const { url, method, headers, body, call, maxBytes, timeoutMs } = sending;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method, headers, body, redirect: "manual", signal });
    const text = response.ok ? await wholeText(response, maxBytes, call) : await failureText(response);
    return { status: response.status, headers: response.headers, text };
  } catch (cause) {
    throw brokenCall(call, cause, sending);
  }
}
