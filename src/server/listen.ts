import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { RelayError, messageOf, systemCode } from "../lib/errors.ts";
import { boundConnections } from "./connections.ts";
import type { WebLimits } from "./limits.ts";
import type { Web } from "./intake/routes.ts";

export interface Listening {
  /** `http://HOST:PORT`, with the actual port for 0; or the path of the socket. */
  address: string;
  /** Stops accepting connections; resolves when requests in progress are answered, after `graceMs` at the latest. */
  stop: (graceMs: number) => Promise<void>;
}

const SWEEP_MS = 50;

/** Default headers of every response. No HSTS: Relay does not know whether TLS is in front of it. */
const HEADERS = new Headers({
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
});

interface ListenOptions {
  /** A Unix socket's path, for other threads of this process. */
  at: { host: string; port: number } | { path: string };
  limits: WebLimits;
  /** Number of proxies in front, which say in `X-Forwarded-For` who calls; none by default. */
  trustedProxies?: number;
}

/** Starts listening. Throws `config` with the remedy if the address is unavailable. */
export async function listen(
  web: Pick<Web, "fetch">,
  { at, limits, trustedProxies = 0 }: ListenOptions,
): Promise<Listening> {
  let stopping = false;
  const answer = getRequestListener(web.fetch);
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
      keepAliveTimeout: 15_000,
    },
    (incoming, outgoing) => {
      connections.begin(incoming, outgoing);
      outgoing.setHeaders(HEADERS);
      if (stopping) outgoing.setHeader("connection", "close");
      if (hasOneHost(incoming)) void answer(incoming, outgoing);
      else refuse(outgoing, "a request names one Host");
    },
  );
  const connections = boundConnections(server, limits, trustedProxies);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(refusal(cause, at)));
    server.listen(at, resolve);
  });
  // An error of one connection ends with it.
  server.on("error", () => {});
  return {
    address: addressOf(server.address(), at),
    stop: async (graceMs) => {
      stopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection in use becomes idle only after its response.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
      const force = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(force);
    },
  };
}

/** Two `Host` headers are refused: a proxy may have judged the request by the other one. */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length === 1;
}

function refuse(outgoing: ServerResponse, error: string): void {
  outgoing.writeHead(400, { "content-type": "application/json", connection: "close" });
  outgoing.end(JSON.stringify({ error }));
}

function addressOf(bound: AddressInfo | string | null, at: ListenOptions["at"]): string {
  if ("path" in at) return at.path;
  const { host } = at;
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function refusal(cause: Error, at: ListenOptions["at"]): RelayError {
  const place = "path" in at ? at.path : `${at.host}:${at.port}`;
  const host = "path" in at ? at.path : at.host;
  switch (systemCode(cause)) {
    case "EADDRINUSE":
      return new RelayError("config", `${place} is in use by another program; give another one with --port`, { cause });
    case "EACCES":
      return new RelayError("config", `this account may not listen on ${place}; give a port above 1023 with --port`, {
        cause,
      });
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new RelayError(
        "config",
        `${host} is no address of this machine; give one with --host, or 0.0.0.0 for all`,
        { cause },
      );
    default:
      return new RelayError("io", `cannot listen on ${place}: ${messageOf(cause)}`, { cause });
  }
}
