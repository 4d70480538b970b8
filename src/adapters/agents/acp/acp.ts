import { basename } from "node:path";
import type { ClientContext, PromptResponse, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { client, methods, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";
import { messageOf } from "../../../lib/errors.ts";
import type { Exit, RunningProgram } from "../../../lib/launch.ts";
import type { AgentEnding, AgentReport, AgentRequest, CodingAgent } from "../agent.ts";
import { fill, programOf } from "../command.ts";
import { addDenied, cleaner, entryOf, nothingHeard, oneLine } from "../transcript.ts";
import { isHopeless } from "../permanent-errors.ts";
import type { Freedom, Heard, Preset, Start, Tell } from "../preset.ts";
import { MODEL_VARIABLES } from "../presets/model-variables.ts";
import { PRESETS } from "../presets/presets.ts";
import { closeRunHome, openRunHome, writeSettings } from "../run-home.ts";
import { plusTokens } from "../tokens.ts";
import { finish, hearErrors, LastWords, reportOf } from "../run-preset.ts";
import { messagesOf } from "./messages.ts";
import { mayDo } from "./permission.ts";
import { tokensIn } from "./tokens.ts";
import { Updates } from "./updates.ts";

/** Programs that let an agent speak the protocol which does not do so itself. */
const ADAPTED: Readonly<Record<string, Preset>> = {
  "claude-agent-acp": PRESETS.claude,
  "claude-code-acp": PRESETS.claude,
  "codex-acp": PRESETS.codex,
};

/**
 * Any agent that speaks the Agent Client Protocol over stdin and stdout (R-WORK-3): https://agentclientprotocol.com
 * One that Relay knows as a command line, too, gets the same settings. Throws `config` for an empty template.
 */
export function acpAgent(template: readonly string[], freedom: Freedom): CodingAgent {
  const program = programOf(template);
  const known =
    ADAPTED[basename(program)] ?? Object.values(PRESETS).find(({ program: own }) => own === basename(program));
  return {
    name: "acp",
    program,
    hosts: known?.hosts ?? [],
    variables: known?.variables ?? MODEL_VARIABLES,
    ...(known?.needs === undefined ? {} : { needs: known.needs }),
    run: async (request) => {
      const home = await openRunHome(request.home);
      try {
        const start = { ...request, home, freedom };
        const { files, environment } = known?.settings(start) ?? { files: [], environment: {} };
        await writeSettings(home, files);
        const running = await request.launch({
          command: program,
          args: template.slice(1).map((word) => fill(word, start)),
          cwd: request.directory,
          environment: { ...request.environment, HOME: home, NO_COLOR: "1", ...environment },
          stdin: "open",
          timeoutMs: request.timeoutMs,
          mostOutputBytes: request.mostOutputBytes,
          ...(request.signal ? { signal: request.signal } : {}),
        });
        return await talk(running, { program, start, request });
      } finally {
        await closeRunHome(home);
      }
    },
  };
}

interface Talk {
  program: string;
  start: Start;
  request: AgentRequest;
}

async function talk(running: RunningProgram, { program, start, request }: Talk): Promise<AgentReport> {
  const clean = cleaner(request.environment);
  const heard = nothingHeard();
  const errors = new LastWords();
  const tell: Tell = (kind, text) => {
    const entry = entryOf(kind, text, clean);
    if (entry !== null) request.onEntry(entry);
  };
  const updates = new Updates(heard, tell);
  const conversation = converse(running, { start, request, heard, updates });
  // It waits for more to do until it is ended.
  const talking = conversation.finally(() => running.end());
  const exit = await finish(running, Promise.all([talking, hearErrors(running, errors, tell)]));
  updates.end();
  const said = await talking;
  if (said.kind === "answered") heard.tokens = plusTokens(heard.tokens, tokensIn(said.answer));
  const ending = endingOf(said, exit, { program, errors: errors.text, stopped: request.signal?.aborted === true });
  return reportOf(ending, heard, clean);
}

type Conversation =
  | { kind: "answered"; answer: PromptResponse }
  /** The agent answered with an error. */
  | { kind: "refused"; trouble: string }
  | { kind: "broken off"; trouble: string };

interface Around {
  program: string;
  errors: string;
  stopped: boolean;
}

/** By what was said first: its program is ended by Relay in any case. */
function endingOf(said: Conversation, exit: Exit, { program, errors, stopped }: Around): AgentEnding {
  if (said.kind === "answered") return endingOfAnswer(said.answer);
  if (said.kind === "broken off") {
    if (exit.ending === "timeout" || exit.ending === "flooded") return { kind: exit.ending };
    if (stopped) return { kind: "stopped" };
  }
  const words = said.kind === "refused" ? said.trouble : `${said.trouble}: ${errors}`;
  const code = said.kind === "refused" ? null : exit.code;
  return { kind: "failed", detail: `${program}: ${oneLine(words, 600)}`, usable: !isHopeless(words, code) };
}

async function converse(
  running: RunningProgram,
  { start, request, heard, updates }: { start: Start; request: AgentRequest; heard: Heard; updates: Updates },
): Promise<Conversation> {
  const app = client({ name: "relay" }).onRequest(methods.client.session.requestPermission, ({ params }) => {
    const paths = (params.toolCall.locations ?? []).map(({ path }) => path);
    const kind = params.toolCall.kind ?? null;
    const allowed = mayDo({ kind, paths }, [start.directory, start.home], start.freedom);
    if (!allowed) addDenied(heard, params.toolCall.title ?? kind ?? "a tool");
    return answerOf(allowed, params.options);
  });
  try {
    const stream = messagesOf(running, (params) => updates.add(params));
    const answer = await app.connectWith(stream, (agent) => prompt(agent, start, request));
    return { kind: "answered", answer };
  } catch (error) {
    if (error instanceof RequestError) return { kind: "refused", trouble: wordsOf(error) };
    return { kind: "broken off", trouble: messageOf(error) };
  }
}

/** Neither files nor terminals are offered: it has its own, in the sandbox. */
async function prompt(agent: ClientContext, { directory, ...start }: Start, { signal }: AgentRequest) {
  await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: "relay", version: "1" },
  });
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: directory, mcpServers: [] });
  const cancel = () => {
    agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {});
  };
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text: start.prompt }],
    });
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

function answerOf(allowed: boolean, options: readonly { optionId: string; kind: string }[]): RequestPermissionResponse {
  const kinds = allowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const option = kinds.flatMap((kind) => options.filter((offered) => offered.kind === kind))[0];
  if (option === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}

function endingOfAnswer({ stopReason }: PromptResponse): AgentEnding {
  switch (stopReason) {
    case "end_turn":
      return { kind: "finished" };
    case "max_tokens":
    case "max_turn_requests":
      return { kind: "limit", detail: stopReason };
    case "cancelled":
      return { kind: "stopped" };
    default:
      return { kind: "failed", detail: `the agent stopped: ${oneLine(stopReason, 100)}`, usable: true };
  }
}

/** Its data often tell more than its message: `Internal error`. */
function wordsOf(error: RequestError): string {
  const data = error.data === undefined ? "" : `: ${JSON.stringify(error.data)}`;
  return oneLine(`${error.message}${data} (${error.code === -32_000 ? "authentication required" : error.code})`, 600);
}
