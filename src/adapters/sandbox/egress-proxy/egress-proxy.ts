import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { randomBytes } from "node:crypto";
import type { Place } from "../sandbox.ts";
import { dialer } from "./dial.ts";
import { hostRules } from "./hosts.ts";
import { passToHost, tunnel } from "./hosts-passage.ts";
import { modelPath, passToModel } from "./models.ts";
import type { Outside } from "./network.ts";
import { Refusals } from "./refusals.ts";

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
