import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";

export interface Received {
  event: string;
  guid: string;
  headers: Record<string, string | string[] | undefined>;
  raw: string;
  payload: Record<string, unknown>;
}

export interface Receiver {
  url: string;
  got: Received[];
  /** What it answers from now on. */
  status: number;
  close(): Promise<void>;
}

/** Something that webhooks can be sent to. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => void take(request, response));
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const raw = await text(request);
    const payload = z.record(z.string(), z.unknown()).parse(JSON.parse(raw));
    const [event, guid] = [request.headers["x-github-event"], request.headers["x-github-delivery"]];
    receiver.got.push({ event: String(event), guid: String(guid), headers: request.headers, raw, payload });
    response.writeHead(receiver.status).end();
  };
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const receiver: Receiver = {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/hook`,
    got: [],
    status: 202,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return receiver;
}
