import type { Trouble } from "../../domain/outage.ts";
import type { CheckResult } from "../../domain/work.ts";
import type { NetworkSeen } from "./context.ts";

/** How package managers, git and their libraries report that a server or the network failed. */
const FAILED_NETWORK = [
  /\b(?:ECONNRESET|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|UND_ERR_\w+)\b/,
  /could not resolve (?:host|proxy)|(?:failure in )?name resolution|no such host|failed to (?:lookup|resolve)|network is unreachable/i,
  /connection (?:was )?(?:reset|refused|timed out|aborted|broken)|connect(?:ion)? timeout|read(?: operation)? timed out|i\/o timeout|tls handshake timeout|socket hang up|max retries exceeded|spurious network error/i,
  /\b(?:429 too many requests|500 internal server error|502 bad gateway|503 service (?:temporarily )?unavailable|504 gateway time-?out)\b/i,
  /\b(?:http(?:\/[\d.]+)?|status(?: code)?|error|returned(?: error)?|E)\b:? ?(?:429|50[0234])\b/i,
];

/**
 * The network outage behind a failed set-up command; null if there is none. A host that is refused stays refused, so
 * waiting would not help (R-WORK-15). `before`: how many failed attempts at hosts there were before the command.
 */
export function networkTrouble(
  { command, output }: Pick<CheckResult, "command" | "output">,
  { isOpen, wasRefused, unreached }: NetworkSeen,
  before: number,
): Trouble | null {
  if (!isOpen || wasRefused()) return null;
  const missed = unreached().slice(before).at(-1);
  if (missed !== undefined) return { of: "network", why: `${command} failed: ${missed}`, retryAfterMs: null };
  if (!FAILED_NETWORK.some((pattern) => pattern.test(output))) return null;
  return { of: "network", why: `${command} met a failure of the network`, retryAfterMs: null };
}
