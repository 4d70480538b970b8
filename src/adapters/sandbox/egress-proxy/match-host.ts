import { isIP } from "node:net";
import { RelayError } from "../../../lib/errors.ts";

interface HostRule {
  /** The name without a star: `example.org`. Means all hosts below it if `below` is set. */
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

/** What is wrong with an entry of the allowlist; null if it allows something. */
export function problemOfHost(entry: string): string | null {
  const [, , name = "", port = "443"] = RULE.exec(entry.toLowerCase()) ?? [];
  if (WORDS.has(entry.toLowerCase())) {
    return `“${entry}” allows nothing: no word stands for all hosts or none; name them, as in registry.npmjs.org, or leave the list empty`;
  }
  if (name !== "" && isIP(name) === 0 && Number(port) >= 1 && Number(port) <= 65_535) return null;
  return `${entry} is no host that a run can be allowed to reach; write a name, as in registry.npmjs.org, *.example.org or example.org:8443`;
}

/** Words that people write when they mean no host, or every one. */
const WORDS = new Set(
  "all allow any auto default deny disabled enabled false full no none off on open true yes".split(" "),
);

function readRule(entry: string): HostRule {
  const problem = problemOfHost(entry);
  if (problem !== null) throw new RelayError("config", problem);
  const [, star, name = "", port] = RULE.exec(entry.toLowerCase()) ?? [];
  return { name, below: star !== undefined, ports: port === undefined ? USUAL_PORTS : [Number(port)] };
}

/** A name in the form of the rules: lower case, without the final dot of a full name. */
export function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}
