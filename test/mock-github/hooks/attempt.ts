import { createHmac } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Delivery } from "./courier.ts";

/** One try to bring a delivery out. */
export interface Attempt {
  id: number;
  delivery: Delivery;
  deliveredAt: Date;
  redelivery: boolean;
  seconds: number;
  /** In GitHub's words. */
  status: string;
  /** The receiver's, or what GitHub makes of its silence. */
  code: number;
  answer: string;
}

const WORDS: Record<number, string> = { 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content" };

export function headersOf(delivery: Delivery): Record<string, string> {
  const { hook, target, event, guid, text } = delivery;
  const sign = (kind: string) => `${kind}=${createHmac(kind, hook.secret).update(text).digest("hex")}`;
  return {
    accept: "*/*",
    "content-type": "application/json",
    "user-agent": "GitHub-Hookshot/044aadd",
    "x-github-delivery": guid,
    "x-github-event": event,
    "x-github-hook-id": String(hook.id),
    "x-github-hook-installation-target-id": String(target.id),
    "x-github-hook-installation-target-type": target.kind,
    ...(hook.secret === "" ? {} : { "x-hub-signature": sign("sha1"), "x-hub-signature-256": sign("sha256") }),
  };
}

/** Posts a delivery once; what fails is an outcome as well. */
export async function send(
  delivery: Delivery,
  patience: number,
  signal: AbortSignal,
): Promise<Pick<Attempt, "status" | "code" | "answer" | "seconds">> {
  const begun = performance.now();
  const seconds = () => Math.round((performance.now() - begun) / 10) / 100;
  const timeout = AbortSignal.timeout(patience);
  try {
    const response = await fetch(delivery.hook.url, {
      method: "POST",
      headers: headersOf(delivery),
      body: delivery.text,
      redirect: "manual",
      signal: AbortSignal.any([timeout, signal]),
    });
    const answer = await response.text();
    const status = WORDS[response.status] ?? `Invalid HTTP Response: ${response.status}`;
    return { status, code: response.status, answer, seconds: seconds() };
  } catch {
    const late = timeout.aborted;
    const status = late ? "timed out" : "failed to connect to host";
    return { status, code: late ? 504 : 502, answer: "", seconds: seconds() };
  }
}
