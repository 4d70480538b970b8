import { removeSecrets } from "../../domain/text/secrets.ts";
import type { AgentEntry } from "./agent.ts";
import type { Heard } from "./preset.ts";

export const SUMMARY_LIMIT = 4_000;
const ENTRY_LIMIT = 4_000;
const DENIED_LIMIT = 50;
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD/i;
const SHORTEST_SECRET = 6;

export function nothingHeard(): Heard {
  return { summary: "", denied: [], usd: null, tokens: null, limit: null, error: null };
}

/** Notes what it was refused; many times the same is once. */
export function addDenied(heard: Heard, what: string): void {
  const line = oneLine(what, 300);
  if (heard.denied.length < DENIED_LIMIT && !heard.denied.includes(line)) heard.denied.push(line);
}

/** Adds to a count that may not be known yet; what is no count changes nothing. */
export function plus(known: number | null, more: number | undefined): number | null {
  return more === undefined || !Number.isFinite(more) || more < 0 ? known : (known ?? 0) + more;
}

export function oneLine(text: string, limit: number): string {
  return text
    .slice(0, limit * 4)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, limit);
}

/** Takes out the values of the variables that hold secrets, and whatever looks like one. */
export function cleaner(environment: Readonly<Record<string, string>>): (text: string) => string {
  const secrets = Object.entries(environment)
    .filter(([name, value]) => SECRET_NAME.test(name) && value.length >= SHORTEST_SECRET)
    .map(([, value]) => value);
  return (text) => {
    const known = secrets.reduce((left, secret) => left.replaceAll(secret, "[secret removed]"), text);
    return removeSecrets(known).text;
  };
}

/** One entry of the log, of a length that can be kept; null where there is nothing to read in it. */
export function entryOf(kind: AgentEntry["kind"], text: string, clean: (text: string) => string): AgentEntry | null {
  const cut = text.length > ENTRY_LIMIT * 2 ? text.slice(0, ENTRY_LIMIT * 2) : text;
  const said = clean(cut).trim();
  if (said === "") return null;
  return { kind, text: said.length > ENTRY_LIMIT ? `${said.slice(0, ENTRY_LIMIT)} …` : said };
}
