import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";

/**
 * The address that a call came from, as far as it can be trusted: that of the connection, or what the outermost of the
 * trusted proxies wrote down. For IPv6 it is the network, since one household has many addresses.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number): string {
  const told = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const forwarded = trustedProxies > 0 ? told.at(-Math.min(trustedProxies, told.length)) : undefined;
  return networkOf(forwarded ?? socket.remoteAddress);
}

/** An IPv4 address, or the network of an IPv6 address; what is neither is cut short. */
export function networkOf(address: string | undefined): string {
  const plain = (address ?? "")
    .slice(0, 64)
    .toLowerCase()
    .replace(/^::ffff:(?=\d+\.)/, "");
  if (!isIPv6(plain) || plain === "::1") return plain;
  const [head = "", tail] = plain.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  return [...left, ...zeros, ...right].slice(0, 4).join(":");
}
