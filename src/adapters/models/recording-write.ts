import type { Fetch } from "./providers/provider.ts";
import type { Exchange, Tape } from "./recording.ts";
import { requestOf } from "./recording.ts";
import { maskLines } from "./recording-mask.ts";

const HEADERS_KEPT = ["content-type", "retry-after", "retry-after-ms"];

/** A fetch that writes down what goes over it. `keys` are masked wherever they occur, besides all that looks like one. */
export function recordTape(fetch: Fetch, keys: readonly string[]): { fetch: Fetch; tape: Tape } {
  const tape: Tape = { version: 1, exchanges: [] };
  return {
    tape,
    fetch: async (input, init) => {
      const entry: Exchange = { ...requestOf(input, init, keys), response: null };
      tape.exchanges.push(entry);
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

/** Passes a body on, and tells its text once it has ended, in whatever way. */
function listened(
  body: ReadableStream<Uint8Array>,
  told: (text: string, end: "whole" | "broken" | "given_up") => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  const text = () => Buffer.concat(chunks).toString("utf8");
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          told(text(), "whole");
          controller.close();
          return;
        }
        chunks.push(value);
        controller.enqueue(value);
      } catch (error) {
        told(text(), "broken");
        controller.error(error);
      }
    },
    async cancel(reason) {
      told(text(), "given_up");
      await reader.cancel(reason);
    },
  });
}
