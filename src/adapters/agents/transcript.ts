import { removeSecrets, secretVariables } from "../../domain/text/secrets/remove-secrets.ts";
import { cut, oneLine } from "../../lib/text.ts";
import type { AgentTokens } from "../../domain/work.ts";
import type { AgentEnding, AgentEntry, AgentReport, AgentRequest } from "./agent.ts";

/** The reports of an agent so far. */
export interface Transcript {
  /** Its last words. */
  summary: string;
  denied: string[];
  usd: number | null;
  tokens: AgentTokens | null;
  /** Its own limit that it reached. */
  limit: string | null;
  /** The error that it ended with. */
  error: string | null;
}

/** Adds an entry to the live log of the run. */
export type Emit = (kind: AgentEntry["kind"], text: string) => void;

export const SUMMARY_LIMIT = 4_000;
export const DETAIL_LIMIT = 600;
const ENTRY_LIMIT = 4_000;
const DENIED_LIMIT = 50;

/** A transcript for one run, the log of its entries, and the redaction of secrets in both. */
export function openTranscript({ environment, onEntry }: AgentRequest) {
  const clean = cleaner(environment);
  const emit: Emit = (kind, text) => {
    const entry = entryOf(kind, text, clean);
    if (entry !== null) onEntry(entry);
  };
  return { transcript: emptyTranscript(), emit, clean };
}

export function reportOf(ending: AgentEnding, transcript: Transcript, clean: (text: string) => string): AgentReport {
  const { summary, denied, usd, tokens } = transcript;
  return {
    ending: "detail" in ending ? { ...ending, detail: clean(ending.detail) } : ending,
    summary: clean(summary.slice(-SUMMARY_LIMIT)).trim().slice(0, SUMMARY_LIMIT),
    denied: denied.map((line) => clean(line)),
    usd,
    tokens,
  };
}

export function emptyTranscript(): Transcript {
  return { summary: "", denied: [], usd: null, tokens: null, limit: null, error: null };
}

/** Notes a denied action, each once. */
export function addDenied(transcript: Transcript, what: string): void {
  const line = shortLine(what, 300);
  if (transcript.denied.length < DENIED_LIMIT && !transcript.denied.includes(line)) transcript.denied.push(line);
}

/** Adds to a number that may be unknown so far; ignores invalid counts. */
export function plus(known: number | null, more: number | undefined): number | null {
  return more === undefined || !Number.isFinite(more) || more < 0 ? known : (known ?? 0) + more;
}

/** The beginning of a text on one line. */
export function shortLine(text: string, limit: number): string {
  return cut(oneLine(text.slice(0, limit * 4)), limit, "");
}

/** Removes the values of variables that hold secrets, and anything that looks like a secret. */
function cleaner(environment: Readonly<Record<string, string>>): (text: string) => string {
  const known = secretVariables(environment);
  return (text) => removeSecrets(text, { known }).text;
}

/** One entry of the log, cut to a length that can be stored; null if it is blank. */
function entryOf(kind: AgentEntry["kind"], text: string, clean: (text: string) => string): AgentEntry | null {
  const said = clean(text.slice(0, ENTRY_LIMIT * 2)).trim();
  if (said === "") return null;
  return { kind, text: said.length > ENTRY_LIMIT ? `${said.slice(0, ENTRY_LIMIT)} …` : said };
}
