import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { bodyOf, serveOnLoopback } from "../loopback.ts";
import { anthropicStream } from "../mock-model/anthropic.ts";
import type { MockAnswer } from "../mock-model/answer.ts";
import { chatStream } from "../mock-model/chat.ts";
import { googleStream } from "../mock-model/google.ts";
import { responsesStream } from "../mock-model/responses.ts";

/** How the model behaves: it has a file written, never comes to an end, or refuses the key. */
export type Behaviour = "writes" | "goes on" | "refuses";

export interface AgentsModel {
  origin: string;
  /** `method path` of each request. */
  requests: string[];
  /** All bodies, one after the other. */
  heard: () => string;
}

const bodySchema = z.object({
  model: z.string().catch("model"),
  stream: z.boolean().catch(false),
  tools: z
    .array(
      z.object({
        name: z.string().optional().catch(undefined),
        function: z.object({ name: z.string() }).optional().catch(undefined),
        functionDeclarations: z
          .array(z.object({ name: z.string() }))
          .optional()
          .catch(undefined),
      }),
    )
    .catch([]),
});
type Body = z.infer<typeof bodySchema>;

/** As real agents show that a tool was run. */
const TOOL_RAN = /tool_result|function_call_output|functionResponse|"role":"tool"/;

/**
 * A model on loopback for real coding agents: in whatever protocol it is asked, it calls the agent's own tool to write
 * `file`, and says that it is done once the tool was run. Questions without tools (titles, summaries) get a word.
 */
export async function serveAgentsModel(file: string, behaviour: Behaviour): Promise<AgentsModel> {
  const requests: string[] = [];
  const bodies: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await bodyOf(request);
    const path = (request.url ?? "").split("?")[0] ?? "";
    requests.push(`${request.method} ${path}`);
    bodies.push(text);
    const body = bodySchema.safeParse(text === "" ? {} : JSON.parse(text)).data;
    if (request.method !== "POST" || body === undefined) return void sendJson(response, 200, { data: [], models: [] });
    if (/count_?tokens/i.test(path)) return void sendJson(response, 200, { input_tokens: 10, totalTokens: 10 });
    if (behaviour === "refuses") return void sendJson(response, 401, refusal(path));
    const chunks = streamOf(path, body, next(body, { file, done: behaviour === "writes" && TOOL_RAN.test(text) }));
    if (chunks === null)
      return void sendJson(response, 404, { error: { message: `no protocol has the path ${path}` } });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(chunks.join(""));
  };
  const origin = await serveOnLoopback(answer);
  return { origin, requests, heard: () => bodies.join("\n") };
}

function next(body: Body, { file, done }: { file: string; done: boolean }): MockAnswer {
  const content = "hello\n";
  const script = `printf 'hello\\n' > '${file}'`;
  const tools: Record<string, unknown> = {
    Write: { file_path: file, content },
    write_file: { file_path: file, content },
    write: { filePath: file, path: file, content },
    exec_command: { cmd: script },
    shell: { command: ["sh", "-c", script] },
    shell_command: { command: script },
  };
  const offered = body.tools.flatMap((tool) => [
    tool.name,
    tool.function?.name,
    ...(tool.functionDeclarations ?? []).map(({ name }) => name),
  ]);
  const tool = Object.keys(tools).find((name) => offered.includes(name));
  if (tool === undefined) return { text: "A title" };
  if (done) return { text: "All done: hello.txt is written." };
  return { text: "I will write it.", calls: [{ tool, input: JSON.stringify(tools[tool]) }] };
}

function streamOf(path: string, { model }: Body, answer: MockAnswer): string[] | null {
  if (path.endsWith("/messages")) return anthropicStream(answer, model);
  if (path.endsWith("/responses")) return responsesStream(answer, model);
  if (path.endsWith("/chat/completions")) return chatStream(answer, model, true);
  const google = /\/models\/([^/:]+):(stream)?generateContent$/i.exec(path);
  return google?.[1] === undefined ? null : googleStream(answer, google[1]);
}

function refusal(path: string): unknown {
  if (path.endsWith("/messages")) {
    return { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } };
  }
  if (path.includes("/models/")) {
    return {
      error: { code: 401, message: "API key not valid. Please pass a valid API key.", status: "UNAUTHENTICATED" },
    };
  }
  return { error: { message: "Incorrect API key provided", type: "invalid_request_error", code: "invalid_api_key" } };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
