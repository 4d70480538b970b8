import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { CodingAgent } from "../../adapters/agents/agent.ts";
import { type AgentChoice, codingAgent } from "../../adapters/agents/coding-agent.ts";
import { isOlder, versionLine } from "../../adapters/agents/version.ts";
import { probeSandbox } from "../../adapters/sandbox/find.ts";
import { installationOf } from "../../adapters/sandbox/installation.ts";
import { UNLIMITED, type Sandbox } from "../../adapters/sandbox/sandbox.ts";
import { type Config, agentVariables } from "../../config/config.ts";
import type { Lack } from "../../domain/plan.ts";
import { messageOf } from "../../lib/errors.ts";

/** Something that the work of a plan needs, and whether it is there. */
export interface Finding {
  what: Lack["what"];
  ok: boolean;
  /** For people. */
  detail: string;
  /** How to fix it; present if it is missing. */
  mend?: string;
}

type Report = (finding: Finding) => void;
type Environment = Record<string, string | undefined>;

const MEND_KEY =
  "set the variable, or name it in work.environment where only the agent itself can use it (docs/agents.md)";
const MEND_PROGRAM = "install it for the account that Relay runs as, so that it is on the PATH there (docs/agents.md)";

/**
 * Checks what the work of plans needs (R-WORK-16): the sandbox, with a small program; the coding agent in it, with
 * `--version`; and that its model has a key, which is not used: that would cost money. Never throws; calls `report` for
 * each.
 */
export async function tryWorker(
  name: NonNullable<Config["work"]["agent"]>,
  config: Config,
  env: Environment,
  report: Report,
): Promise<void> {
  const { work } = config;
  const probe = await probeSandbox({ wanted: work.sandbox, container: work.container ?? null });
  const { ok, detail } = probe;
  report({ what: "sandbox", ok, detail, ...(probe.ok ? {} : { mend: probe.mend }) });
  const sandboxed = work.sandbox !== "none";
  let agent: CodingAgent;
  try {
    agent = await codingAgent({ ...agentChoice(name, work), sandboxed });
  } catch (error) {
    const mend = "set work.command or work.patch (docs/agents.md)";
    report({ what: "agent", ok: false, detail: messageOf(error), mend });
    return;
  }
  if (probe.ok) await tryAgent(agent, work, probe.sandbox, report);
  if (agent.variables.length > 0) tryKey(agent, config, env, report);
}

async function tryAgent(agent: CodingAgent, work: Config["work"], sandbox: Sandbox, report: Report): Promise<void> {
  const { program, oldest } = agent;
  if (program === null) return;
  const isImage = sandbox.kind === "container";
  const mend = isImage ? "put it in the image of work.container.image" : MEND_PROGRAM;
  try {
    const own = isImage ? [] : await installationOf(program);
    const version = await versionIn(program, sandbox, [...work.readable.map((path) => resolve(path)), ...own]);
    const where = sandbox.kind === "none" ? "without a sandbox" : "in the sandbox";
    const detail = `${program} runs ${where}${version === "" ? "" : `: ${version}`}`;
    if (oldest === undefined || !isOlder(version, oldest)) return report({ what: "agent", ok: true, detail });
    const tooOld = `${detail}; the oldest version that Relay was tried with is ${oldest}`;
    report({ what: "version", ok: false, detail: tooOld, mend: `update ${program} (docs/agents.md)` });
  } catch (error) {
    report({ what: "agent", ok: false, detail: messageOf(error), mend });
  }
}

async function versionIn(program: string, sandbox: Sandbox, readable: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "relay-probe-"));
  try {
    const place = await sandbox.open({
      writable: [],
      readable,
      hosts: [],
      privateNetwork: [],
      models: [],
      folder,
      ...UNLIMITED,
    });
    try {
      return await versionLine(program, place.launch, sandbox.kind === "none" ? folder : "/tmp");
    } finally {
      await place.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether the agent will have a key; reveals no value. */
function tryKey(agent: CodingAgent, config: Config, env: Environment, report: Report): void {
  const { environment } = agentVariables(agent.variables, config, env);
  const names = agent.variables.filter((name) => /_(?:KEY|TOKEN)$/.test(name));
  const given = names.filter((name) => environment[name] !== undefined);
  if (given.length === 0 && names.length > 0 && agent.keyless !== true) {
    const detail = `none of ${names.join(", ")} is set for ${agent.name}`;
    return report({ what: "key", ok: false, detail, mend: MEND_KEY });
  }
  const passed = new Set(config.work.environment);
  const shown = given.map((name) => `${name} ${passed.has(name) ? "is given to it" : "stays outside the sandbox"}`);
  report({ what: "key", ok: true, detail: shown.length === 0 ? "none is set" : shown.join("; ") });
}

/** The coding agent as the configuration names it. */
export function agentChoice(
  name: NonNullable<Config["work"]["agent"]>,
  { command, patch }: Pick<Config["work"], "command" | "patch">,
): Omit<AgentChoice, "sandboxed"> {
  return {
    name,
    ...(command === undefined ? {} : { command }),
    ...(patch === undefined ? {} : { patch: resolve(patch) }),
  };
}
