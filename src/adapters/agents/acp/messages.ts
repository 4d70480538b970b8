import type { Readable } from "node:stream";
import { Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import type { RunningProgram } from "../../../lib/launch.ts";

const MESSAGE_BYTES = 4 * 1024 * 1024;
/** More than ever asked for: an answer to nothing is dropped, and not written to Relay's own log by the library. */
const MOST_ANSWERS = 50;

/**
 * The protocol's messages over a program's stdin and stdout. Notifications are read leniently by `onUpdate`; the library
 * gets requests and answers only.
 */
export function messagesOf(program: RunningProgram, onUpdate: (params: unknown) => void): Stream {
  if (program.stdin === null) throw new TypeError("an agent that is talked to needs an open stdin");
  program.stdin.on("error", () => {});
  const { readable, writable } = ndJsonStream(Writable.toWeb(program.stdin), bytesOf(program.stdout), {
    maxMessageBytes: MESSAGE_BYTES,
  });
  let answers = 0;
  const wanted = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ("method" in message) {
        if ("id" in message) controller.enqueue(message);
        else if (message.method === "session/update") onUpdate(message.params);
        return;
      }
      answers += 1;
      if ("id" in message && answers <= MOST_ANSWERS) controller.enqueue(message);
    },
  });
  return { writable, readable: readable.pipeThrough(wanted) };
}

/** Ends quietly where the pipe is taken away: what the program came to is told by its exit. */
function bytesOf(stdout: Readable): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async start(controller) {
      try {
        for await (const chunk of stdout) controller.enqueue(new Uint8Array(Buffer.from(chunk)));
      } catch {
        // As above.
      }
      controller.close();
    },
  });
}
