import type { ClientRequest, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { passedOn } from "./headers.ts";

/** Milliseconds without a byte: models think for minutes before they answer. */
const IDLE_MS = 15 * 60_000;

/** Answers in plain text, for programs whose output people and agents read. */
export function answerText(response: ServerResponse, status: number, sentence: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`relay: ${sentence}\n`);
}

/** Forwards a request's body, and streams the answer back. Ends with whichever side ends first. */
export function forward(
  response: ServerResponse,
  { onward, body, host }: { onward: ClientRequest; body: Readable | Buffer | null; host: string },
): void {
  onward.setTimeout(IDLE_MS, () => onward.destroy());
  onward.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, passedOn(answer.headers));
    // The headers of an event stream go out at once, before its first event.
    response.flushHeaders();
    answer.on("error", () => response.destroy());
    answer.on("close", () => {
      if (!answer.complete) response.destroy();
    });
    answer.pipe(response);
  });
  // A protocol upgrade would open a connection that is not inspected.
  onward.on("upgrade", (answer, socket) => {
    socket.destroy();
    answerText(response, 502, `${host} changed the protocol, which is not passed on`);
  });
  onward.on("error", (error) => answerText(response, 502, `${host} cannot be reached: ${error.message}`));
  response.on("close", () => onward.destroy());
  if (body instanceof Readable) body.pipe(onward);
  else onward.end(body ?? undefined);
}
