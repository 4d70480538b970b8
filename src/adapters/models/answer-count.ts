import { createParser } from "eventsource-parser";
import { isRecord } from "../../lib/text.ts";
import type { Counts, ModelProvider } from "./providers/provider.ts";

/** Bytes of an answer that is read as a whole. */
const MOST_BYTES = 32 * 1024 * 1024;
const TOKEN_CHARACTERS = 4;
/** Bytes of an error's body that say what failed. */
const MOST_ERROR_BYTES = 8_000;

/** What one answer used. */
export interface Counted {
  /** Counts that the answer reported. */
  known: Counts;
  /** Tokens of its text, roughly. */
  written: number;
}

/** How a call ended: `error` is what the server answered in place of an answer, or what broke the connection. */
export type Outcome = { kind: "answered" } | { kind: "left" } | { kind: "failed"; error: unknown; began: boolean };

/** Watches an answer while it passes. */
export interface Counting {
  /** The answer begins. */
  begin: (status: number, headers: Readonly<Record<string, string | string[] | undefined>>) => void;
  /** Bytes of the answer, decompressed. */
  take: (bytes: Buffer) => void;
  /**
   * The answer is over, or broke off by an `error`. `sent` is false where the request never reached the server;
   * otherwise the prompt counts, also without an answer.
   */
  end: (sent: boolean, error?: Error) => void;
}

/**
 * Counts the tokens of one answer of a model's server while it passes (R-WORK-13). `settle` gets the counts, or null if
 * nothing has to be paid (the server answered with an error, or never got the request), and how the call ended.
 */
export function answerCount(
  { counts, gateway }: Pick<ModelProvider, "counts" | "gateway">,
  settle: (counted: Counted | null, outcome: Outcome) => void,
): Counting {
  const known: Counts = {};
  let written = 0;
  let refusal: { statusCode: number; responseHeaders: Record<string, string>; responseBody: string } | null = null;
  let told: unknown = null;
  let settled = false;
  let reader: Reader | null = null;
  const onEvent = (event: unknown): void => {
    Object.assign(known, counts(event));
    written += gateway.written(event);
    told ??= errorIn(event);
  };
  const outcomeOf = (error: Error | undefined): Outcome => {
    if (refusal !== null)
      return { kind: "failed", error: { ...refusal, message: errorMessageIn(refusal) }, began: false };
    if (told !== null) return { kind: "failed", error: told, began: true };
    if (error !== undefined) return { kind: "failed", error, began: reader !== null };
    return { kind: reader === null ? "left" : "answered" };
  };
  return {
    begin: (status, headers) => {
      const type = String(headers["content-type"] ?? "");
      if (status < 200 || status > 299) {
        const plain = Object.entries(headers).map(([name, value]) => [name, String(value ?? "")] as const);
        refusal = { statusCode: status, responseHeaders: Object.fromEntries(plain), responseBody: "" };
      } else reader = /event-stream/i.test(type) ? eventsOf(onEvent) : wholeOf(onEvent);
    },
    take: (bytes) => {
      reader?.take(bytes);
      if (refusal !== null && refusal.responseBody.length < MOST_ERROR_BYTES) {
        refusal.responseBody += bytes.subarray(0, MOST_ERROR_BYTES).toString("utf8");
      }
    },
    end: (sent, error) => {
      if (settled) return;
      settled = true;
      const unread = reader?.end() ?? 0;
      const isFree = refusal !== null || (reader === null && !sent);
      const counted = isFree ? null : { known, written: Math.ceil((written + unread) / TOKEN_CHARACTERS) };
      settle(counted, outcomeOf(error));
    },
  };
}

/** The error that an event of a stream reports, in the forms of the providers; null for any other event. */
function errorIn(event: unknown): Record<string, unknown> | null {
  if (!isRecord(event)) return null;
  const { error, response, type } = event;
  const inside = isRecord(response) ? response["error"] : null;
  const found = [error, inside].find((each) => isRecord(each));
  if (isRecord(found)) return found;
  return type === "error" ? event : null;
}

/** The error in the body of an answer: its message, or its text. */
function errorMessageIn({ responseBody }: { responseBody: string }): string {
  const whole = parsed(responseBody);
  const error = isRecord(whole) ? (errorIn(whole) ?? whole) : {};
  const { message } = error;
  return typeof message === "string" ? message : responseBody.replaceAll(/<[^<>]*>/g, " ");
}

interface Reader {
  take: (bytes: Buffer) => void;
  /** Ends the reading; returns the number of bytes that were not understood. */
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
