import type { IncomingMessage } from "node:http";
import type { WebLimits } from "../limits.ts";

export type BodyReading =
  | { kind: "read"; body: Uint8Array }
  | { kind: "too_large" }
  /** Too many bytes are being read in total; the sender may retry. */
  | { kind: "busy" }
  /** The sender disconnected. */
  | { kind: "cut" };

export type ReadBody = (incoming: IncomingMessage) => Promise<BodyReading>;

/**
 * Reads bodies up to the limits, and rejects larger announced ones without reading (R-IN-1, R-SAFE-5). If all of them
 * together become too large, it gives up the oldest of those that are not small: slow senders make room for fast ones
 * (R-SAFE-9). It reads nothing more of a body that it gave up.
 */
export function bodyReader(limits: Pick<WebLimits, "bodyBytes" | "smallBodyBytes" | "heldBytes">): ReadBody {
  let held = 0;
  /** In the order in which they began. */
  const unfinished = new Set<{ size: number; giveUp: () => void }>();
  const makeRoom = () => {
    for (const one of unfinished) {
      if (held <= limits.heldBytes) return;
      if (one.size > limits.smallBodyBytes) one.giveUp();
    }
  };
  return async (incoming) => {
    if (Number(incoming.headers["content-length"] ?? 0) > limits.bodyBytes) return { kind: "too_large" };
    return await new Promise((resolve) => {
      const body = new ArrayBuffer(0, { maxByteLength: limits.bodyBytes });
      const own = { size: 0, giveUp: () => finish({ kind: "busy" }) };
      const finish = (reading: BodyReading) => {
        if (!unfinished.delete(own)) return;
        held -= own.size;
        incoming.off("data", take);
        if (reading.kind !== "read") {
          incoming.pause();
          // Free it at once: until the next garbage collection, a flood would hold many times the limit.
          body.resize(0);
        }
        resolve(reading);
      };
      const take = (chunk: Buffer) => {
        const size = own.size + chunk.length;
        if (size > limits.bodyBytes) {
          finish({ kind: "too_large" });
          return;
        }
        body.resize(size);
        new Uint8Array(body).set(chunk, own.size);
        own.size = size;
        held += chunk.length;
        makeRoom();
      };
      unfinished.add(own);
      incoming.on("data", take);
      incoming.once("end", () => finish({ kind: "read", body: new Uint8Array(body) }));
      incoming.once("error", () => finish({ kind: "cut" }));
      incoming.once("close", () => finish({ kind: "cut" }));
    });
  };
}
