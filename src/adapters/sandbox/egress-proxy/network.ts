import { lookup } from "node:dns/promises";
import { connect, type Socket } from "node:net";

/** The network of the host. */
export interface Network {
  /** All addresses of a host; rejects if it has none. */
  addressesOf(host: string): Promise<readonly string[]>;
  connect(address: string, port: number): Socket;
}

export const hostNetwork: Network = {
  addressesOf: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  connect: (address, port) => connect({ host: address, port }),
};
