import type { Candidate } from "./candidate.ts";
import { candidate } from "./candidate.ts";
import { guardedFetch } from "./http.ts";
import type { AgentModel, AgentOutcome, AgentRequest, AgentStep, ModelFailure } from "./model.ts";
import type { LimitKind, RunLimits } from "./limits.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import type { CallParts, RunState } from "./next-answer.ts";
import { nextAnswer } from "./next-answer.ts";
import type { Patience } from "./timeouts.ts";
import { DEFAULT_PATIENCE } from "./timeouts.ts";
import type { Fetch } from "./providers/provider.ts";
import type { ModelConnection } from "./providers/registry.ts";
import type { RetryPolicy } from "./retry.ts";
import { DEFAULT_RETRY } from "./retry.ts";
import { EMPTY_TALLY, limitReached } from "./usage-total.ts";
import type { AnswerPart, Entry } from "./conversation.ts";
import { failure } from "./failure.ts";
import { textOf } from "./record.ts";
import { notRun, runCalls } from "./tool-calls.ts";
import type { ToolCall } from "./tool.ts";
import type { Finish } from "./answer.ts";

export interface AgentModelOptions extends Omit<CallParts, "retry" | "patience"> {
  /** The first choice, then the fallbacks, each used only after the one before it failed for a passing reason. */
  models: readonly [ModelConnection, ...ModelConnection[]];
  retry?: RetryPolicy;
  patience?: Patience;
  fetch?: Fetch;
}

/** Builds the agent for one role. Throws `config` for a model that cannot be reached for lack of an address. */
export function createAgentModel(options: AgentModelOptions): AgentModel {
  const fetch = guardedFetch(options.fetch ?? globalThis.fetch);
  const [first, ...others] = options.models;
  const primary = candidate(first, options.prices, fetch);
  const chain = [primary, ...others.map((other) => candidate(other, options.prices, fetch))];
  const parts: CallParts = { retry: DEFAULT_RETRY, patience: DEFAULT_PATIENCE, ...options };
  return { name: primary.name, run: async (request) => await run(request, chain, parts) };
}

async function run(request: AgentRequest, chain: readonly Candidate[], parts: CallParts): Promise<AgentOutcome> {
  const limits = { ...DEFAULT_LIMITS, ...request.limits };
  const deadline = AbortSignal.timeout(limits.ms);
  const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
  const began = parts.clock.now().getTime();
  const state: RunState = {
    role: request.role,
    step: 0,
    current: 0,
    fellBackFrom: [],
    tally: EMPTY_TALLY,
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
    ...state.tally,
    ms: parts.clock.now().getTime() - began,
  };
}

type End =
  | { kind: "finished"; text: string; endedBy: ToolCall | null }
  | { kind: "limit"; limit: LimitKind; text: string }
  | { kind: "refused"; text: string }
  | { kind: "failed"; failure: ModelFailure }
  | { kind: "aborted" };

/** Useless answers in a row, or equal ones, after which a run is given up. */
const PATIENCE = 3;
/** OpenAI takes no smaller limit. */
const LEAST_ANSWER_TOKENS = 16;
const NOT_RUN = "Not run: the answer that held this call was cut off.";

/** Answer by answer until something ends it; fills `state` and `steps` as it goes, so that no end loses them. */
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
    const tokensLeft = Math.max(LEAST_ANSWER_TOKENS, limits.outputTokens - state.tally.usage.output);
    const answer = await nextAnswer(
      {
        system: request.system,
        entries,
        tools,
        toolChoice: request.toolChoice ?? "auto",
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
    const verdict = judge(answer.parts, answer.finish, tools.length > 0);
    switch (verdict.kind) {
      case "refused":
        return { kind: "refused", text: step.text };
      case "cut":
        return { kind: "limit", limit: "answer_length", text: step.text };
      case "words":
        if (request.reminder === undefined || reminded) return { kind: "finished", text: step.text, endedBy: null };
        reminded = true;
        entries.push({ role: "assistant", parts: answer.parts, model });
        say(entries, request.reminder);
        break;
      case "stumble": {
        stumbles += 1;
        if (stumbles >= PATIENCE) {
          if (verdict.why === "length") return { kind: "limit", limit: "answer_length", text: step.text };
          return gaveUp(model, "its answers were empty");
        }
        if (step.text !== "" || verdict.calls.length > 0)
          entries.push({ role: "assistant", parts: answer.parts, model });
        step.calls = notRun(verdict.calls, NOT_RUN);
        if (step.calls.length > 0) entries.push(resultsOf(step.calls));
        say(entries, verdict.hint);
        break;
      }
      case "calls": {
        const asked = JSON.stringify(verdict.calls.map((call) => [call.tool, call.input]));
        same = { calls: asked, times: asked === same.calls ? same.times + 1 : 1 };
        if (same.times >= PATIENCE) return { kind: "limit", limit: "repeats", text: step.text };
        entries.push({ role: "assistant", parts: answer.parts, model });
        const called = await executeTask(verdict.calls, {
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
        if (stumbles >= PATIENCE) return gaveUp(model, `its tool calls were wrong ${PATIENCE} times in a row`);
        break;
      }
    }
    const reached = limitReached(state.tally, limits);
    if (reached !== null) return { kind: "limit", limit: reached, text: step.text };
  }
}

async function executeTask(...call: Parameters<typeof runCalls>): Promise<ToolCall[] | null> {
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

/** Some servers take no two turns of a user in a row: then the one before gets longer. */
function say(entries: Entry[], text: string): void {
  const last = entries.at(-1);
  if (last?.role === "user") entries[entries.length - 1] = { ...last, text: `${last.text}\n\n${text}` };
  else entries.push({ role: "user", text, cacheBreakpoint: false });
}

type AskedCall = Extract<AnswerPart, { type: "call" }>;

/** What an answer means for the run. */
type Verdict =
  | { kind: "refused" }
  | { kind: "calls"; calls: AskedCall[] }
  /** Nothing can be done with it; `hint` is told to the model. */
  | { kind: "stumble"; why: "length" | "empty"; hint: string; calls: AskedCall[] }
  /** Cut off, in a run without tools, where what there is may be of use. */
  | { kind: "cut" }
  | { kind: "words" };

const CUT_OFF =
  "Your answer was cut off, as it was too long; nothing of it was carried out. Answer again, much shorter.";
const EMPTY = "Your answer was empty. Go on with the task, and call a tool where one is meant for it.";

/** Decides what to do with an answer that came in whole, as far as the provider says. */
function judge(parts: readonly AnswerPart[], finish: Exclude<Finish, "broken">, hasTools: boolean): Verdict {
  const calls = parts.filter((part) => part.type === "call");
  if (finish === "refused") return { kind: "refused" };
  if (finish === "length" && !hasTools) return { kind: "cut" };
  // The last call may lack its end, and those before it may rely on it.
  if (finish === "length") return { kind: "stumble", why: "length", hint: CUT_OFF, calls };
  if (calls.length > 0) return { kind: "calls", calls };
  const wordless = parts.every((part) => part.type !== "text" || part.text.trim() === "");
  return wordless ? { kind: "stumble", why: "empty", hint: EMPTY, calls: [] } : { kind: "words" };
}

/** Whether a model got not one of its calls right. */
function allWrong(calls: readonly ToolCall[]): boolean {
  return calls.every((call) => ["malformed", "off_schema", "unknown_tool"].includes(call.outcome));
}
