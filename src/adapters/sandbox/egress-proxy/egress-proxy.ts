import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request } from "node:http";
import type { Duplex } from "node:stream";
import { randomBytes } from "node:crypto";
import type { Place } from "../sandbox.ts";
import type { MayReach } from "./hosts.ts";
import { hostRules, plainHost } from "./hosts.ts";
import { modelPath, passToModel } from "./models.ts";
import type { Outside } from "./network.ts";
import { answerText, forward } from "./forward.ts";
import { requestHeaders } from "./headers.ts";
import type { Socket } from "node:net";
import { isPublicAddress } from "./addresses.ts";

/** The only way from a place to the network: to allowed hosts, and to model servers with a key that stays outside. */
export interface Door {
  /** What programs have to know to use it, where they find it at `origin`. */
  environment(origin: string): Record<string, string>;
  refusedHosts(): readonly string[];
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 256;
const NOT_BY_PROXY = "localhost,127.0.0.1,::1";

/** Whether a place leads anywhere. */
export function hasDoor(place: Place): boolean {
  return place.hosts.length > 0 || place.models.length > 0;
}

/**
 * Listens, on a socket or on a port, for the programs of a place (R-WORK-5). Throws `RelayError` `config` for a host
 * that cannot be read.
 */
export async function openDoor(
  place: Place,
  at: { path: string } | { port: 0 },
  outside: Outside,
): Promise<Door & { port: number }> {
  const refusals = new Refusals();
  const dial = dialer(hostRules(place.hosts), outside, refusals);
  const token = randomBytes(16).toString("hex");
  const tunnels = new Set<Duplex>();
  const server = createServer((incoming, response) => {
    incoming.on("error", () => response.destroy());
    // A path of its own is a model's; a full address is some host's.
    if (incoming.url?.startsWith("/") === true) passToModel(incoming, response, { routes: place.models, token });
    else void passToHost(incoming, response, dial).catch(() => response.destroy());
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.requestTimeout = 0;
  server.on("connect", (incoming: IncomingMessage, inside: Duplex, head: Buffer) => {
    tunnels.add(inside);
    inside.on("close", () => tunnels.delete(inside));
    inside.on("error", () => inside.destroy());
    void tunnel(incoming, inside, head, dial).catch(() => inside.destroy());
  });
  server.listen("path" in at ? { path: at.path, writableAll: true } : { port: at.port, host: "127.0.0.1" });
  await once(server, "listening");
  // What goes wrong with one connection is over with it.
  server.on("error", () => {});
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    environment: (origin) => ({
      ...(place.hosts.length === 0 ? {} : proxyVariables(origin)),
      ...Object.fromEntries(place.models.map(({ variable }, index) => [variable, origin + modelPath(token, index)])),
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

/** What programs read to learn of a proxy: each of them something else. */
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
    // Node's own requests heed the proxy only where they are told to.
    NODE_USE_ENV_PROXY: "1",
  };
}

const IDLE_MS = 10 * 60_000;

/** Passes a request for `http://HOST/…` on to an allowed host. */
async function passToHost(incoming: IncomingMessage, response: ServerResponse, dial: Dial): Promise<void> {
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
async function tunnel(incoming: IncomingMessage, inside: Duplex, head: Buffer, dial: Dial): Promise<Duplex | null> {
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

type Dialled =
  | { kind: "connected"; socket: Socket }
  | { kind: "refused"; reason: string }
  | { kind: "unreachable"; reason: string };

/** Connects to a host that a program has asked for. */
type Dial = (host: string, port: number) => Promise<Dialled>;

const CONNECT_MS = 15_000;
const MOST_ADDRESSES = 4;

/**
 * Connects where the rules allow the host, and only to public addresses: the very ones that were looked at, so that a
 * name cannot mean something else a moment later (R-WORK-5).
 */
function dialer(mayReach: MayReach, outside: Outside, refusals: Refusals): Dial {
  return async (asked, port) => {
    const host = plainHost(asked);
    const name = port === 80 || port === 443 ? host : `${host}:${port}`;
    if (!mayReach(host, port)) {
      refusals.add(name);
      return { kind: "refused", reason: `${name} is not among the hosts that this run may reach` };
    }
    const addresses = await outside.addressesOf(host).catch(() => []);
    if (addresses.length === 0) return { kind: "unreachable", reason: `${host} has no address` };
    const open = addresses.filter(isPublicAddress).slice(0, MOST_ADDRESSES);
    if (open.length === 0) {
      refusals.add(name);
      return { kind: "refused", reason: `${host} is an address of this machine or of its network` };
    }
    for (const address of open) {
      const socket = await connected(outside.connect(address, port));
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

/** Hosts that were refused, each once, in the order of the first refusal; bounded, since a program can ask for anything. */
class Refusals {
  readonly #hosts = new Set<string>();

  add(host: string): void {
    // Nothing but what names are made of: people read it.
    if (this.#hosts.size < MOST) this.#hosts.add(host.slice(0, LONGEST).replaceAll(/[^\w.:*[\]-]/g, "?"));
  }

  list(): readonly string[] {
    return [...this.#hosts];
  }
}
