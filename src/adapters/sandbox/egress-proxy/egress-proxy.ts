import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer, request } from "node:http";
import type { Duplex } from "node:stream";
import { randomBytes } from "node:crypto";
import type { SandboxSpec } from "../sandbox.ts";
import { type IsAllowed, hostRules, plainHost } from "./match-host.ts";
import { modelPath, passToModel } from "./model-path.ts";
import type { Network } from "./network.ts";
import { answerText, forward } from "./forward.ts";
import { requestHeaders } from "./headers.ts";
import type { Socket } from "node:net";
import { isPublicAddress } from "./addresses.ts";

/** The only way from a sandbox to the network: to allowed hosts, and to model servers, whose keys stay out of reach. */
export interface EgressProxy {
  /** Variables with which programs use it at `origin`. */
  environment(origin: string): Record<string, string>;
  refusedHosts(): readonly string[];
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 256;
const NOT_BY_PROXY = "localhost,127.0.0.1,::1";

/** Whether programs of the sandbox may reach anything. */
export function needsEgress(spec: SandboxSpec): boolean {
  return spec.hosts.length > 0 || spec.models.length > 0;
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
  const connectTo = connector(hostRules(spec.hosts), network, refusals);
  const token = randomBytes(16).toString("hex");
  const tunnels = new Set<Duplex>();
  const server = createServer((incoming, response) => {
    incoming.on("error", () => response.destroy());
    // A bare path addresses a model; a full URL addresses a host.
    if (incoming.url?.startsWith("/") === true) passToModel(incoming, response, { routes: spec.models, token });
    else void passToHost(incoming, response, connectTo).catch(() => response.destroy());
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.requestTimeout = 0;
  server.on("connect", (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    tunnels.add(client);
    client.on("close", () => tunnels.delete(client));
    client.on("error", () => client.destroy());
    void tunnel(incoming, client, head, connectTo).catch(() => client.destroy());
  });
  server.listen("path" in at ? { path: at.path, writableAll: true } : { port: at.port, host: "127.0.0.1" });
  await once(server, "listening");
  // An error of one connection does not concern the others.
  server.on("error", () => {});
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    environment: (origin) => ({
      ...(spec.hosts.length === 0 ? {} : proxyVariables(origin)),
      ...Object.fromEntries(spec.models.map(({ variable }, index) => [variable, origin + modelPath(token, index)])),
    }),
    refusedHosts: () => refusals.list(),
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

const IDLE_MS = 10 * 60_000;

/** Forwards a request for `http://HOST/…` to an allowed host. */
async function passToHost(incoming: IncomingMessage, response: ServerResponse, connectTo: Connect): Promise<void> {
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
  const { headers, hasBody } = requestHeaders(incoming.headers);
  const onward = request({
    createConnection: () => connection.socket,
    method: incoming.method,
    path: address.pathname + address.search,
    headers: { ...headers, host: address.host },
  });
  forward(incoming, response, { onward, hasBody, host: address.host });
}

/** Opens a tunnel to an allowed host, for TLS. Returns the far end, or null if the host is unreachable. */
async function tunnel(
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
  connectTo: Connect,
): Promise<Duplex | null> {
  const [, host = "", port = ""] = /^([^:[\]/@\s]+|\[[\da-f:.]+\]):(\d{1,5})$/i.exec(incoming.url ?? "") ?? [];
  const connection = await connectTo(host, Number(port));
  if (client.destroyed) {
    if (connection.kind === "connected") connection.socket.destroy();
    return null;
  }
  if (connection.kind !== "connected") {
    const status = connection.kind === "refused" ? "403 Forbidden" : "502 Bad Gateway";
    client.end(
      `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nrelay: ${connection.reason}\n`,
    );
    return null;
  }
  const far = connection.socket;
  far.setTimeout(IDLE_MS, () => far.destroy());
  far.on("error", () => client.destroy());
  far.on("close", () => client.destroy());
  client.on("close", () => far.destroy());
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  far.write(head);
  client.pipe(far).pipe(client);
  return far;
}

type Connection =
  | { kind: "connected"; socket: Socket }
  | { kind: "refused"; reason: string }
  | { kind: "unreachable"; reason: string };

/** Connects to a host on behalf of a program. */
type Connect = (host: string, port: number) => Promise<Connection>;

const CONNECT_MS = 15_000;
const MOST_ADDRESSES = 4;

/**
 * Connects to allowed hosts at public addresses only: to the very addresses that were checked, so that a name cannot
 * resolve to something else a moment later (R-WORK-5).
 */
function connector(isAllowed: IsAllowed, network: Network, refusals: Refusals): Connect {
  return async (asked, port) => {
    const host = plainHost(asked);
    const name = port === 80 || port === 443 ? host : `${host}:${port}`;
    if (!isAllowed(host, port)) {
      refusals.add(name);
      return { kind: "refused", reason: `${name} is not among the hosts that this run may reach` };
    }
    const addresses = await network.addressesOf(host).catch(() => []);
    if (addresses.length === 0) return { kind: "unreachable", reason: `${host} has no address` };
    const open = addresses.filter(isPublicAddress).slice(0, MOST_ADDRESSES);
    if (open.length === 0) {
      refusals.add(name);
      return { kind: "refused", reason: `${host} is an address of this machine or of its network` };
    }
    for (const address of open) {
      const socket = await connected(network.connect(address, port));
      if (socket !== null) return { kind: "connected", socket };
    }
    return { kind: "unreachable", reason: `${host} does not answer at port ${port}` };
  };
}

async function connected(socket: Socket): Promise<Socket | null> {
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(CONNECT_MS) });
    return socket;
  } catch {
    socket.destroy();
    return null;
  }
}

const MOST = 200;
const LONGEST = 255;

/** Blocked hosts, each once, in the order of the first refusal; bounded, since a program can request anything. */
class Refusals {
  readonly #hosts = new Set<string>();

  add(host: string): void {
    // Only characters of host names, since people read the list.
    if (this.#hosts.size < MOST) this.#hosts.add(host.slice(0, LONGEST).replaceAll(/[^\w.:*[\]-]/g, "?"));
  }

  list(): readonly string[] {
    return [...this.#hosts];
  }
}
