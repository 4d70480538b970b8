import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { RelayError } from "../../../lib/errors.ts";

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

/** Never opened: this host, link-local addresses and cloud metadata, multicast. */
const NEVER: readonly (readonly [string, number, "ipv4" | "ipv6"])[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["100.100.100.200", 32, "ipv4"],
  ["168.63.129.16", 32, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  ["::", 128, "ipv6"],
  ["::ffff:0:0", 96, "ipv6"],
  ["fd00:ec2::254", 128, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
];

// Two lists, since a single one takes any IPv4 address for one in ::ffff:0:0.
const never = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, bits, family] of NEVER) never[family].addSubnet(network, bits, family);

const NETWORK = /^([\d.]+|[\da-f:.]+)\/(\d{1,3})$/i;
const HOST_AND_PORT = /^[^/\s:*]+:\d{1,5}$/;

/** Which addresses a host may be reached at besides the public ones. */
export interface AddressRules {
  /** The hosts among the entries, `registry.example.org:4873`: naming one allows it. */
  named: readonly string[];
  /** Whether `at`, a host with its port, may be reached at an address. */
  isOpen: (address: string, at: string) => boolean;
}

/** What is wrong with an entry of `work.private_network`; null if it opens something. */
export function problemOfPrivate(entry: string): string | null {
  const [, network = "", digits = ""] = NETWORK.exec(entry) ?? [];
  const family = isIP(network);
  const bits = Number(digits);
  if (family !== 0 && bits > 0 && bits <= (family === 4 ? 32 : 128)) {
    const closed = NEVER.some(
      ([of, least, kind]) => kind === `ipv${family}` && bits >= least && subnet(of, least, kind).check(network, kind),
    );
    return closed ? `${entry} stays closed: this machine, link-local addresses, cloud metadata and multicast` : null;
  }
  const port = Number(/:(\d+)$/.exec(entry)?.[1] ?? 0);
  if (HOST_AND_PORT.test(entry) && port >= 1 && port <= 65_535) return null;
  return `${entry} opens nothing in work.private_network; write a host with its port, as in registry.example.org:4873, or a network, as in 10.20.0.0/16`;
}

function subnet(network: string, bits: number, family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  list.addSubnet(network, bits, family);
  return list;
}

/**
 * Private addresses that are opened on purpose: `registry.example.org:4873`, wherever that name leads, and
 * `10.20.0.0/16`, for all allowed hosts. Metadata, link-local and multicast addresses stay closed. Throws `RelayError`
 * `config` for anything else.
 */
export function addressRules(entries: readonly string[]): AddressRules {
  const open = new BlockList();
  const named = new Set<string>();
  for (const entry of entries) {
    const [, network = "", digits = ""] = NETWORK.exec(entry) ?? [];
    const family = isIP(network);
    const bits = Number(digits);
    if (family !== 0 && bits > 0 && bits <= (family === 4 ? 32 : 128)) {
      open.addSubnet(network, bits, family === 4 ? "ipv4" : "ipv6");
    } else if (HOST_AND_PORT.test(entry)) {
      named.add(entry.toLowerCase());
    } else {
      throw new RelayError("config", problemOfPrivate(entry) ?? `${entry} opens nothing in work.private_network`);
    }
  }
  const isOpen = (address: string, at: string): boolean => {
    if (isPublicAddress(address)) return true;
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    if (isIP(address) === 0 || never[family].check(address, family)) return false;
    return named.has(at) || open.check(address, family);
  };
  return { named: [...named], isOpen };
}
