import { once } from "node:events";
import type { Socket } from "node:net";
import { isPublicAddress } from "./addresses.ts";
import { plainHost } from "./hosts.ts";
import type { MayReach } from "./hosts.ts";
import type { Outside } from "./network.ts";
import type { Refusals } from "./refusals.ts";

export type Dialled =
  | { kind: "connected"; socket: Socket }
  | { kind: "refused"; reason: string }
  | { kind: "unreachable"; reason: string };

/** Connects to a host that a program has asked for. */
export type Dial = (host: string, port: number) => Promise<Dialled>;

const CONNECT_MS = 15_000;
const MOST_ADDRESSES = 4;

/**
 * Connects where the rules allow the host, and only to public addresses: the very ones that were looked at, so that a
 * name cannot mean something else a moment later (R-WORK-5).
 */
export function dialer(mayReach: MayReach, outside: Outside, refusals: Refusals): Dial {
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
