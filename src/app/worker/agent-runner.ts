import { resolve } from "node:path";
import { codingAgent } from "../../adapters/agents/coding-agent.ts";
import { pricedAgent } from "../../adapters/agents/priced.ts";
import { type Config, agentVariables } from "../../config/config.ts";
import { environment as variables } from "../../config/environment.ts";
import { certificatesNamed } from "../../config/certificates.ts";
import type { AgentTokens } from "../../domain/work.ts";
import { RelayError } from "../../lib/errors.ts";
import { withSecrets } from "../../lib/own-secrets.ts";
import { random } from "../../lib/random.ts";
import { type PriceTable, costOf, costOfMany, entryFor, loadPrices } from "../../adapters/models/prices.ts";
import { findSandbox } from "../../adapters/sandbox/find.ts";
import type { Sandbox } from "../../adapters/sandbox/sandbox.ts";
import type { Lack } from "../../domain/plan.ts";
import { executeTask } from "../../implementation/execute-task.ts";
import { preflightPlan } from "../../implementation/preflight.ts";
import { agentChoice, tryWorker } from "./preflight.ts";
import type { WorkSettings, WorkerDeps } from "../../implementation/worker.ts";

type Parts = Omit<WorkerDeps, "agentName" | "equip" | "settings" | "home" | "random">;

/** Carries out plans in this process. */
export interface AgentRunner {
  executeTask: (taskId: string, asked?: "directly") => Promise<void>;
  /** Checks what the work of a plan needs, and stores what is missing (R-WORK-16). */
  preflight: (planId: string) => Promise<void>;
}

/** Milliseconds for which a successful check of sandbox, agent and key holds. */
const LOOK_HOLDS_MS = 60_000;

/**
 * Executes tasks with the configured agent and sandbox; null if no agent is configured. Looks for the sandbox on the
 * first task. Throws `config` for an unusable agent.
 */
export async function openAgentRunner(
  config: Config,
  parts: Parts,
  env: Record<string, string | undefined> | undefined,
): Promise<AgentRunner | null> {
  const { work } = config;
  if (work.agent === undefined) return null;
  const choice = agentChoice(work.agent, work);
  const agent = await codingAgent({ ...choice, sandboxed: true });
  const prices = loadPrices(config.models.prices);
  const settings: WorkSettings = {
    ...settingsOf(config, agentVariables(agent.variables, config, env), prices),
    certificates: certificatesNamed(work, variables(env)),
  };
  const priceOf = (tokens: AgentTokens) =>
    settings.model === null
      ? null
      : costOfMany(prices, `${settings.model.provider}/${settings.model.name}`, { ...tokens, estimated: false });
  let looking: Promise<Sandbox> | null = null;
  const equip = async () => {
    if (agent.needs !== undefined && Object.keys(settings.environment).length === 0)
      throw noKey(agent.name, agent.needs);
    looking ??= findSandbox({
      wanted: work.sandbox,
      container: work.container ?? null,
    }).catch((error: unknown) => {
      // A sandbox may be installed before the next task.
      looking = null;
      throw error;
    });
    const sandbox = await looking;
    const held = await codingAgent({ ...choice, sandboxed: sandbox.kind !== "none" });
    return { sandbox, agent: pricedAgent(held, priceOf) };
  };
  const deps: WorkerDeps = { ...parts, random, home: resolve(config.home), agentName: agent.name, equip, settings };
  const { agent: name } = work;
  let looked: { at: number; lacks: Promise<Lack[]> } | null = null;
  const look = async () => {
    const now = parts.clock.now().getTime();
    if (looked === null || now - looked.at >= LOOK_HOLDS_MS) {
      looked = { at: now, lacks: lacksOf(name, config, variables(env)) };
    }
    const lacks = await looked.lacks;
    // Somebody may be fixing it.
    if (lacks.length > 0) looked = null;
    return lacks;
  };
  return {
    // Secrets of the code stay hidden until the end, also in the message of a failure.
    executeTask: async (taskId, asked) =>
      await withSecrets([], async () => await executeTask(taskId, { ...deps, machineLacks: look }, asked)),
    preflight: async (planId) => await withSecrets([], async () => await preflightPlan(planId, look, deps)),
  };
}

async function lacksOf(
  name: NonNullable<Config["work"]["agent"]>,
  config: Config,
  env: Record<string, string | undefined>,
): Promise<Lack[]> {
  const lacks: Lack[] = [];
  await tryWorker(name, config, env, ({ what, ok }) => {
    if (!ok) lacks.push({ what, name: what === "sandbox" ? "" : name });
  });
  return lacks;
}

/** The operator's own login is not available in the sandbox: the agent's home is new for each run. */
function noKey(name: string, needs: string): RelayError {
  return new RelayError(
    "config",
    `${name} has no key here, and knows no login of yours; set ${needs} (docs/agents.md)`,
  );
}

const MOST_TOKENS = 20_000_000;

/**
 * Tokens of unknown price that a task may use: by default as many as its dollars buy at the prompt price of the
 * worker's model; null for no limit.
 */
export function tokensOf(
  { tokens, usd }: Pick<Config["work"], "tokens" | "usd">,
  model: WorkSettings["model"],
  prices: PriceTable,
): number | null {
  if (tokens !== undefined) return tokens === "off" ? null : tokens;
  const rate = model === null ? 0 : (entryFor(prices, `${model.provider}/${model.name}`)?.input ?? 0);
  return usd === "off" || rate === 0 ? MOST_TOKENS : Math.max(1_000, Math.round((usd / rate) * 1_000_000));
}

function settingsOf(
  { work }: Config,
  { models, environment, model }: ReturnType<typeof agentVariables>,
  prices: PriceTable,
): Omit<WorkSettings, "certificates"> {
  return {
    limits: {
      iterations: work.iterations,
      minutes: work.minutes,
      iterationMinutes: work.iteration_minutes,
      checkMinutes: work.check_minutes,
      usd: work.usd === "off" ? null : work.usd,
      tokens: tokensOf(work, model, prices),
    },
    scanCommand: work.scan_command ?? null,
    hosts: work.network,
    privateNetwork: work.private_network,
    readable: work.readable.map((path) => resolve(path)),
    blocked: work.blocked_paths,
    allowed: work.allowed_paths,
    reviewed: work.review_paths,
    memoryMb: work.memory_mb ?? null,
    processes: work.processes,
    diskMb: work.disk_mb,
    files: work.files,
    environment,
    models,
    gateway: {
      models: work.models,
      requestsPerMinute: work.requests_per_minute,
      priceOf: (name, usage) => costOf(prices, name, usage),
    },
    model,
  };
}
