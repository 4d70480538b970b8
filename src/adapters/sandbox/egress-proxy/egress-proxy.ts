import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer, request } from "node:http";
import type { Duplex } from "node:stream";
import { randomBytes } from "node:crypto";
import type { SandboxSpec } from "../sandbox.ts";
import { type Connect, connector, nameAt } from "./connect.ts";
import { plainHost } from "./match-host.ts";
import { modelPath, passToModel } from "./model-path.ts";
import type { Network } from "./network.ts";
import { answerText, forward } from "./forward.ts";
import { requestHeaders } from "./headers.ts";
import { type RefusedHost, Refusals, shownHost } from "./refusals.ts";
import { openTunnel } from "./tunnel.ts";

/** The only way from a sandbox to the network: to allowed hosts, and to model servers, whose keys stay out of reach. */
export interface EgressProxy {
  /** Variables with which programs use it at `origin`. */
  environment(origin: string): Record<string, string>;
  /** Hosts that were refused to programs, with reasons. */
  refusedHosts(): readonly RefusedHost[];
  /** Attempts at allowed hosts that could not be reached, in words. */
  unreachedHosts(): readonly string[];
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 256;
const NOT_BY_PROXY = "localhost,127.0.0.1,::1";

/** Whether programs of the sandbox may reach anything. */
export function needsEgress(spec: SandboxSpec): boolean {
  return [spec.hosts, spec.privateNetwork, spec.models].some((ways) => ways.length > 0);
}

/**
 * Listens, on a socket or a port, for the programs of a sandbox (R-WORK-5). Throws `RelayError` `config` for a
 * malformed host.
 */
export async function openEgressProxy(
  spec: SandboxSpec,
  at: { path: string } | { port: 0 },
  network: Network,
): Promise<EgressProxy & { port: number }> {
  const refusals = new Refusals();
  const connectTo = connector(spec, network, refusals);
  const token = randomBytes(16).toString("hex");
  const tunnels = new Set<Duplex>();
  const held = { bytes: 0 };
  const server = createServer((incoming, response) => {
    incoming.on("error", () => response.destroy());
    // A bare path addresses a model; a full URL addresses a host.
    const passed =
      incoming.url?.startsWith("/") === true
        ? passToModel(incoming, response, { routes: spec.models, token, held })
        : passToHost(incoming, response, { connectTo, refusals });
    void passed.catch(() => response.destroy());
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.requestTimeout = 0;
  server.on("connect", (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    tunnels.add(client);
    client.on("close", () => tunnels.delete(client));
    client.on("error", () => client.destroy());
    void openTunnel(incoming, client, { head, connectTo, refusals }).catch(() => client.destroy());
  });
  server.listen("path" in at ? { path: at.path, writableAll: true } : { port: at.port, host: "127.0.0.1" });
  await once(server, "listening");
  // An error of one connection does not concern the others.
  server.on("error", () => {});
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    environment: (origin) => ({
      ...(spec.hosts.length + spec.privateNetwork.length === 0 ? {} : proxyVariables(origin)),
      ...Object.fromEntries(spec.models.map(({ variable }, index) => [variable, origin + modelPath(token, index)])),
    }),
    refusedHosts: () => refusals.list(),
    unreachedHosts: () => refusals.unreached(),
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      for (const each of tunnels) each.destroy();
      await closed;
    },
  };
}

/** The variables of a proxy, for all the conventions of programs. */
function proxyVariables(origin: string): Record<string, string> {
  const named = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "http_proxy",
    "https_proxy",
    "npm_config_proxy",
    "npm_config_https_proxy",
  ];
  return {
    ...Object.fromEntries(named.map((name) => [name, origin])),
    NO_PROXY: NOT_BY_PROXY,
    no_proxy: NOT_BY_PROXY,
    npm_config_noproxy: NOT_BY_PROXY,
    // Node's own requests use the proxy only with this.
    NODE_USE_ENV_PROXY: "1",
  };
}

/** Forwards a request for `http://HOST/…` to an allowed host, if its `host` header says the same (R-WORK-13). */
async function passToHost(
  incoming: IncomingMessage,
  response: ServerResponse,
  { connectTo, refusals }: { connectTo: Connect; refusals: Refusals },
): Promise<void> {
  const address = URL.parse(incoming.url ?? "");
  if (address === null || address.protocol !== "http:") {
    answerText(response, 400, "ask for http:// addresses, and for others by CONNECT");
    return;
  }
  const connection = await connectTo(address.hostname, Number(address.port || 80));
  if (connection.kind !== "connected") {
    answerText(response, connection.kind === "refused" ? 403 : 502, connection.reason);
    return;
  }
  const other = otherHost(incoming, address);
  if (other !== null) {
    connection.socket.destroy();
    const reason = `a request for ${address.origin} named ${other} in its host header`;
    refusals.add({ host: other, reason, unlisted: true });
    answerText(response, 403, reason);
    return;
  }
  const { headers, hasBody } = requestHeaders(incoming.headers);
  const onward = request({
    createConnection: () => connection.socket,
    method: incoming.method,
    path: address.pathname + address.search,
    headers: { ...headers, host: address.host },
  });
  forward(response, { onward, body: hasBody ? incoming : null, host: address.host });
}

/** The host in a request's `host` header, if it differs from the host of its address; null otherwise. */
function otherHost({ rawHeaders }: IncomingMessage, address: URL): string | null {
  const given = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "host");
  const port = Number(address.port || 80);
  const wanted = plainHost(address.hostname);
  const same = given.length === 1 && [`${wanted}:${port}`, nameAt(wanted, port)].includes(plainAt(given[0] ?? ""));
  return same ? null : shownHost(given.join(",") || "no host");
}

/** `HOST:PORT` or `HOST` in the form of the rules. */
function plainAt(given: string): string {
  const [, host = given, port = ""] = /^(.*?)(:\d+)?$/.exec(given.trim()) ?? [];
  return plainHost(host) + port;
}
