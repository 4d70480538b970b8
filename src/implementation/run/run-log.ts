import { stripVTControlCharacters } from "node:util";
import { stripHiddenCharacters } from "../../domain/text/hidden-characters.ts";
import { removeSecrets } from "../../domain/text/secrets/remove-secrets.ts";
import type { RunLogEntry } from "../../domain/work.ts";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { cut } from "../../lib/text.ts";

export type LogKind = RunLogEntry["kind"];

/** The live log of a run (R-WORK-9). */
export interface RunLog {
  /** Adds an entry: whole lines, except for `output`, which may arrive in pieces. Never throws, never waits. */
  add(kind: LogKind, text: string): void;
  /** Assigns later entries to this iteration. */
  begin(iteration: number): void;
  /** Resolves when the sink has taken all entries, or failed. */
  close(): Promise<void>;
}

export interface RunLogDeps {
  clock: Clock;
  /** Stores entries in order; never called concurrently. After an error it gets the same entries again. */
  sink: (entries: readonly RunLogEntry[]) => Promise<void>;
  /** For errors of the sink. */
  log: Log;
  /** Sequence number of the last entry before a crash; 0 without one. */
  after?: number;
  /** Limits of the whole run; default 5,000 entries and 2,000,000 characters. */
  most?: { entries: number; characters: number };
}

const MOST = { entries: 5_000, characters: 2_000_000 };
const CUT = " […]";
const LONGEST_LINE = 2_000;
const LONGEST_ENTRY = 8_000;
/** Characters of output without a line end; more is cut off. */
const LONGEST_OPEN = 64_000;
/** After this many lines, an unterminated private key is not treated as one any more. */
const LONGEST_KEY = 200;

/**
 * The log of one run: numbered without gaps, bounded, without control characters and secrets, even if a secret arrives
 * in pieces. Entries that arrive while the sink is busy go to it in one batch.
 */
export function createRunLog({ clock, sink, log, after = 0, most = MOST }: RunLogDeps): RunLog {
  let seq = after;
  let iteration = 0;
  let characters = 0;
  let full = after >= most.entries;
  let open = "";
  let keyLines = 0;
  let waiting: RunLogEntry[] = [];
  let sending: Promise<void> | null = null;

  const push = (kind: LogKind, text: string) => {
    if (full) return;
    characters += text.length;
    full = seq + 1 >= most.entries || characters > most.characters;
    seq += 1;
    const entry = full ? "The log of this run is full; later entries are dropped." : text;
    waiting.push({ seq, at: clock.now(), iteration, kind: full ? "problem" : kind, text: entry });
    sending ??= send();
  };
  const send = async () => {
    // Entries added in the same turn join the batch.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await sink(batch);
      } catch (error) {
        waiting = [...batch, ...waiting];
        log.warn({ error: messageOf(error), entries: waiting.length }, "the log of a run could not be stored");
        break;
      }
    }
    sending = null;
  };
  const withoutKeys = (line: string): string | null => {
    if (/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/.test(line)) keyLines = LONGEST_KEY;
    if (keyLines === 0) return line;
    const first = keyLines === LONGEST_KEY;
    keyLines = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/.test(line) ? 0 : keyLines - 1;
    return first ? removeSecrets(line).text : null;
  };
  const addLines = (kind: LogKind, lines: readonly string[]) => {
    const clean = lines.flatMap((line) => withoutKeys(cleanLine(line)) ?? []);
    const text = removeSecrets(clean.join("\n"))
      .text.split("\n")
      .map((line) => cut(line, LONGEST_LINE, CUT))
      .join("\n");
    if (text.trim() !== "") push(kind, cut(text.trimEnd(), LONGEST_ENTRY, CUT));
  };
  const flushOpen = () => {
    const rest = open;
    open = "";
    if (rest !== "") addLines("output", [rest]);
  };

  return {
    add: (kind, text) => {
      if (full) return;
      if (kind !== "output") {
        flushOpen();
        addLines(kind, text.slice(0, LONGEST_OPEN).split("\n"));
        return;
      }
      const lines = (open + text).split("\n");
      open = (lines.pop() ?? "").slice(0, LONGEST_OPEN);
      if (lines.length > 0) addLines("output", lines);
    },
    begin: (next) => {
      flushOpen();
      iteration = next;
    },
    close: async () => {
      flushOpen();
      await sending;
      if (waiting.length > 0) await (sending ??= send());
    },
  };
}

/** The line as a terminal shows it. */
function cleanLine(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  const seen = text.slice(text.lastIndexOf("\r") + 1).slice(0, LONGEST_OPEN);
  return stripHiddenCharacters(stripVTControlCharacters(seen));
}
