import { isIP } from "node:net";
import { RelayError } from "../../../lib/errors.ts";

interface HostRule {
  /** Without a star: `example.org`; means all hosts below it where `below` is set. */
  name: string;
  below: boolean;
  ports: readonly number[];
}

const USUAL_PORTS: readonly number[] = [80, 443];
const RULE = /^(\*\.)?([a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::(\d{1,5}))?$/;

/** Whether the allowlist has a host at a port. */
export type IsAllowed = (host: string, port: number) => boolean;

/**
 * An allowlist of names such as `registry.npmjs.org`, `*.example.org` (all below it, not itself) and `host:8443`; the
 * default ports are 80 and 443. Throws `RelayError` `config` for anything else: IP addresses are not allowed.
 */
export function hostRules(entries: readonly string[]): IsAllowed {
  const rules = entries.map(readRule);
  return (host, port) =>
    isIP(host) === 0 &&
    rules.some(
      (rule) => rule.ports.includes(port) && (rule.below ? host.endsWith(`.${rule.name}`) : host === rule.name),
    );
}

function readRule(entry: string): HostRule {
  const [, star, name = "", port] = RULE.exec(entry.toLowerCase()) ?? [];
  if (name === "" || isIP(name) !== 0) {
    throw new RelayError(
      "config",
      `${entry} is no host that a run can be allowed to reach; write a name, as in registry.npmjs.org, *.example.org or example.org:8443`,
    );
  }
  return { name, below: star !== undefined, ports: port === undefined ? USUAL_PORTS : [Number(port)] };
}

/** A name in the form of the rules: lower case, without the final dot of a full name. */
export function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}
