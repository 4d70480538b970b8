import { isIPv6 } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

/**
 * The address that a call came from, as far as it can be trusted: that of the connection, or what the outermost of the
 * trusted proxies wrote down. Of an IPv6 address its network, since one household has many addresses.
 */
export function clientAddress<E extends { Bindings: HttpBindings }>(c: Context<E>, trustedProxies: number): string {
  const told = (c.req.header("x-forwarded-for") ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const forwarded = trustedProxies > 0 ? told.at(-Math.min(trustedProxies, told.length)) : undefined;
  return networkOf((forwarded ?? c.env.incoming.socket.remoteAddress ?? "").slice(0, 64).toLowerCase());
}

function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  if (!isIPv6(plain)) return plain;
  const [head = "", tail] = plain.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  return [...left, ...zeros, ...right].slice(0, 4).join(":");
}
