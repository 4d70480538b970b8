import type { Fetch } from "./providers/provider.ts";

/** Bytes of one answer on the wire; JSON and event framing make several of one character. */
const ANSWER_BYTES = 32 * 1024 * 1024;

/** Says of an address that it serves pages, as one without the protocol's path often does. */
export const NOT_A_MODEL = "answered with a page";

/**
 * A fetch for model servers. It never follows a redirect, since keys in headers of a provider's own (`x-api-key`)
 * would be sent to the other host. It stops reading an endless answer. Where a connection breaks in the middle of an
 * answer, it ends the answer instead: an error would discard what is still in the SDK's streams and must be counted.
 * The SDK recognizes an end without the provider's last event.
 */
export function guardedFetch(fetch: Fetch, maxBytes: number = ANSWER_BYTES): Fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
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
