import { inSpan, noteInSpan } from "../../lib/trace.ts";
import { type Candidate, candidate } from "./candidate.ts";
import { guardedFetch } from "./http.ts";
import type { AgentModel, AgentOutcome, AgentRequest, AgentStep, ModelFailure, ToolChoice } from "./model.ts";
import { type LimitKind, type RunLimits, DEFAULT_LIMITS } from "./limits.ts";
import { agentAttributes } from "./gen-ai.ts";
import { type CallParts, type RunState, nextAnswer } from "./next-answer.ts";
import { type Timeouts, DEFAULT_TIMEOUTS } from "./timeouts.ts";
import type { Fetch } from "./providers/provider.ts";
import type { ModelConnection } from "./providers/registry.ts";
import { type RetryPolicy, DEFAULT_RETRY } from "./retry.ts";
import { NOTHING_USED, limitReached } from "./usage.ts";
import type { AnswerPart, Entry } from "./conversation.ts";
import { failure } from "./failure.ts";
import { promptText } from "./call.ts";
import { promptHash, textOf } from "./record.ts";
import { countTokens } from "./tokens.ts";
import { notRun, runCalls } from "./tool-calls.ts";
import type { AgentTool, ToolCall } from "./tool.ts";
import { writtenCalls } from "./written-calls.ts";
import type { Finish } from "./answer.ts";

export interface AgentModelOptions extends Omit<CallParts, "retry" | "timeouts"> {
  /** The first choice, then the fallbacks; each is used only after a transient failure of the one before it. */
  models: readonly [ModelConnection, ...ModelConnection[]];
  retry?: RetryPolicy;
  timeouts?: Timeouts;
  /** Multiplies the time that each run may take; default 1. */
  runFactor?: number;
  fetch?: Fetch;
}

/** Builds the agent for one role. Throws `config` for a model without an address. */
export function createAgentModel(options: AgentModelOptions): AgentModel {
  const fetch = guardedFetch(options.fetch ?? globalThis.fetch);
  const [first, ...others] = options.models;
  const primary = candidate(first, options.prices, fetch);
  const chain = [primary, ...others.map((other) => candidate(other, options.prices, fetch))];
  const parts: CallParts = { retry: DEFAULT_RETRY, timeouts: DEFAULT_TIMEOUTS, ...options };
  const factor = options.runFactor ?? 1;
  return {
    name: primary.name,
    run: async (request) =>
      await inSpan(`invoke_agent ${request.role}`, { attributes: agentAttributes(request.role) }, async () => {
        const outcome = await run(request, chain, parts, factor);
        noteInSpan({ "relay.outcome": outcome.kind });
        if (outcome.kind === "failed") noteInSpan({ "error.type": outcome.failure.kind });
        return outcome;
      }),
  };
}

/**
 * What the first call of a run sends: its hash, as `ModelCall` has it, and its tokens, as `limits.promptTokens` counts
 * them.
 */
export async function measurePrompt(
  request: Pick<AgentRequest, "system" | "turns" | "tools">,
): Promise<{ hash: string; tokens: number }> {
  const { system, turns, tools = [] } = request;
  const prompt = { system, tools, entries: turns.map(entryOf) };
  return { hash: promptHash(prompt), tokens: await countTokens(promptText(prompt)) };
}

async function run(
  request: AgentRequest,
  chain: readonly Candidate[],
  parts: CallParts,
  factor: number,
): Promise<AgentOutcome> {
  const given = { ...DEFAULT_LIMITS, ...request.limits };
  const limits = { ...given, ms: given.ms * factor };
  const deadline = AbortSignal.timeout(limits.ms);
  const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
  const began = parts.clock.now().getTime();
  const state: RunState = {
    role: request.role,
    step: 0,
    current: 0,
    fellBackFrom: [],
    total: NOTHING_USED,
    sentEntries: 0,
  };
  const steps: AgentStep[] = [];
  const end = await converse(request, chain, { limits, signal, parts, state, steps });
  const timeIsUp = end.kind === "aborted" && request.signal?.aborted !== true;
  return {
    ...(timeIsUp ? { kind: "limit", limit: "time", text: steps.at(-1)?.text ?? "" } : end),
    model: chain[state.current]?.name ?? "",
    fellBackFrom: state.fellBackFrom,
    steps,
    ...state.total,
    ms: parts.clock.now().getTime() - began,
  };
}

type End =
  | { kind: "finished"; text: string; endedBy: ToolCall | null }
  | { kind: "limit"; limit: LimitKind; text: string }
  | { kind: "refused"; text: string }
  | { kind: "failed"; failure: ModelFailure }
  | { kind: "aborted" };

/** Useless answers in a row, or identical ones, after which a run fails. */
const MOST_STUMBLES = 3;
/** OpenAI rejects smaller limits. */
const LEAST_ANSWER_TOKENS = 16;
/** Answers at the end of a run in which the tool that ends it is demanded. */
const LAST_ANSWERS = 2;
const NOT_RUN = "Not run: the answer that held this call was cut off.";

/** Answer by answer until the run ends; keeps `state` and `steps` up to date, so that no ending loses them. */
async function converse(
  request: AgentRequest,
  chain: readonly Candidate[],
  job: { limits: RunLimits; signal: AbortSignal; parts: CallParts; state: RunState; steps: AgentStep[] },
): Promise<End> {
  const { limits, signal, state, steps } = job;
  const tools = request.tools ?? [];
  const entries: Entry[] = request.turns.map(entryOf);
  let stumbles = 0;
  let reminded = false;
  let same = { calls: "", times: 0 };
  for (;;) {
    const text = steps.at(-1)?.text ?? "";
    if (state.step >= limits.steps) return { kind: "limit", limit: "steps", text };
    state.step += 1;
    const tokensLeft = Math.max(LEAST_ANSWER_TOKENS, limits.outputTokens - state.total.usage.output);
    const answer = await nextAnswer(
      {
        system: request.system,
        entries,
        tools,
        toolChoice: toolChoiceOf(request, limits.steps - state.step),
        maxOutputTokens: Math.min(limits.answerTokens, tokensLeft),
        maxCharacters: limits.answerCharacters,
        temperature: request.temperature,
      },
      chain,
      state,
      job,
    );
    state.sentEntries = entries.length;
    if (answer.kind === "failed" || answer.kind === "aborted") return answer;
    if (answer.kind === "limit") return { ...answer, text };
    const step: AgentStep = { text: textOf(answer), calls: [], finishReason: answer.finishReason ?? "" };
    steps.push(step);
    if (answer.kind === "overlong") return { kind: "limit", limit: "answer_length", text: step.text };

    const model = chain[state.current]?.name ?? "";
    const parts = withWrittenCalls(answer.parts, tools, state.step);
    const verdict = classify(parts, answer.finish, tools.length > 0);
    switch (verdict.kind) {
      case "refused":
        return { kind: "refused", text: step.text };
      case "cut":
        return { kind: "limit", limit: "answer_length", text: step.text };
      case "words":
        if (request.reminder === undefined || reminded) return { kind: "finished", text: step.text, endedBy: null };
        reminded = true;
        entries.push({ role: "assistant", parts: answer.parts, model });
        addUserTurn(entries, request.reminder);
        break;
      case "stumble": {
        stumbles += 1;
        if (stumbles >= MOST_STUMBLES) {
          if (verdict.why === "length") return { kind: "limit", limit: "answer_length", text: step.text };
          return gaveUp(model, "its answers were empty");
        }
        if (step.text !== "" || verdict.calls.length > 0)
          entries.push({ role: "assistant", parts: answer.parts, model });
        step.calls = notRun(verdict.calls, NOT_RUN);
        if (step.calls.length > 0) entries.push(resultsOf(step.calls));
        addUserTurn(entries, verdict.hint);
        break;
      }
      case "calls": {
        const asked = JSON.stringify(verdict.calls.map((call) => [call.tool, call.input]));
        same = { calls: asked, times: asked === same.calls ? same.times + 1 : 1 };
        if (same.times >= MOST_STUMBLES) {
          const wrong = steps.at(-2)?.calls ?? [];
          if (wrong.length > 0 && allWrong(wrong)) return gaveUp(model, whyWrong(wrong));
          return { kind: "limit", limit: "repeats", text: step.text };
        }
        entries.push({ role: "assistant", parts, model });
        const called = await runToolCalls(verdict.calls, {
          tools,
          step: state.step,
          maxCharacters: limits.toolCharacters,
          signal,
        });
        if (called === null) return { kind: "aborted" };
        step.calls = called;
        entries.push(resultsOf(called));
        const endedBy = called.find((call) => call.ends);
        if (endedBy !== undefined) return { kind: "finished", text: step.text, endedBy };
        stumbles = allWrong(called) ? stumbles + 1 : 0;
        if (stumbles >= MOST_STUMBLES) return gaveUp(model, whyWrong(called));
        break;
      }
    }
    const reached = limitReached(state.total, limits);
    if (reached !== null) return { kind: "limit", limit: reached, text: step.text };
  }
}

async function runToolCalls(...call: Parameters<typeof runCalls>): Promise<ToolCall[] | null> {
  try {
    return await runCalls(...call);
  } catch (error) {
    if (call[1].signal.aborted) return null;
    throw error;
  }
}

function gaveUp(model: string, why: string): End {
  return { kind: "failed", failure: failure("invalid_answer", model, { detail: why }) };
}

function entryOf(turn: AgentRequest["turns"][number]): Entry {
  if (turn.role === "user") {
    return { role: "user", text: turn.content, cacheBreakpoint: turn.cacheBreakpoint ?? false };
  }
  return { role: "assistant", parts: [{ type: "text", text: turn.content, metadata: undefined }], model: "" };
}

function resultsOf(calls: readonly ToolCall[]): Entry {
  return {
    role: "tool",
    results: calls.map(({ id, tool, output, outcome }) => ({ callId: id, tool, output, isError: outcome !== "ok" })),
  };
}

/** Adds a user's turn, to the previous one if that is a user's too: some servers reject two in a row. */
function addUserTurn(entries: Entry[], text: string): void {
  const last = entries.at(-1);
  if (last?.role === "user") entries[entries.length - 1] = { ...last, text: `${last.text}\n\n${text}` };
  else entries.push({ role: "user", text, cacheBreakpoint: false });
}

type AskedCall = Extract<AnswerPart, { type: "call" }>;

/** The effect of an answer on the run. */
type AnswerClass =
  | { kind: "refused" }
  | { kind: "calls"; calls: AskedCall[] }
  /** It is unusable; the model gets `hint`. */
  | { kind: "stumble"; why: "length" | "empty"; hint: string; calls: AskedCall[] }
  /** Cut off, in a run without tools, where the beginning may be useful. */
  | { kind: "cut" }
  | { kind: "words" };

const CUT_OFF = "Your answer was cut off, because it was too long, and nothing of it ran. Answer again, much shorter.";
const EMPTY = "Your answer was empty. Continue with the task, and call a tool where one fits.";

/** Decides what to do with an answer that the provider calls complete. */
function classify(parts: readonly AnswerPart[], finish: Exclude<Finish, "broken">, hasTools: boolean): AnswerClass {
  const calls = parts.filter((part) => part.type === "call");
  if (finish === "refused") return { kind: "refused" };
  if (finish === "length" && !hasTools) return { kind: "cut" };
  // The last call may be incomplete, and the ones before may depend on it.
  if (finish === "length") return { kind: "stumble", why: "length", hint: CUT_OFF, calls };
  if (calls.length > 0) return { kind: "calls", calls };
  const wordless = parts.every((part) => part.type !== "text" || part.text.trim() === "");
  return wordless ? { kind: "stumble", why: "empty", hint: EMPTY, calls: [] } : { kind: "words" };
}

/** The parts of an answer, with the calls that it only wrote as text if it makes none. */
function withWrittenCalls(parts: AnswerPart[], tools: readonly AgentTool[], step: number): AnswerPart[] {
  if (tools.length === 0 || parts.some((part) => part.type === "call")) return parts;
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return [...parts, ...writtenCalls(text, tools, step)];
}

function toolChoiceOf({ toolChoice, endsBy }: AgentRequest, left: number): ToolChoice {
  return endsBy !== undefined && left < LAST_ANSWERS ? { tool: endsBy } : (toolChoice ?? "auto");
}

const WRONG: Partial<Record<ToolCall["outcome"], string>> = {
  malformed: "the arguments are not JSON",
  off_schema: "the arguments do not fit the tool",
  unknown_tool: "there is no such tool",
};

function whyWrong(calls: readonly ToolCall[]): string {
  const causes = calls.map(({ tool, outcome }) => `${tool}: ${WRONG[outcome] ?? outcome}`);
  return `its tool calls were wrong ${MOST_STUMBLES} times in a row (${[...new Set(causes)].join("; ")})`;
}

/** Whether every call of an answer was invalid. */
function allWrong(calls: readonly ToolCall[]): boolean {
  return calls.every((call) => ["malformed", "off_schema", "unknown_tool"].includes(call.outcome));
}
