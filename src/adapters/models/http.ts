import type { Fetch } from "./providers/provider.ts";

/** Bytes of one answer on the wire; JSON and event framing make several of one character. */
const ANSWER_BYTES = 32 * 1024 * 1024;

/** The error of an address that serves web pages, as one without the protocol's path often does. */
export const NOT_A_MODEL = "answered with a page";

/**
 * A fetch for model servers. It never follows a redirect, since keys in headers of a provider's own (`x-api-key`)
 * would be sent to the other host. It stops reading an endless answer. Where a connection breaks in the middle of an
 * answer, it ends the answer instead: an error would discard what is still in the SDK's streams and must be counted.
 * The SDK recognizes an end without the provider's last event.
 */
export function guardedFetch(fetch: Fetch, maxBytes: number = ANSWER_BYTES): Fetch {
  return async (input, init) => {
    const request: RequestInit = { ...init, redirect: "manual" };
    Object.assign(request, patient());
    const response = await fetch(input, request);
    const type = response.headers.get("content-type") ?? "";
    if (response.ok && /text\/html/i.test(type)) {
      await response.body?.cancel();
      const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
      throw new Error(`${origin}${pathname} ${NOT_A_MODEL} (${type}) instead of an answer of a model`);
    }
    const body = response.body === null ? null : guarded(response.body, maxBytes);
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

let patience: { dispatcher: unknown } | undefined;

/** Node's fetch gives up after five minutes of silence; Relay's own time-outs are settings, and apply instead. */
function patient(): { dispatcher: unknown } | undefined {
  if (patience !== undefined) return patience;
  // Loads what Node's fetch is made of.
  void new Headers();
  const known: unknown = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1"));
  const Agent: unknown = typeof known === "object" && known !== null ? known.constructor : null;
  if (typeof Agent !== "function") return undefined;
  patience = { dispatcher: Reflect.construct(Agent, [{ headersTimeout: 0, bodyTimeout: 0 }]) };
  return patience;
}

function guarded(body: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const read = await reader.read().catch(() => null);
      if (read === null || read.done) {
        controller.close();
        return;
      }
      bytes += read.value.byteLength;
      if (bytes <= maxBytes) {
        controller.enqueue(read.value);
        return;
      }
      controller.error(new Error(`the answer has more than ${maxBytes} bytes`));
      await reader.cancel();
    },
    async cancel(reason) {
      await reader.cancel(reason);
    },
  });
}
