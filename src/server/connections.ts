import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { clientAddress, networkOf } from "./client-address.ts";
import type { WebLimits } from "./limits.ts";
import { isLoopback } from "./loopback.ts";

interface Connection {
  socket: Socket;
  address: string;
  /** When Relay began to wait for its request, or for the rest of it; monotonic milliseconds. */
  since: number;
  /** The request that is being read or answered. */
  incoming: IncomingMessage | null;
  /** Whether an earlier request of it was answered without an error. */
  isKnown: boolean;
}

/**
 * Keeps a server open to new connections (R-SAFE-9). If there is no room for another one, in total or for its address,
 * it closes a connection that keeps Relay waiting for headers, for the rest of a body or for the next request: first
 * one that never got a good answer, then one of the address with the most connections, then the one that has kept it
 * waiting longest. It never closes a connection that waits for Relay.
 *
 * The address is the one that the trusted proxies report, and the connection's own until they do. Connections of this
 * machine, which have no address on a Unix socket, have no limit of their own: a proxy here makes them for everybody.
 */
export function boundConnections(
  server: Server,
  { connections: most, addressConnections }: Pick<WebLimits, "connections" | "addressConnections">,
  trustedProxies: number,
): { begin: (incoming: IncomingMessage, outgoing: ServerResponse) => void } {
  const all = new Map<Socket, Connection>();
  const byAddress = new Map<string, Set<Connection>>();

  const move = (one: Connection, address: string) => {
    leave(one);
    one.address = address;
    const there = byAddress.get(address) ?? new Set();
    byAddress.set(address, there.add(one));
    const isProxy = address === "" || isLoopback(address) || (trustedProxies > 0 && one.incoming === null);
    if (!isProxy && there.size > addressConnections) close(mostIdle(there) ?? one);
  };
  const leave = (one: Connection) => {
    const there = byAddress.get(one.address);
    if (there?.delete(one) === true && there.size === 0) byAddress.delete(one.address);
  };
  const close = (one: Connection) => {
    forget(one);
    one.socket.destroy();
  };
  const forget = (one: Connection) => {
    all.delete(one.socket);
    leave(one);
  };
  const mostIdle = (among: Iterable<Connection>): Connection | null => {
    let found: Connection | null = null;
    for (const one of among) {
      if (isWaitedFor(one) && (found === null || isBefore(one, found))) found = one;
    }
    return found;
  };
  const isBefore = (one: Connection, other: Connection): boolean => {
    if (one.isKnown !== other.isKnown) return other.isKnown;
    const [crowd, otherCrowd] = [byAddress.get(one.address)?.size ?? 0, byAddress.get(other.address)?.size ?? 0];
    return crowd === otherCrowd ? one.since < other.since : crowd > otherCrowd;
  };

  server.on("connection", (socket: Socket) => {
    const address = networkOf(socket.remoteAddress);
    const one = { socket, address, since: performance.now(), incoming: null, isKnown: false };
    all.set(socket, one);
    socket.once("close", () => forget(one));
    move(one, address);
    if (all.size > most) close(mostIdle(all.values()) ?? one);
  });
  return {
    begin: (incoming, outgoing) => {
      const one = all.get(incoming.socket);
      if (one === undefined) return;
      one.incoming = incoming;
      one.since = performance.now();
      if (trustedProxies > 0) move(one, clientAddress(incoming, trustedProxies));
      outgoing.once("close", () => {
        if (one.incoming !== incoming || !all.has(one.socket)) return;
        one.incoming = null;
        one.since = performance.now();
        one.isKnown ||= outgoing.statusCode < 400;
        if (trustedProxies > 0) move(one, networkOf(one.socket.remoteAddress));
      });
    },
  };
}

function isWaitedFor({ incoming }: Connection): boolean {
  return incoming === null || !incoming.complete;
}
