import { webcrypto } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Notice, noticeSchema } from "../../src/domain/notice.ts";
import { bodyOf, serveOnLoopback } from "./loopback.ts";

/** A secret as Standard Webhooks writes it. */
export const SIGNING_SECRET = `whsec_${Buffer.from("a secret of more than 24 bytes").toString("base64")}`;

export interface Received {
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** How a call is answered; a receiver that gives nothing back has answered 204. */
export type Answers = (received: Received, response: ServerResponse, count: number) => unknown;

/** A receiver of notices on a port of its own until the test is over. */
export async function receiveNotices(answer: Answers = () => {}) {
  const received: Received[] = [];
  const looks: string[] = [];
  const url = await serveOnLoopback(async (request, response) => {
    if (request.method === "HEAD") {
      looks.push(request.url ?? "");
      response.writeHead(405).end();
      return;
    }
    const one = { path: request.url ?? "", headers: request.headers, body: await bodyOf(request) };
    received.push(one);
    await answer(one, response, received.length);
    if (!response.headersSent && !response.destroyed) response.writeHead(204).end();
  });
  return {
    url,
    received,
    looks,
    /** The notices, in the order in which they came. */
    notices: (): Notice[] => received.map(({ body }) => noticeSchema.parse(JSON.parse(body))),
    types: (): string[] => received.map(({ body }) => noticeSchema.parse(JSON.parse(body)).type),
  };
}

/** Whether one of the signatures is by this secret: written from the specification, with another library than Relay's. */
export async function isSigned({ headers, body }: Received, secret = SIGNING_SECRET): Promise<boolean> {
  const key = await webcrypto.subtle.importKey(
    "raw",
    Buffer.from(secret.slice("whsec_".length), "base64"),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  const signed = Buffer.from(`${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`);
  const age = Date.now() / 1_000 - Number(headers["webhook-timestamp"]);
  if (Math.abs(age) > 300) return false;
  for (const signature of String(headers["webhook-signature"]).split(" ")) {
    const [version, value = ""] = signature.split(",");
    if (version === "v1" && (await webcrypto.subtle.verify("HMAC", key, Buffer.from(value, "base64"), signed)))
      return true;
  }
  return false;
}
