import { request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Dial } from "./dial.ts";
import { answerText, forward } from "./forward.ts";
import { requestHeaders } from "./headers.ts";

const IDLE_MS = 10 * 60_000;

/** Passes a request for `http://HOST/…` on to an allowed host. */
export async function passToHost(incoming: IncomingMessage, response: ServerResponse, dial: Dial): Promise<void> {
  const address = URL.parse(incoming.url ?? "");
  if (address === null || address.protocol !== "http:") {
    answerText(response, 400, "ask for http:// addresses, and for others by CONNECT");
    return;
  }
  const dialled = await dial(address.hostname, Number(address.port || 80));
  if (dialled.kind !== "connected") {
    answerText(response, dialled.kind === "refused" ? 403 : 502, dialled.reason);
    return;
  }
  const { headers, hasBody } = requestHeaders(incoming.headers);
  const onward = request({
    createConnection: () => dialled.socket,
    method: incoming.method,
    path: address.pathname + address.search,
    headers: { ...headers, host: address.host },
  });
  forward(incoming, response, { onward, hasBody, host: address.host });
}

/** Opens a tunnel to an allowed host, for TLS. Gives the far end, or null where there is none. */
export async function tunnel(
  incoming: IncomingMessage,
  inside: Duplex,
  head: Buffer,
  dial: Dial,
): Promise<Duplex | null> {
  const [, host = "", port = ""] = /^([^:[\]/@\s]+|\[[\da-f:.]+\]):(\d{1,5})$/i.exec(incoming.url ?? "") ?? [];
  const dialled = await dial(host, Number(port));
  if (inside.destroyed) {
    if (dialled.kind === "connected") dialled.socket.destroy();
    return null;
  }
  if (dialled.kind !== "connected") {
    const status = dialled.kind === "refused" ? "403 Forbidden" : "502 Bad Gateway";
    inside.end(`HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nrelay: ${dialled.reason}\n`);
    return null;
  }
  const far = dialled.socket;
  far.setTimeout(IDLE_MS, () => far.destroy());
  far.on("error", () => inside.destroy());
  far.on("close", () => inside.destroy());
  inside.on("close", () => far.destroy());
  inside.write("HTTP/1.1 200 Connection established\r\n\r\n");
  far.write(head);
  inside.pipe(far).pipe(inside);
  return far;
}
