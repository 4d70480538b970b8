import type { Readable, Writable } from "node:stream";
import { replaceHiddenCharacters } from "../domain/text/hidden-characters.ts";
import { type ErrorCode, RelayError, messageOf } from "../lib/errors.ts";

/** A command's input and output: results on `out`, progress and messages on `err`. */
export interface Terminal {
  /** `isStyled`: the text has colours of its own, and what others wrote in it is escaped already. */
  out: (text: string, isStyled?: boolean) => void;
  err: (text: string, isStyled?: boolean) => void;
  /** Whether a person is present: only then ask questions and show progress. */
  interactive: boolean;
  /** Whether stderr is a terminal, so that progress may be drawn there. */
  progress: boolean;
  /** Whether results go to a colour terminal; respects `NO_COLOR`. */
  color: boolean;
  /** Why results could not be written, if so. A closed pipe does not count. */
  outputFailure: () => string | null;
  /** Where prompts are read and shown; without them, on the process's own terminal. */
  prompts?: { input: Readable; output: Writable };
  /** Standard input, at most `limit` bytes, by default 8 MiB. */
  readInput: (limit?: number) => Promise<string>;
}

/** Options that every command has. */
export interface CommonOptions {
  config?: string;
  json?: boolean;
  debug?: boolean;
}

export const EXIT = { done: 0, negative: 1, usage: 2, outside: 3, interrupted: 130 } as const;

/** The person cancelled a prompt. */
export class Interrupted extends Error {}

/** The exit code for an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return EXIT.interrupted;
  return error instanceof RelayError ? exitCodeOfCode(error.code) : EXIT.outside;
}

function exitCodeOfCode(code: ErrorCode): number {
  switch (code) {
    case "usage":
    case "config":
    case "not_found":
    case "too_large":
    case "invalid":
    case "illegal_transition":
      return EXIT.usage;
    case "forbidden":
    case "conflict":
    case "rate_limited":
    case "unavailable":
    case "timeout":
    case "io":
    case "internal":
      return EXIT.outside;
    default:
      return code satisfies never;
  }
}

const INPUT_LIMIT = 8 * 1024 * 1024;

/**
 * The real terminal. A closed pipe (`| head`) ends the output quietly, not the command: it still has to finish its work
 * and close the database.
 */
export function processTerminal(): Terminal {
  let failure: string | null = null;
  const gone = new Set<NodeJS.WriteStream>();
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      gone.add(stream);
      if (error.code !== "EPIPE" && stream === process.stdout) failure ??= messageOf(error);
    });
  }
  const write = (stream: NodeJS.WriteStream, text: string) => {
    if (!gone.has(stream)) stream.write(text);
  };
  const stderrIsTerminal = process.stderr.isTTY;
  return {
    out: (text) => write(process.stdout, text),
    err: (text) => write(process.stderr, text),
    interactive: process.stdin.isTTY && stderrIsTerminal,
    progress: stderrIsTerminal,
    color: process.stdout.isTTY && process.stdout.hasColors(),
    outputFailure: () => failure,
    readInput: async (limit = INPUT_LIMIT) => {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of process.stdin) {
        const bytes = Buffer.from(chunk);
        size += bytes.length;
        if (size > limit) {
          throw new RelayError("too_large", `standard input is larger than ${Math.round(limit / 1024 / 1024)} MiB`);
        }
        chunks.push(bytes);
      }
      return Buffer.concat(chunks).toString("utf8");
    },
  };
}

/** The terminal, where nothing that others wrote can command it, or hide or reorder what it shows (R-SAFE-6). */
export function safeTerminal(terminal: Terminal): Terminal {
  return {
    ...terminal,
    out: (text, isStyled = false) => terminal.out(isStyled ? text : shownInTerminal(text)),
    err: (text, isStyled = false) => terminal.err(isStyled ? text : shownInTerminal(text)),
  };
}

/** Text with control and unseen characters as JSON writes them, such as `\u001b`: JSON says the same then. */
export function shownInTerminal(text: string): string {
  return replaceHiddenCharacters(text.replaceAll(/\r(?!\n)/g, String.raw`\u000d`), (found) =>
    Array.from({ length: found.length }, (_, at) => unitOf(found.charCodeAt(at))).join(""),
  );
}

function unitOf(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

/** Prints a document of the type that `json.ts` tells other programs; it must be named, and is never inferred. */
export function printJson<Answer = never>(terminal: Terminal, value: NoInfer<Answer>): void {
  terminal.out(`${JSON.stringify(value)}\n`);
}

/** Output that could not be written is a failure, even if everything else succeeded. */
export async function written(code: number, terminal: Terminal): Promise<number> {
  // A failed write is reported only after its turn of the event loop.
  await new Promise(setImmediate);
  const failure = terminal.outputFailure();
  if (failure === null) return code;
  terminal.err(`relay: cannot write the results: ${failure}\n`);
  return EXIT.outside;
}

/** One sentence; for an unexpected error, also what to do about it. */
export function describe(error: unknown): string {
  if (error instanceof RelayError || error instanceof Interrupted) return messageOf(error);
  return `something unexpected went wrong (${messageOf(error)}); run again with --debug and report what it prints`;
}
