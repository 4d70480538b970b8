import { RelayError } from "../../lib/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Finish, type IncomingAnswer, incomingAnswer } from "./answer.ts";
import type { Candidate } from "./candidate.ts";
import { type AnswerPart, type Entry, promptFor } from "./conversation.ts";
import { failure, failureOf } from "./failure.ts";
import type { ModelFailure, ToolChoice } from "./model.ts";
import { type Timeouts, startTimeouts } from "./timeouts.ts";
import type { CallOptions } from "./providers/provider.ts";
import { countTokens } from "./tokens.ts";
import type { AgentTool } from "./tool.ts";
import { type Usage, NO_USAGE } from "./usage.ts";

export interface CallRequest {
  system: string;
  entries: readonly Entry[];
  tools: readonly AgentTool[];
  toolChoice: ToolChoice;
  maxOutputTokens: number;
  maxCharacters: number;
  temperature: number | undefined;
}

/** The result of one attempt; a failed one may have a partial answer, and may have cost money. */
export type CallResult = {
  parts: AnswerPart[];
  finishReason: string | null;
  usage: Usage;
  startedAt: Date;
  ms: number;
} & (
  | { kind: "answered"; finish: Exclude<Finish, "broken"> }
  /** Longer than `maxCharacters`; not read to its end. */
  | { kind: "overlong" }
  | { kind: "failed"; failure: ModelFailure }
  | { kind: "aborted" }
);

type End =
  | { kind: "answered"; finish: Exclude<Finish, "broken"> }
  | { kind: "overlong" }
  | { kind: "failed"; failure: ModelFailure }
  | { kind: "aborted" };

/**
 * One attempt at one answer, streamed, so that silence is noticed and a broken answer is still counted. It never
 * retries. Throws only for faults of Relay itself.
 */
export async function callModel(
  candidate: Candidate,
  request: CallRequest,
  { clock, timeouts, signal }: { clock: Clock; timeouts: Timeouts; signal: AbortSignal },
): Promise<CallResult> {
  const { name, connection } = candidate;
  const { model } = await candidate.open();
  const startedAt = clock.now();
  const watch = startTimeouts(timeouts);
  const answer = incomingAnswer(candidate.provider);
  let began = false;
  let end: End;
  // A cancelled stream may end like a broken one, or like a complete one.
  const stopped = (): End | null => {
    const timeout = watch.over(name);
    if (signal.aborted) return { kind: "aborted" };
    return timeout === null ? null : { kind: "failed", failure: timeout };
  };
  try {
    const { stream } = await model.doStream({
      ...optionsFor(candidate, request),
      abortSignal: AbortSignal.any([signal, watch.signal]),
    });
    end = { kind: "failed", failure: failure("cut_short", name, { detail: "the stream ended without an end" }) };
    for await (const part of stream) {
      watch.received();
      if (part.type === "error") throw part.error;
      answer.take(part);
      began ||= part.type !== "stream-start";
      if (answer.characters() > request.maxCharacters) {
        end = { kind: "overlong" };
        break;
      }
    }
    if (end.kind === "failed") end = stopped() ?? endOf(answer, end.failure);
  } catch (error) {
    if (error instanceof RelayError) throw error;
    end = stopped() ?? {
      kind: "failed",
      failure: failureOf(error, { model: name, key: connection.apiKey, began, now: clock.now() }),
    };
  } finally {
    watch.stop();
  }
  const ms = clock.now().getTime() - startedAt.getTime();
  const usage = answer.usage() ?? (await estimate(request, answer, end));
  return { ...end, parts: answer.parts(), finishReason: answer.finish()?.raw ?? null, usage, startedAt, ms };
}

function endOf(answer: IncomingAnswer, cutShort: ModelFailure): End {
  const finish = answer.finish();
  if (finish === null || finish.reason === "broken") return { kind: "failed", failure: cutShort };
  return { kind: "answered", finish: finish.reason };
}

function optionsFor({ name, provider }: Candidate, request: CallRequest): CallOptions {
  const { tools, toolChoice } = request;
  return {
    prompt: promptFor(name, request.system, request.entries),
    maxOutputTokens: request.maxOutputTokens,
    includeRawChunks: true,
    ...(provider.options === undefined ? {} : { providerOptions: provider.options }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool) => ({
            type: "function",
            name: tool.name,
            description: tool.description,
            inputSchema: tool.schema,
          })),
          toolChoice:
            typeof toolChoice === "string" ? { type: toolChoice } : { type: "tool", toolName: toolChoice.tool },
        }),
  };
}

/** Rejected requests cost nothing; a broken answer is counted, by the provider's counts or by Relay's own. */
async function estimate(request: CallRequest, answer: IncomingAnswer, end: End): Promise<Usage> {
  const said = answer.said();
  const free = end.kind === "failed" && end.failure.kind !== "timeout" && end.failure.kind !== "cut_short";
  const known = answer.known();
  if (free && said === "" && known.input === null) return NO_USAGE;
  const output = known.output ?? 0;
  return {
    ...NO_USAGE,
    input: known.input ?? (await countTokens(promptText(request))),
    output: Math.max(output, await countTokens(said)),
    estimated: known.input === null || known.output === null,
  };
}

/** Everything that a model reads, as one text: to count it, and to hash it. */
export function promptText({ system, tools, entries }: Pick<CallRequest, "system" | "tools" | "entries">): string {
  return JSON.stringify([system, tools.map(({ name, description, schema }) => [name, description, schema]), entries]);
}
