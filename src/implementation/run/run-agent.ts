import type { AgentReport } from "../../adapters/agents/agent.ts";
import { agentAttributes, usageAttributes } from "../../adapters/models/gen-ai.ts";
import { loadPrompt } from "../../adapters/models/prompt.ts";
import type { Trouble } from "../../domain/outage.ts";
import type { IterationFacts } from "../../domain/work.ts";
import type { ExceededLimit } from "../../lib/launch.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import { inSpan, noteInSpan } from "../../lib/trace.ts";
import type { RunContext } from "./context.ts";
import { DONE_FILE, QUESTION_FILE, TASK_FILE } from "./notes.ts";
import { unpricedTokens } from "./progress.ts";

const MOST_OUTPUT_BYTES = 100 * 1024 * 1024;
const MINUTE = 60_000;
/** The lowest limit in US dollars that an agent gets, since 0 would mean no limit. */
const LEAST_USD = 0.01;

/** A report with the figures that count: those of Relay's gateway if the agent used it, else the agent's own. */
export interface CountedReport extends AgentReport {
  countedBy: "door" | "agent";
  /** Whether some of the tokens are estimates. */
  estimated: boolean;
  /** The limit at which it was killed, as its setting: `work.memory_mb: 512`; null if it was not killed. */
  bound: string | null;
  /** The outage that ended it, according to Relay's gateway or its own error; null without one. */
  trouble: Trouble | null;
}

/**
 * Runs the agent once, within the run's remaining time and money. If Relay's gateway leads to its model, the gateway
 * counts the money, whatever the agent says, and ends the agent at the limit (R-WORK-13).
 */
export async function runAgent(
  context: RunContext,
  facts: readonly IterationFacts[],
  remainingMs: number,
): Promise<CountedReport> {
  const { name } = context.agent;
  return await inSpan(`invoke_agent ${name}`, { attributes: agentAttributes(name) }, async () => {
    const report = await runCounted(context, facts, remainingMs);
    const { ending, tokens, usd } = report;
    if (tokens !== null) noteInSpan(usageAttributes({ ...tokens, estimated: report.estimated }, usd));
    noteInSpan({ "relay.outcome": ending.kind });
    if (ending.kind !== "finished") noteInSpan({ "error.type": ending.kind });
    return report;
  });
}

async function runCounted(
  context: RunContext,
  facts: readonly IterationFacts[],
  remainingMs: number,
): Promise<CountedReport> {
  const { agent, workspace, limits, log, environment, model, launch, signal, gateway } = context;
  const left = limits.usd === null ? null : Math.max(0, limits.usd - facts.reduce((sum, { usd }) => sum + usd, 0));
  const usedUp = new AbortController();
  const tokens = limits.tokens === null ? null : Math.max(0, limits.tokens - unpricedTokens(facts));
  gateway.allow({ usd: left, tokens }, () => usedUp.abort());
  const notes = relativeTo(workspace.directory, workspace.notes);
  const prompt = loadPrompt("worker").fill({
    task_file: `${notes}/${TASK_FILE}`,
    question_file: `${notes}/${QUESTION_FILE}`,
    done_file: `${notes}/${DONE_FILE}`,
    notes_folder: notes,
  });
  const timeoutMs = Math.max(1, Math.min(limits.iterationMinutes * MINUTE, remainingMs));
  const exceeded: ExceededLimit[] = [];
  const report = await agent
    .run({
      prompt,
      directory: workspace.directory,
      home: workspace.home,
      environment,
      model,
      timeoutMs,
      mostOutputBytes: MOST_OUTPUT_BYTES,
      maxTurns: null,
      maxUsd: left === null ? null : Math.max(LEAST_USD, left),
      launch: async (request) => {
        const running = await launch(request);
        const exit = running.exit.then((ended) => {
          if (ended.exceeded !== undefined) exceeded.push(ended.exceeded);
          return ended;
        });
        return { ...running, exit };
      },
      signal: AbortSignal.any([signal, usedUp.signal]),
      onEntry: ({ kind, text }) => log.add(kind, text),
    })
    .catch((error: unknown) => {
      if (!(error instanceof RelayError) || error.code !== "config") throw error;
      return notStarted(error);
    });
  const isWhole = timeoutMs < limits.iterationMinutes * MINUTE;
  const minutes = isWhole ? `work.minutes: ${limits.minutes}` : `work.iteration_minutes: ${limits.iterationMinutes}`;
  const bound = report.ending.kind === "timeout" ? minutes : boundOf(report, exceeded);
  const counted = { ...(await withCount(report, context)), bound, trouble: troubleOf(report, context) };
  if (usedUp.signal.aborted && !signal.aborted) {
    counted.trouble = null;
    counted.ending = {
      kind: "limit",
      detail:
        left === null || (counted.usd ?? 0) < left
          ? `the ${limits.tokens ?? 0} tokens that this run may use of models without a known price are used up`
          : `the $${(limits.usd ?? 0).toFixed(2)} that this run may cost are used up`,
    };
  }
  log.add(counted.ending.kind === "finished" ? "step" : "problem", `The agent ended: ${endingText(counted)}`);
  return counted;
}

/** The configuration's name for each limit of the sandbox. */
const SETTINGS = {
  memory: "work.memory_mb",
  processes: "work.processes",
  disk: "work.disk_mb",
  files: "work.files",
  room: "RELAY_HOME",
} as const;

/** Null for agents that finished: a limit may kill one of an agent's programs without ending the agent. */
function boundOf({ ending }: AgentReport, exceeded: readonly ExceededLimit[]): string | null {
  const [first] = exceeded;
  if (first === undefined || ending.kind === "finished" || ending.kind === "stopped") return null;
  return `${SETTINGS[first.of]}: ${first.most ?? first.text}`;
}

/**
 * The gateway knows the model's last answer, even if the agent treats an outage as an ordinary end. Without the
 * gateway, only the agent's error tells.
 */
function troubleOf({ ending }: AgentReport, { agent, gateway }: RunContext): Trouble | null {
  if (ending.kind === "limit" || ending.kind === "stopped" || ending.kind === "flooded") return null;
  const last = gateway.last();
  if (last === "none") {
    if (ending.kind !== "failed" || ending.passing !== true) return null;
    return { of: "model", why: `${agent.name} does not get through to its model`, retryAfterMs: null };
  }
  if (last === "answered" || !last.retryable) return null;
  return { of: "model", why: last.brief, retryAfterMs: last.retryAfterMs ?? null };
}

function notStarted(error: RelayError): AgentReport {
  const ending = { kind: "failed", detail: messageOf(error), usable: false } as const;
  return { ending, summary: "", denied: [], usd: 0, tokens: null };
}

/** The report, with the gateway's figures if the agent used it; logs that Relay counted them. */
async function withCount(
  report: AgentReport,
  { gateway, log }: RunContext,
): Promise<Omit<CountedReport, "trouble" | "bound">> {
  const { calls, usage, costUsd } = await gateway.read();
  if (calls === 0) return { ...report, countedBy: "agent", estimated: false };
  const { estimated, ...tokens } = usage;
  const cost = costUsd === null ? "of unknown cost" : `$${costUsd.toFixed(4)}`;
  const roughly = estimated ? ", partly estimated" : "";
  log.add(
    "step",
    `Counted by Relay at the model: ${calls} answers, ${tokens.input} tokens in, ${tokens.output} out, ${cost}${roughly}`,
  );
  return { ...report, usd: costUsd, tokens, countedBy: "door", estimated };
}

function endingText({ ending }: AgentReport): string {
  return "detail" in ending && ending.detail !== "" ? `${ending.kind}: ${ending.detail}` : ending.kind;
}

function relativeTo(directory: string, path: string): string {
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}
