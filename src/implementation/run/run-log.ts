import { stripVTControlCharacters } from "node:util";
import { stripHiddenCharacters } from "../../domain/text/hidden-text.ts";
import { removeSecrets } from "../../domain/text/secrets.ts";
import type { RunLogEntry } from "../../domain/work.ts";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";

export type LogKind = RunLogEntry["kind"];

/** What a run says of itself while it goes on (R-WORK-9). */
export interface RunLog {
  /** Adds what was said: whole lines, but for `output`, which may come in pieces. Never throws, never waits. */
  add(kind: LogKind, text: string): void;
  /** What comes from now on belongs to this iteration. */
  begin(iteration: number): void;
  /** Resolves when everything has gone to the sink, or could not. */
  close(): Promise<void>;
}

export interface RunLogDeps {
  clock: Clock;
  /** Takes entries in order; called again when it has ended. One that throws gets the same entries again later. */
  sink: (entries: readonly RunLogEntry[]) => Promise<void>;
  /** Where the sink's troubles go. */
  log: Log;
  /** Of the last entry of this run before a crash; 0 where there is none. */
  after?: number;
  /** Of all entries of the run; defaults 5,000 and 2,000,000 characters. */
  most?: { entries: number; characters: number };
}

const MOST = { entries: 5_000, characters: 2_000_000 };
const LONGEST_LINE = 2_000;
const LONGEST_ENTRY = 8_000;
/** A piece of output that has no line end yet; more of it is cut off. */
const LONGEST_OPEN = 64_000;
/** Lines of a private key that has no end: after so many it was none. */
const LONGEST_KEY = 200;

/**
 * The log of one run: numbered without holes, bounded, without control characters and secrets, also where a secret comes in pieces. Entries
 * are handed on in batches: those that gather while the sink is at work go together.
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
    const told = full ? "The log of this run is full; what comes now is not kept." : text;
    waiting.push({ seq, at: clock.now(), iteration, kind: full ? "problem" : kind, text: told });
    sending ??= send();
  };
  const send = async () => {
    // What is added in this turn goes along.
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
      .map((line) => cut(line, LONGEST_LINE))
      .join("\n");
    if (text.trim() !== "") push(kind, cut(text.trimEnd(), LONGEST_ENTRY));
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

/** As a terminal would show it, in one line. */
function cleanLine(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  const seen = text.slice(text.lastIndexOf("\r") + 1).slice(0, LONGEST_OPEN);
  return stripHiddenCharacters(stripVTControlCharacters(seen));
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)} […]`.toWellFormed();
}
