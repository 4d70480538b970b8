import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Networks that are not public: this machine, the local network, cloud metadata, multicast. */
const CLOSED_IPV4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
  // Cloud metadata at an address in public space.
  ["168.63.129.16", 32],
];

/** All public IPv6 addresses are within this network … */
const OPEN_IPV6 = ["2000::", 3] as const;
/** … except these: documentation, tunnels that carry an IPv4 address, and tests. */
const CLOSED_IPV6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const closed4 = new BlockList();
for (const [network, bits] of CLOSED_IPV4) closed4.addSubnet(network, bits, "ipv4");
const open6 = new BlockList();
open6.addSubnet(...OPEN_IPV6, "ipv6");
const closed6 = new BlockList();
for (const [network, bits] of CLOSED_IPV6) closed6.addSubnet(network, bits, "ipv6");

/** Whether an address is public, and not a way back into this machine or its network (R-WORK-5). */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closed4.check(address, "ipv4");
  if (!isIPv6(address)) return false;
  return open6.check(address, "ipv6") && !closed6.check(address, "ipv6");
}
