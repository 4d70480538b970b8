import { removeSecrets } from "../../domain/text/secrets/remove-secrets.ts";
import { messageOf } from "../../lib/errors.ts";
import { inSpan, noteInSpan } from "../../lib/trace.ts";
import { type AnswerPart, argumentsOf } from "./conversation.ts";
import { toolAttributes } from "./gen-ai.ts";
import type { AgentTool, ToolCall, ToolContext } from "./tool.ts";

/** Calls of one answer that run concurrently; R-PLAN-4 wants 4 explores. */
const AT_ONCE = 4;
/** Calls of one answer that run at all. */
const CALLS_PER_STEP = 16;
const ERROR_LIMIT = 2_000;

type Asked = Extract<AnswerPart, { type: "call" }>;

/**
 * Runs the calls of one answer and returns their results in the model's order. Malformed calls get a result that says
 * how to fix them. Throws only when aborted.
 */
export async function runCalls(
  asked: readonly Asked[],
  {
    tools,
    step,
    maxCharacters,
    signal,
  }: { tools: readonly AgentTool[]; step: number; maxCharacters: number; signal: AbortSignal },
): Promise<ToolCall[]> {
  const calledInStep = asked.map((call) => call.tool);
  const run = async (call: Asked, index: number): Promise<ToolCall> => {
    if (index >= CALLS_PER_STEP) {
      return { ...refused(call), output: `Not run: at most ${CALLS_PER_STEP} calls in one answer.`, outcome: "error" };
    }
    // Any other name is the model's own words.
    const tool = tools.find(({ name }) => name === call.tool)?.name ?? "unknown";
    const result = await inSpan(`execute_tool ${tool}`, { attributes: toolAttributes(tool) }, async () => {
      const ran = await runCall(call, { tools, context: { callId: call.id, step, index, calledInStep, signal } });
      if (ran.outcome !== "ok") noteInSpan({ "error.type": ran.outcome });
      return ran;
    });
    return { ...result, output: bounded(result.output, maxCharacters) };
  };
  const inTurn = new Set(tools.filter((tool) => tool.inTurn).map((tool) => tool.name));
  const results: ToolCall[] = [];
  const waiting = asked.map((call, index) => ({ call, index })).filter(({ call }) => !inTurn.has(call.tool));
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      signal.throwIfAborted();
      results[next.index] = await run(next.call, next.index);
    }
  };
  await untilAborted(Promise.all(Array.from({ length: AT_ONCE }, worker)), signal);
  for (const [index, call] of asked.entries()) {
    if (inTurn.has(call.tool)) results[index] = await untilAborted(run(call, index), signal);
  }
  return results;
}

async function runCall(
  call: Asked,
  { tools, context }: { tools: readonly AgentTool[]; context: ToolContext },
): Promise<ToolCall> {
  const tool = tools.find((candidate) => candidate.name === call.tool);
  if (tool === undefined) {
    const known = tools.map((candidate) => candidate.name).join(", ");
    return {
      ...refused(call),
      output: `There is no tool of that name. The tools are: ${known}.`,
      outcome: "unknown_tool",
    };
  }
  const input = argumentsOf(call.input);
  if (input === null) {
    const output =
      "The arguments are not a JSON object. Send the call again with one JSON object, all strings escaped.";
    return { ...refused(call), output, outcome: "malformed" };
  }
  try {
    const ran = await tool.run(input, context);
    if (ran.kind === "off_schema") {
      const output = `The arguments do not fit the tool's schema; fix them and call again:\n- ${ran.problems.join("\n- ")}`;
      return { ...refused(call), output, outcome: "off_schema" };
    }
    const { output, isError = false, ends = false } = ran.result;
    return { id: call.id, tool: call.tool, input: call.input, output, outcome: isError ? "error" : "ok", ends };
  } catch (error) {
    const output = `The tool failed: ${removeSecrets(messageOf(error)).text.slice(0, ERROR_LIMIT)}`;
    return { ...refused(call), output, outcome: "threw" };
  }
}

/** Results for calls that did not run, since their answer was cut off. */
export function notRun(asked: readonly Asked[], why: string): ToolCall[] {
  return asked.map((call) => ({ ...refused(call), output: why, outcome: "malformed" }));
}

function refused(call: Asked): Omit<ToolCall, "output" | "outcome"> {
  return { id: call.id, tool: call.tool, input: call.input, ends: false };
}

function bounded(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters)}\n[cut off: ${text.length - maxCharacters} more characters; ask for less]`;
}

/** Does not wait for a tool that ignores the signal. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
