import { RelayError } from "../../lib/errors.ts";
import type { Fetch } from "./providers/provider.ts";
import type { Exchange, Tape } from "./recording.ts";
import { requestOf } from "./recording.ts";
import { numberIds } from "./recording-mask.ts";

/**
 * A fetch that answers from a tape and never touches the network. Requests may come in another order, as tools run
 * side by side, but each must be on the tape: else it throws `invalid`, saying what is different.
 */
export function replayTape(tape: Tape): { fetch: Fetch; unplayed: () => number } {
  const left = [...tape.exchanges];
  return {
    unplayed: () => left.length,
    fetch: async (input, init) => {
      const { path, request } = requestOf(input, init, []);
      const wanted = JSON.stringify([path, numberIds(request)]);
      const index = left.findIndex((entry) => JSON.stringify([entry.path, numberIds(entry.request)]) === wanted);
      if (index === -1) throw new RelayError("invalid", mismatch(path, request, left[0]));
      const [played] = left.splice(index, 1);
      const response = played?.response ?? null;
      if (response === null) throw new TypeError("fetch failed", { cause: new Error("no connection, says the tape") });
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
  if (next === undefined) return `the tape is over, but there is one more request to ${path}; record it again`;
  const at =
    next.path === path
      ? firstDifference(numberIds(next.request), numberIds(request), "")
      : `path: ${next.path} became ${path}`;
  return `the tape has no answer to this request to ${path}; the next one on it differs at ${at}; record it again`;
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
