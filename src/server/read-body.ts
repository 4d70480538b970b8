import type { IncomingMessage } from "node:http";
import type { WebLimits } from "./limits.ts";

export type BodyReading =
  | { kind: "read"; body: Uint8Array }
  | { kind: "too_large" }
  /** All that is being read together is too much; the sender may try again. */
  | { kind: "busy" }
  /** The sender went away. */
  | { kind: "cut" };

export type ReadBody = (incoming: IncomingMessage) => Promise<BodyReading>;

/** Reads bodies up to the bounds, and not a byte of those that announce more (R-IN-1, R-SAFE-5). */
export function bodyReader(limits: Pick<WebLimits, "bodyBytes" | "heldBytes">): ReadBody {
  let held = 0;
  return async (incoming) => {
    if (Number(incoming.headers["content-length"] ?? 0) > limits.bodyBytes) return { kind: "too_large" };
    let size = 0;
    try {
      return await new Promise((resolve) => {
        const chunks: Buffer[] = [];
        const finish = (reading: BodyReading) => {
          incoming.off("data", take);
          resolve(reading);
        };
        const take = (chunk: Buffer) => {
          size += chunk.length;
          held += chunk.length;
          chunks.push(chunk);
          if (size > limits.bodyBytes) finish({ kind: "too_large" });
          else if (held > limits.heldBytes) finish({ kind: "busy" });
        };
        incoming.on("data", take);
        incoming.once("end", () =>
          finish({ kind: "read", body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) }),
        );
        incoming.once("error", () => finish({ kind: "cut" }));
        incoming.once("close", () => finish({ kind: "cut" }));
      });
    } finally {
      held -= size;
    }
  };
}
