import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Fetch } from "./providers/provider.ts";
import { maskValue } from "./recording-mask.ts";

const exchange = z.object({
  /** Without host and query. */
  path: z.string(),
  request: z.unknown(),
  /** Null where no connection came about. */
  response: z
    .object({
      status: z.number().int(),
      /** Only those that change what Relay does. */
      headers: z.record(z.string(), z.string()),
      body: z.string(),
      /** How it ended: read whole, broken by the server, or given up by Relay. */
      end: z.enum(["whole", "broken", "given_up"]),
    })
    .nullable(),
});
const tapeSchema = z.object({ version: z.literal(1), exchanges: z.array(exchange) });

/** What a run and its models said to each other, on the wire, without keys. */
export type Tape = z.infer<typeof tapeSchema>;
export type Exchange = Tape["exchanges"][number];

/** Reads a tape. Throws `invalid`, naming the file. */
export function readTape(file: string): Tape {
  try {
    return tapeSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    throw new RelayError("invalid", `the tape ${file} cannot be played: ${messageOf(cause)}; record it again`, {
      cause,
    });
  }
}

export function writeTape(file: string, tape: Tape): void {
  writeFileSync(file, `${JSON.stringify(tape, null, 1)}\n`);
}

/** What of a request is on a tape. */
export function requestOf(
  input: Parameters<Fetch>[0],
  init: Parameters<Fetch>[1],
  keys: readonly string[],
): Pick<Exchange, "path" | "request"> {
  const address = input instanceof Request ? input.url : String(input);
  const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : null;
  return { path: new URL(address).pathname, request: maskValue(body, keys) };
}
