import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { answerJson, bodyOf, serveOnLoopback } from "../../support/loopback.ts";
import { anthropicStream } from "../../mock-model/anthropic.ts";
import type { MockAnswer } from "../../mock-model/answer.ts";
import { chatStream } from "../../mock-model/chat.ts";
import { googleStream } from "../../mock-model/google.ts";
import { responsesStream } from "../../mock-model/responses.ts";

/** What the model has the agent do: write a file at an absolute path, or run a shell script in its tree. */
export type Deed = { file: string } | { script: string };

/** How the model behaves: it has the deed done, never comes to an end, or refuses the key. */
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
 * a file or to run a script, and says that it is done once the tool was run. Questions without tools (titles, summaries) get a word.
 */
export async function serveAgentsModel(deed: Deed, behaviour: Behaviour): Promise<AgentsModel> {
  const requests: string[] = [];
  const bodies: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await bodyOf(request);
    const path = (request.url ?? "").split("?")[0] ?? "";
    requests.push(`${request.method} ${path}`);
    bodies.push(text);
    const body = bodySchema.safeParse(text === "" ? {} : JSON.parse(text)).data;
    if (request.method !== "POST" || body === undefined) {
      answerJson(response, 200, { data: [], models: [] });
    } else if (/count_?tokens/i.test(path)) {
      answerJson(response, 200, { input_tokens: 10, totalTokens: 10 });
    } else if (behaviour === "refuses") {
      answerJson(response, 401, refusal(path));
    } else {
      const done = behaviour === "writes" && TOOL_RAN.test(text);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(streamOf(path, body, next(body, { deed, done })).join(""));
    }
  };
  const origin = await serveOnLoopback(answer);
  return { origin, requests, heard: () => bodies.join("\n") };
}

function toolsFor(deed: Deed): Record<string, unknown> {
  if ("script" in deed) {
    const command = { command: deed.script, description: "Run it" };
    return {
      Bash: command,
      bash: command,
      exec_command: { cmd: deed.script },
      run_shell_command: command,
      shell: { command: ["sh", "-c", deed.script] },
      shell_command: command,
    };
  }
  const { file } = deed;
  const content = "hello\n";
  const script = `printf 'hello\\n' > '${file}'`;
  return {
    Write: { file_path: file, content },
    write_file: { file_path: file, content },
    write: { filePath: file, path: file, content },
    exec_command: { cmd: script },
    shell: { command: ["sh", "-c", script] },
    shell_command: { command: script },
  };
}

function next(body: Body, { deed, done }: { deed: Deed; done: boolean }): MockAnswer {
  const tools = toolsFor(deed);
  const offered = new Set(
    body.tools.flatMap((tool) => [
      tool.name,
      tool.function?.name,
      ...(tool.functionDeclarations ?? []).map(({ name }) => name),
    ]),
  );
  const tool = Object.keys(tools).find((name) => offered.has(name));
  if (tool === undefined) return { text: "A title" };
  if (done) return { text: "All done: it is written." };
  return { text: "I will do it.", calls: [{ tool, input: JSON.stringify(tools[tool]) }] };
}

function streamOf(path: string, { model }: Body, answer: MockAnswer): string[] {
  if (path.endsWith("/messages")) return anthropicStream(answer, model);
  if (path.endsWith("/responses")) return responsesStream(answer, model);
  if (path.endsWith("/chat/completions")) return chatStream(answer, model, true);
  const google = /\/models\/([^/:]+):(stream)?generateContent$/i.exec(path);
  if (google?.[1] === undefined) throw new Error(`no protocol has the path ${path}`);
  return googleStream(answer, google[1]);
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
