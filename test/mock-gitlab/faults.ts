import type { ServerResponse } from "node:http";
import type { Answer } from "./answer.ts";

/** What happens to one request instead of a plain answer. */
export type Fault =
  /** Answers without any effect. */
  | { kind: "status"; status: number; headers?: Record<string, string>; text?: string }
  /** Has its effect late, also where nobody waits for it any more, and is answered then. */
  | { kind: "delay"; ms: number }
  /** Has its effect, and says all the same that it failed. */
  | { kind: "status_after"; status: number }
  /** Takes the request, has its effect, and never says a word. */
  | { kind: "hang" }
  /** Breaks the connection, before or after the effect took place. */
  | { kind: "cut"; when: "before" | "after" }
  /** Has its effect, begins the answer, and breaks the connection in the middle of it. */
  | { kind: "truncate" };

/** Looks at each request; null lets it through. */
export type Faults = (request: { method: string; path: string }) => Fault | null;

/** True where the request is over before anything came of it. */
export function spoil(fault: Fault | null, response: ServerResponse): boolean {
  if (fault?.kind === "status") {
    const type = fault.text === undefined ? "application/json" : "text/html";
    response.writeHead(fault.status, { "content-type": type, ...fault.headers });
    response.end(fault.text ?? JSON.stringify({ message: `${fault.status} Internal Server Error` }));
    return true;
  }
  if (fault?.kind === "cut" && fault.when === "before") {
    response.destroy();
    return true;
  }
  return false;
}

export function send(
  response: ServerResponse,
  answer: Answer,
  headers: Record<string, string>,
  fault: Fault | null,
): void {
  if (fault?.kind === "hang") return;
  if (fault?.kind === "cut") {
    response.destroy();
    return;
  }
  if (fault?.kind === "status_after") {
    spoil({ kind: "status", status: fault.status }, response);
    return;
  }
  const body = answer.text ?? (answer.json === undefined ? "" : JSON.stringify(answer.json));
  response.writeHead(answer.status, {
    ...(answer.json === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
    ...answer.headers,
    "content-length": String(Buffer.byteLength(body)),
  });
  if (fault?.kind === "truncate") {
    const half = Buffer.from(body);
    response.write(half.subarray(0, Math.floor(half.length / 2)), () => response.destroy());
    return;
  }
  response.end(body);
}
