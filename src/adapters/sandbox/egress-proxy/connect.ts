import { once } from "node:events";
import type { Socket } from "node:net";
import type { ModelRoute } from "../sandbox.ts";
import { addressRules } from "./addresses.ts";
import { hostRules, plainHost } from "./match-host.ts";
import type { Network } from "./network.ts";
import type { Refusals } from "./refusals.ts";

export type Connection =
  | { kind: "connected"; socket: Socket }
  | { kind: "refused"; reason: string }
  | { kind: "unreachable"; reason: string };

/** Connects to a host on behalf of a program. */
export type Connect = (host: string, port: number) => Promise<Connection>;

/** What the programs of a sandbox may connect to. */
export interface Reach {
  hosts: readonly string[];
  privateNetwork: readonly string[];
  models: readonly Pick<ModelRoute, "url" | "variable">[];
}

const CONNECT_MS = 15_000;
const MOST_ADDRESSES = 4;

/**
 * Connects to allowed hosts at public addresses and at the private ones that are named. It uses the very addresses that
 * were checked, so that a name cannot resolve to something else a moment later (R-WORK-5). A model's server is reached
 * through Relay's own gateway only (R-WORK-13). Throws `RelayError` `config` for a malformed host or network.
 */
export function connector({ hosts, privateNetwork, models }: Reach, network: Network, refusals: Refusals): Connect {
  const { named, isOpen } = addressRules(privateNetwork);
  const isAllowed = hostRules([...hosts, ...named]);
  const gateways = new Map(models.map(({ url, variable }) => [plainHost(new URL(url).hostname), variable]));
  const unreachable = (reason: string): Connection => {
    refusals.addUnreached(reason);
    return { kind: "unreachable", reason };
  };
  return async (asked, port) => {
    const host = plainHost(asked);
    const name = nameAt(host, port);
    const gateway = gateways.get(host);
    if (gateway !== undefined) {
      const reason = `this run reaches its model by the address in ${gateway} only`;
      refusals.add({ host: name, reason, unlisted: false });
      return { kind: "refused", reason: `${name}: ${reason}` };
    }
    if (!isAllowed(host, port)) {
      refusals.add({ host: name, reason: "it is not in work.network", unlisted: true });
      return { kind: "refused", reason: `${name} is not among the hosts that this run may reach` };
    }
    const addresses = await network.addressesOf(host).catch(() => []);
    if (addresses.length === 0) return unreachable(`${host} has no address`);
    const open = addresses.filter((address) => isOpen(address, `${host}:${port}`)).slice(0, MOST_ADDRESSES);
    if (open.length === 0) {
      const reason = "it is an address of this machine or of its network; see work.private_network";
      refusals.add({ host: name, reason, unlisted: false });
      return { kind: "refused", reason: `${host} is an address of this machine or of its network` };
    }
    for (const address of open) {
      const socket = await connected(network.connect(address, port));
      if (socket !== null) return { kind: "connected", socket };
    }
    return unreachable(`${host} does not answer at port ${port}`);
  };
}

/** A host as the allowlist names it: with its port where that is an unusual one. */
export function nameAt(host: string, port: number): string {
  return port === 80 || port === 443 ? host : `${host}:${port}`;
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
