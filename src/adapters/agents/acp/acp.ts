import { basename, resolve, sep } from "node:path";
import { type Readable, Writable } from "node:stream";
import {
  type AnyMessage,
  type ClientContext,
  type PromptResponse,
  type RequestPermissionResponse,
  type Stream,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import { messageOf } from "../../../lib/errors.ts";
import type { Exit, RunningProgram } from "../../../lib/launch.ts";
import type { AgentEnding, AgentReport, AgentRequest } from "../agent.ts";
import { commandOf, fill } from "../command.ts";
import { failed } from "../error-words.ts";
import type { Freedom, OpenAgent, Start } from "../preset.ts";
import { MODEL_VARIABLES } from "../model-variables.ts";
import { OutputTail, readErrors, waitForExit, withProgram } from "../program.ts";
import { plusTokens } from "../tokens.ts";
import { type Transcript, addDenied, DETAIL_LIMIT, openTranscript, reportOf, shortLine } from "../transcript.ts";
import { tokensIn } from "./tokens.ts";
import { Updates } from "./updates.ts";

/**
 * Any agent that speaks the Agent Client Protocol over stdin and stdout (R-WORK-3): https://agentclientprotocol.com.
 * One that has a preset gets the settings of the preset.
 */
export const acp: OpenAgent = ({ command }, freedom, presets) => {
  const { program, words } = commandOf("acp", command);
  const name = basename(program);
  const known = presets.find((preset) => preset.program === name || preset.adapters?.includes(name) === true);
  const settings = known?.settings ?? (() => ({ files: [], environment: {} }));
  const call = (start: Start) => ({ args: words.map((word) => fill(word, start)), input: null });
  return {
    name: "acp",
    program,
    hosts: known?.hosts ?? [],
    variables: known?.variables ?? MODEL_VARIABLES,
    ...(known?.ownModels === undefined ? {} : { ownModels: known.ownModels }),
    ...(known?.needs === undefined ? {} : { needs: known.needs }),
    run: async (request) =>
      await withProgram(
        request,
        { program, freedom, settings, call, interactive: true },
        async (running, start) => await talk(running, { program, start, request }),
      ),
  };
};

interface Session {
  program: string;
  start: Start;
  request: AgentRequest;
}

async function talk(running: RunningProgram, { program, start, request }: Session): Promise<AgentReport> {
  const { transcript, emit, clean } = openTranscript(request);
  const errors = new OutputTail();
  const updates = new Updates(transcript, emit);
  // The agent waits for more prompts until it is stopped.
  const talking = converse(running, { start, request, transcript, updates }).finally(() => running.end());
  const exit = await waitForExit(running, Promise.all([talking, readErrors(running, errors, emit)]));
  updates.end();
  const outcome = await talking;
  if (outcome.kind === "answered") transcript.tokens = plusTokens(transcript.tokens, tokensIn(outcome.answer));
  const ending = endingOf(outcome, exit, { program, errors: errors.text, stopped: request.signal?.aborted === true });
  return reportOf(ending, transcript, clean);
}

type Conversation =
  | { kind: "answered"; answer: PromptResponse }
  /** The agent answered with an error. */
  | { kind: "refused"; trouble: string }
  | { kind: "broken_off"; trouble: string };

interface Circumstances {
  program: string;
  errors: string;
  stopped: boolean;
}

/** The conversation decides before the exit: Relay ends the program in any case. */
function endingOf(outcome: Conversation, exit: Exit, { program, errors, stopped }: Circumstances): AgentEnding {
  if (outcome.kind === "answered") return endingOfAnswer(outcome.answer);
  if (outcome.kind === "broken_off") {
    if (exit.ending === "timeout" || exit.ending === "flooded") return { kind: exit.ending };
    if (stopped) return { kind: "stopped" };
  }
  const words = outcome.kind === "refused" ? outcome.trouble : `${outcome.trouble}: ${errors}`;
  const code = outcome.kind === "refused" ? null : exit.code;
  return failed(`${program}: ${shortLine(words, DETAIL_LIMIT)}`, words, code);
}

async function converse(
  running: RunningProgram,
  {
    start,
    request,
    transcript,
    updates,
  }: { start: Start; request: AgentRequest; transcript: Transcript; updates: Updates },
): Promise<Conversation> {
  const app = client({ name: "relay" }).onRequest(methods.client.session.requestPermission, ({ params }) => {
    const paths = (params.toolCall.locations ?? []).map(({ path }) => path);
    const kind = params.toolCall.kind ?? null;
    const allowed = mayDo({ kind, paths }, [start.directory, start.home], start.freedom);
    if (!allowed) addDenied(transcript, params.toolCall.title ?? kind ?? "a tool");
    return answerOf(allowed, params.options);
  });
  try {
    const stream = messagesOf(running, (params) => updates.add(params));
    const answer = await app.connectWith(stream, (agent) => prompt(agent, start, request));
    return { kind: "answered", answer };
  } catch (error) {
    if (error instanceof RequestError) return { kind: "refused", trouble: wordsOf(error) };
    return { kind: "broken_off", trouble: messageOf(error) };
  }
}

/** Offers neither files nor terminals: the agent has its own, in the sandbox. */
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
      return { kind: "failed", detail: `the agent stopped: ${shortLine(stopReason, 100)}`, usable: true };
  }
}

/** The data often has more detail than the message, which may just be `Internal error`. */
function wordsOf(error: RequestError): string {
  const data = error.data === undefined ? "" : `: ${JSON.stringify(error.data)}`;
  return shortLine(
    `${error.message}${data} (${error.code === -32_000 ? "authentication required" : error.code})`,
    DETAIL_LIMIT,
  );
}

const MESSAGE_BYTES = 4 * 1024 * 1024;
/** More answers than Relay ever waits for: the library would log further ones to Relay's own stderr. */
const MOST_ANSWERS = 50;

/**
 * The protocol's messages over a program's stdin and stdout. `onUpdate` parses notifications leniently; the library
 * gets requests and answers only.
 */
function messagesOf(program: RunningProgram, onUpdate: (params: unknown) => void): Stream {
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

/** Ends quietly if the pipe breaks: the program's exit explains it. */
function bytesOf(stdout: Readable): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async start(controller) {
      try {
        for await (const chunk of stdout) controller.enqueue(new Uint8Array(Buffer.from(chunk)));
      } catch {
        // Broken off: the same as closed.
      }
      controller.close();
    },
  });
}

/** The action that an agent requests permission for, as far as it reports it. */
interface PermissionRequest {
  kind: string | null;
  paths: readonly string[];
}

/** Kinds that change files, or change nothing at all. */
const EDITS = new Set(["read", "edit", "delete", "move", "search", "think"]);

/**
 * Whether to grant an agent's permission request: inside the tree only, and within its freedom (R-WORK-5). The
 * sandbox is what confines it: an agent need not ask.
 */
function mayDo({ kind, paths }: PermissionRequest, directories: readonly string[], freedom: Freedom): boolean {
  if (freedom === "edits" && (kind === null || !EDITS.has(kind))) return false;
  return paths.every((path) => directories.some((directory) => isInside(path, directory)));
}

function isInside(path: string, directory: string): boolean {
  const absolute = resolve(directory, path);
  return absolute === directory || absolute.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
