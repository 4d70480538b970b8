import { createParser } from "eventsource-parser";
import type { Counts, ModelProvider } from "./providers/provider.ts";

/** Bytes of an answer that is read as a whole. */
const MOST_BYTES = 32 * 1024 * 1024;
const TOKEN_CHARACTERS = 4;

/** What one answer used. */
export interface Counted {
  /** As far as the answer told. */
  known: Counts;
  /** Tokens of its text, roughly. */
  written: number;
}

/** What tells of an answer while it passes. */
export interface Counting {
  /** The answer begins. */
  begin: (status: number, contentType: string) => void;
  /** Bytes of the answer, decompressed. */
  take: (bytes: Buffer) => void;
  /**
   * The answer is over, or broke off. `sent` is false where the request never reached the server; otherwise the prompt
   * counts, also without an answer.
   */
  end: (sent: boolean) => void;
}

/**
 * Counts the tokens of one answer of a model's server while it passes (R-WORK-13). `settle` gets null where nothing is to
 * be paid: the server answered with an error, or never got the request.
 */
export function answerCount(
  { counts, door }: Pick<ModelProvider, "counts" | "door">,
  settle: (counted: Counted | null) => void,
): Counting {
  const known: Counts = {};
  let written = 0;
  let failed = false;
  let settled = false;
  let reader: Reader | null = null;
  const onEvent = (event: unknown): void => {
    Object.assign(known, counts(event));
    written += door.written(event);
  };
  return {
    begin: (status, contentType) => {
      failed = status < 200 || status > 299;
      if (!failed) reader = /event-stream/i.test(contentType) ? eventsOf(onEvent) : wholeOf(onEvent);
    },
    take: (bytes) => reader?.take(bytes),
    end: (sent) => {
      if (settled) return;
      settled = true;
      const unread = reader?.end() ?? 0;
      if (failed || (reader === null && !sent)) settle(null);
      else settle({ known, written: Math.ceil((written + unread) / TOKEN_CHARACTERS) });
    },
  };
}

interface Reader {
  take: (bytes: Buffer) => void;
  /** Bytes that were not understood. */
  end: () => number;
}

/** Reads a stream of events. */
function eventsOf(onEvent: (event: unknown) => void): Reader {
  const text = new TextDecoder();
  const parser = createParser({ onEvent: ({ data }) => onEvent(parsed(data)) });
  return {
    take: (bytes) => parser.feed(text.decode(bytes, { stream: true })),
    end: () => {
      // It may end without the empty line behind its last event.
      parser.feed("\n\n");
      return 0;
    },
  };
}

/** Reads an answer in one piece: an object, or a list of what would be events. */
function wholeOf(onEvent: (event: unknown) => void): Reader {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    take: (bytes) => {
      length += bytes.length;
      if (length <= MOST_BYTES) chunks.push(bytes);
    },
    end: () => {
      const value = parsed(Buffer.concat(chunks).toString("utf8"));
      if (value === null) return length;
      for (const event of Array.isArray(value) ? value : [value]) onEvent(event);
      return 0;
    },
  };
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    // The end of a stream, or what is left of an answer that broke off.
    return null;
  }
}
