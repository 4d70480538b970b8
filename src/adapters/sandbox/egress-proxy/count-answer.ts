import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import type { Counting } from "../../models/answer-count.ts";

/** A stream may break off; what came before is still read. */
const AS_FAR = { finishFlush: constants.Z_SYNC_FLUSH };

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(AS_FAR),
  "x-gzip": () => createGunzip(AS_FAR),
  deflate: () => createInflate(AS_FAR),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => createZstdDecompress({ finishFlush: constants.ZSTD_e_flush }),
};

/** The encodings that a program accepts and in which the answer can be counted. */
export function readableEncodings(accepted: string | string[] | undefined): string {
  const names = String(accepted ?? "").split(",");
  const readable = names
    .map((name) => name.split(";")[0]?.trim().toLowerCase() ?? "")
    .filter((name) => name in DECODERS);
  return readable.length === 0 ? "identity" : readable.join(", ");
}

/** Counts an answer while it is passed on, until it is over or one side left (R-WORK-13). */
export function countAnswer(onward: ClientRequest, response: ServerResponse, count: Counting): void {
  let left = false;
  let answered = false;
  let broken: Error | undefined;
  response.on("close", () => {
    left = !response.writableFinished;
  });
  onward.on("response", (answer) => {
    answered = true;
    count.begin(answer.statusCode ?? 502, answer.headers);
    readDecoded(
      answer,
      (bytes) => count.take(bytes),
      () => count.end(true, answer.complete || left ? undefined : new Error("the connection was terminated")),
    );
  });
  onward.on("error", (error) => {
    broken = error;
  });
  // Without an answer, the request counts as sent only if the program left.
  onward.on("close", () => {
    if (!answered) count.end(left, left ? undefined : (broken ?? new Error("the connection was terminated")));
  });
}

function readDecoded(answer: IncomingMessage, take: (bytes: Buffer) => void, end: () => void): void {
  const decoder = DECODERS[answer.headers["content-encoding"]?.trim().toLowerCase() ?? ""]?.();
  if (decoder === undefined) {
    answer.on("data", take);
    answer.on("close", end);
    return;
  }
  decoder.on("data", take);
  decoder.on("end", end);
  decoder.on("error", end);
  decoder.on("close", end);
  answer.on("data", (bytes: Buffer) => decoder.write(bytes));
  answer.on("close", () => decoder.end());
}
