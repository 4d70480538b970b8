import { request } from "node:http";
import { pipeline } from "node:stream";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { NodeContext } from "./webhooks.ts";

/** They are about one connection only. */
const OF_THE_CONNECTION = new Set(["connection", "keep-alive", "proxy-connection", "expect", "upgrade"]);

/** Has calls answered by the server on a Unix socket, which learns from `X-Forwarded-For` who called. */
export function forwardTo(socketPath: string): (c: NodeContext) => Promise<Response> {
  return async ({ env: { incoming, outgoing }, ...c }) => {
    const told = [incoming.headers["x-forwarded-for"] ?? [], incoming.socket.remoteAddress ?? []].flat();
    const headers = { ...incoming.headers, "x-forwarded-for": told.join(", ") };
    const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name)));
    return await new Promise((resolve) => {
      const asked = request({ socketPath, method: incoming.method, path: incoming.url, headers: kept, agent: false });
      outgoing.once("close", () => asked.destroy());
      asked.once("error", () => {
        if (!outgoing.headersSent) resolve(c.json({ error: "Relay is on its way out, or starting" }, 503));
        else outgoing.destroy();
      });
      asked.once("response", (answer) => {
        const { connection: _connection, "keep-alive": _keepAlive, ...answered } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, answered);
        pipeline(answer, outgoing, () => {});
        resolve(RESPONSE_ALREADY_SENT);
      });
      incoming.pipe(asked);
    });
  };
}
