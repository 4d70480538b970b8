import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { Fetch } from "../../src/adapters/models/providers/provider.ts";
import { removeSecrets } from "../../src/domain/text/secrets/remove-secrets.ts";
import { messageOf, RelayError } from "../../src/lib/errors.ts";

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
      /** How it ended: complete, broken off by the server, or cancelled by Relay. */
      end: z.enum(["whole", "broken", "given_up"]),
    })
    .nullable(),
});
const recordingSchema = z.object({ version: z.literal(1), exchanges: z.array(exchange) });

/** The HTTP exchanges between a run and its models, without keys. */
export type Recording = z.infer<typeof recordingSchema>;
type Exchange = Recording["exchanges"][number];

/** Reads a recording. Throws `invalid`, naming the file. */
export function readRecording(file: string): Recording {
  try {
    return recordingSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    throw new RelayError("invalid", `the recording ${file} cannot be replayed: ${messageOf(cause)}; record it again`, {
      cause,
    });
  }
}

export function writeRecording(file: string, recording: Recording): void {
  writeFileSync(file, `${JSON.stringify(recording, null, 1)}\n`);
}

/** The recorded part of a request. */
function requestOf(
  input: Parameters<Fetch>[0],
  init: Parameters<Fetch>[1],
  keys: readonly string[],
): Pick<Exchange, "path" | "request"> {
  const address = input instanceof Request ? input.url : String(input);
  const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : null;
  return { path: new URL(address).pathname, request: maskValue(body, keys) };
}

const HEADERS_KEPT = ["content-type", "retry-after", "retry-after-ms"];

/** A fetch that records its exchanges. Masks `keys` wherever they occur, and anything that looks like a key. */
export function recordCalls(fetch: Fetch, keys: readonly string[]): { fetch: Fetch; recording: Recording } {
  const recording: Recording = { version: 1, exchanges: [] };
  return {
    recording,
    fetch: async (input, init) => {
      const entry: Exchange = { ...requestOf(input, init, keys), response: null };
      recording.exchanges.push(entry);
      const response = await fetch(input, init);
      const headers = HEADERS_KEPT.flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value]];
      });
      const kept: NonNullable<Exchange["response"]> = {
        status: response.status,
        headers: Object.fromEntries(headers),
        body: "",
        end: "given_up",
      };
      entry.response = kept;
      const body =
        response.body === null
          ? null
          : listened(response.body, (text, end) => {
              Object.assign(kept, { body: maskLines(text, keys), end });
            });
      if (body === null) kept.end = "whole";
      return new Response(body, { status: response.status, headers: response.headers });
    },
  };
}

/** Passes a body on, and reports its text once it has ended in any way. */
function listened(
  body: ReadableStream<Uint8Array>,
  onEnd: (text: string, end: "whole" | "broken" | "given_up") => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  const text = () => Buffer.concat(chunks).toString("utf8");
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          onEnd(text(), "whole");
          controller.close();
          return;
        }
        chunks.push(value);
        controller.enqueue(value);
      } catch (error) {
        onEnd(text(), "broken");
        controller.error(error);
      }
    },
    async cancel(reason) {
      onEnd(text(), "given_up");
      await reader.cancel(reason);
    },
  });
}

/**
 * A fetch that answers from a recording and never touches the network. Requests may come in another order, as tools run
 * concurrently, but each must be in the recording: otherwise it throws `invalid`, with the difference.
 */
export function replayCalls(recording: Recording): { fetch: Fetch; unplayed: () => number } {
  const left = [...recording.exchanges];
  return {
    unplayed: () => left.length,
    fetch: async (input, init) => {
      const { path, request } = requestOf(input, init, []);
      const wanted = JSON.stringify([path, numberIds(request)]);
      const index = left.findIndex((entry) => JSON.stringify([entry.path, numberIds(entry.request)]) === wanted);
      if (index === -1) throw new RelayError("invalid", mismatch(path, request, left[0]));
      const [played] = left.splice(index, 1);
      const response = played?.response ?? null;
      if (response === null)
        throw new TypeError("fetch failed", { cause: new Error("no connection, by the recording") });
      return new Response(streamed(response), { status: response.status, headers: response.headers });
    },
  };
}

function streamed(response: NonNullable<Exchange["response"]>): ReadableStream<Uint8Array> {
  let sent = false;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (!sent && response.body !== "") controller.enqueue(Buffer.from(response.body));
      else if (response.end === "whole") controller.close();
      else controller.error(new TypeError("terminated", { cause: new Error("the recorded answer breaks off here") }));
      sent = true;
    },
  });
}

function mismatch(path: string, request: unknown, next: Exchange | undefined): string {
  if (next === undefined) return `the recording is over, but there is one more request to ${path}; record it again`;
  const at =
    next.path === path
      ? firstDifference(numberIds(next.request), numberIds(request), "")
      : `path: ${next.path} became ${path}`;
  return `the recording has no answer to this request to ${path}; the next one on it differs at ${at}; record it again`;
}

const SHOWN = 120;

function firstDifference(before: unknown, after: unknown, at: string): string | null {
  if (JSON.stringify(before) === JSON.stringify(after)) return null;
  if (typeof before === "object" && before !== null && typeof after === "object" && after !== null) {
    const old = new Map(Object.entries(before));
    const now = new Map(Object.entries(after));
    for (const key of new Set([...old.keys(), ...now.keys()])) {
      const found = firstDifference(old.get(key), now.get(key), at === "" ? key : `${at}.${key}`);
      if (found !== null) return found;
    }
  }
  return `${at}: ${shown(before, after)} became ${shown(after, before)}`;
}

/** A value from a little before the place where it leaves the other. */
function shown(value: unknown, other: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  const that = JSON.stringify(other) ?? "";
  let same = 0;
  while (same < text.length && text[same] === that[same]) same += 1;
  return text.slice(Math.max(0, same - 20), same + SHOWN);
}

const MASK = "[masked]";
const SECRET_NAME = /^(?:.*[_-])?(?:api[_-]?key|authorization|secret|password|access[_-]?token)$/i;

/** A JSON value without keys: those given, those of known shapes, and the values of fields that are named like one. */
function maskValue(value: unknown, keys: readonly string[]): unknown {
  if (typeof value === "string") return maskText(value, keys);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, keys));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === "string" && SECRET_NAME.test(name) ? MASK : maskValue(inner, keys),
    ]),
  );
}

/** The same for the lines of an event stream, each by itself, so that one that looks like a key costs no other. */
function maskLines(text: string, keys: readonly string[]): string {
  return text
    .split("\n")
    .map((line) => maskLine(line, keys))
    .join("\n");
}

function maskLine(line: string, keys: readonly string[]): string {
  const [, head = "", json = ""] = /^((?:data:)?\s{0,8})([[{].*)$/s.exec(line) ?? [];
  if (json === "") return maskText(line, keys);
  try {
    return head + JSON.stringify(maskValue(JSON.parse(json), keys));
  } catch {
    return maskText(line, keys);
  }
}

function maskText(text: string, keys: readonly string[]): string {
  let masked = text;
  for (const key of keys) if (key !== "") masked = masked.replaceAll(key, MASK);
  return removeSecrets(masked).text;
}

const ID_NAMES = new Set(["id", "call_id", "tool_call_id", "tool_use_id"]);

/** A request in which ids are numbers in their order: where a server gives calls none, the SDK makes up random ones. */
function numberIds(value: unknown): unknown {
  const numbers = new Map<string, string>();
  const walk = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(walk);
    if (typeof inner !== "object" || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, held]) => [name, idOf(name, held) ?? walk(held)]));
  };
  const idOf = (name: string, held: unknown) => {
    if (typeof held !== "string" || !ID_NAMES.has(name)) return undefined;
    const number = numbers.get(held) ?? `#${numbers.size + 1}`;
    numbers.set(held, number);
    return number;
  };
  return walk(value);
}
