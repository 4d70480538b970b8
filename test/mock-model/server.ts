import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { Provider } from "../../src/adapters/models/providers/registry.ts";
import { KEEPS_CONNECTIONS } from "../support/keep-alive.ts";
import { anthropicStream } from "./anthropic.ts";
import { type MockAnswer, event } from "./answer.ts";
import { chatStream } from "./chat.ts";
import { googleStream } from "./google.ts";
import { responsesStream } from "./responses.ts";

/** What the server does with one request. */
export type Turn =
  | ({ kind: "answer" } & MockAnswer)
  | { kind: "status"; status: number; headers?: Record<string, string>; message?: string }
  /** Takes the request and never says a word. */
  | { kind: "hang" }
  /** Begins the answer, and falls silent. */
  | { kind: "stall"; text: string }
  /** Begins the answer, and breaks the connection. */
  | { kind: "cut"; text: string }
  /** Begins the answer, and ends it politely without its last events. */
  | { kind: "unfinished"; text: string }
  /** Begins the answer, and goes on with an error, after the 200. */
  | { kind: "late_error"; text: string; message: string }
  /** Sends these bytes as they are. */
  | { kind: "raw"; body: string };

export interface MockRequest {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
}

export interface MockModel {
  /** The base URL that a provider of this kind is given. */
  url(provider: Provider): string;
  requests: MockRequest[];
  /** Requests that are not over yet. */
  open(): number;
  /** What the requests to come get, one each; the last one again and again where `forever`. */
  script(turns: Turn[], options?: { forever?: boolean }): void;
  close(): Promise<void>;
}

/** A model server on loopback that speaks the protocols of all providers and says what it is told to. */
export async function startMockModel(): Promise<MockModel> {
  let turns: Turn[] = [];
  let forever = false;
  let open = 0;
  const requests: MockRequest[] = [];
  const server = createServer(KEEPS_CONNECTIONS, (request, response) => {
    response.on("close", () => {
      open -= 1;
    });
    open += 1;
    void handle(request, response);
  });
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body: Record<string, unknown> = JSON.parse(await text(request));
    requests.push({ path: request.url ?? "", headers: request.headers, body });
    const turn = forever && turns.length === 1 ? turns[0] : turns.shift();
    await perform(turn ?? { kind: "status", status: 418, message: "the script is over" }, { request, response, body });
  };
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: (provider) => `http://127.0.0.1:${port}/${provider === "google" ? "v1beta" : "v1"}`,
    requests,
    open: () => open,
    script: (next, options = {}) => {
      turns = [...next];
      forever = options.forever ?? false;
      requests.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

type Exchange = { request: IncomingMessage; response: ServerResponse; body: Record<string, unknown> };

async function perform(turn: Turn, exchange: Exchange): Promise<void> {
  const { response } = exchange;
  const begin = () => response.writeHead(200, { "content-type": "text/event-stream" });
  switch (turn.kind) {
    case "answer":
      begin();
      for (const chunk of streamOf(turn, exchange)) response.write(chunk);
      response.end();
      return;
    case "status":
      response.writeHead(turn.status, { "content-type": "application/json", ...turn.headers });
      response.end(JSON.stringify(errorOf(exchange.request.url ?? "", turn.status, turn.message ?? "trouble")));
      return;
    case "hang":
      return;
    case "stall":
    case "cut":
    case "unfinished":
    case "late_error": {
      begin();
      const chunks = streamOf({ text: turn.text }, exchange);
      // Without the last two there is neither usage nor a reason for the end, in any of the protocols.
      const sent = chunks.slice(0, chunks.findIndex((chunk) => chunk.includes(turn.text)) + 1);
      await new Promise((resolve) => {
        response.write(sent.join(""), resolve);
      });
      if (turn.kind === "late_error") response.end(lateError(exchange.request.url ?? "", turn.message));
      if (turn.kind === "cut") response.destroy();
      if (turn.kind === "unfinished") response.end();
      return;
    }
    case "raw":
      begin();
      response.end(turn.body);
      return;
  }
  turn satisfies never;
}

function streamOf(answer: MockAnswer, { request, body }: Exchange): string[] {
  const path = (request.url ?? "").split("?")[0] ?? "";
  const model = typeof body["model"] === "string" ? body["model"] : "";
  if (path === "/v1/messages") return anthropicStream(answer, model);
  if (path === "/v1/responses") return responsesStream(answer, model);
  if (path === "/v1/chat/completions") return chatStream(answer, model, "stream_options" in body);
  const google = /^\/v1beta\/models\/([^/:]+):streamGenerateContent$/.exec(path);
  if (google?.[1] !== undefined) return googleStream(answer, google[1]);
  throw new Error(`no protocol has the path ${path}`);
}

function lateError(path: string, message: string): string {
  if (path === "/v1/responses") {
    return event({ type: "error", sequence_number: 9, code: "server_is_overloaded", message, param: null }, "error");
  }
  return event(
    errorOf(path, path.startsWith("/v1beta") ? 503 : 529, message),
    path === "/v1/messages" ? "error" : undefined,
  );
}

/** As each provider words its errors. */
function errorOf(path: string, status: number, message: string): unknown {
  if (path.startsWith("/v1/messages")) {
    const types: Record<number, string> = {
      401: "authentication_error",
      429: "rate_limit_error",
      529: "overloaded_error",
    };
    return { type: "error", error: { type: types[status] ?? "api_error", message } };
  }
  if (path.startsWith("/v1beta")) return { error: { code: status, message, status: "UNKNOWN" } };
  return { error: { message, type: "error", param: null, code: null } };
}
