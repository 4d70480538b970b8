import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { CodingAgent } from "../../adapters/agents/agent.ts";
import { type AgentChoice, codingAgent } from "../../adapters/agents/coding-agent.ts";
import { type Config, agentVariables } from "../../config/config.ts";
import { messageOf, RelayError } from "../../lib/errors.ts";
import { probeSandbox } from "../../adapters/sandbox/find.ts";
import { installationOf } from "../../adapters/sandbox/installation.ts";
import type { Sandbox } from "../../adapters/sandbox/sandbox.ts";
import { agentChoice } from "../../app/agent-runner.ts";
import { type Report, attempt } from "./check.ts";

const LONGEST_MS = 60_000;
const MOST_BYTES = 100_000;

/**
 * What carries plans out: the sandbox, tried with a small program; the coding agent, tried in it with `--version`; and
 * the key of its model, which is not tried: that would cost money.
 */
export async function examineWorker(
  name: NonNullable<Config["work"]["agent"]>,
  config: Config,
  env: Record<string, string | undefined>,
  report: Report,
): Promise<void> {
  const { work } = config;
  const probe = await probeSandbox({ wanted: work.sandbox, container: work.container ?? null });
  const { ok, detail } = probe;
  report({ name: "sandbox", ok, detail, ...(probe.ok ? {} : { mend: probe.mend }) });
  const choice = agentChoice(name, work);
  const agent = await examineAgent(choice, config, probe.ok ? probe.sandbox : null, report);
  if (agent === null) return;
  if (agent.variables.length === 0) return;
  const mend =
    "set the variable, or name it in work.environment where only the agent itself can use it (docs/agents.md)";
  await attempt(report, { name: "coding agent's key", mend }, () => ({
    value: true,
    detail: keyDetail(agent, config, env),
  }));
}

/** Null if its settings define none. */
async function examineAgent(
  choice: Omit<AgentChoice, "sandboxed">,
  { work }: Config,
  sandbox: Sandbox | null,
  report: Report,
): Promise<CodingAgent | null> {
  const mend =
    sandbox?.kind === "container"
      ? "put it in the image of work.container.image"
      : "install it for the account that Relay runs as, so that it is on the PATH there (docs/agents.md)";
  const name = "coding agent";
  let agent: CodingAgent;
  try {
    agent = await codingAgent({ ...choice, sandboxed: work.sandbox !== "none" });
  } catch (error) {
    report({ name, ok: false, detail: messageOf(error), mend: "set work.command or work.patch (docs/agents.md)" });
    return null;
  }
  const { program } = agent;
  if (program === null || sandbox === null) return agent;
  await attempt(report, { name, mend }, async () => {
    const own = sandbox.kind === "container" ? [] : await installationOf(program);
    const version = await versionOf(program, sandbox, [...work.readable.map((path) => resolve(path)), ...own]);
    const where = sandbox.kind === "none" ? "without a sandbox" : "in the sandbox";
    return { value: true, detail: `${program} runs ${where}${version === "" ? "" : `: ${version}`}` };
  });
  return agent;
}

/** The output of `--version`; empty without such an option. Throws if the program cannot be started. */
async function versionOf(program: string, sandbox: Sandbox, readable: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "relay-probe-"));
  try {
    const place = await sandbox.open({
      writable: [],
      readable,
      hosts: [],
      privateNetwork: [],
      models: [],
      folder,
      memoryMb: null,
      processes: null,
      diskMb: null,
      files: null,
    });
    try {
      const started = await place.launch({
        command: program,
        args: ["--version"],
        cwd: sandbox.kind === "none" ? folder : "/tmp",
        environment: {},
        stdin: "closed",
        timeoutMs: LONGEST_MS,
        mostOutputBytes: MOST_BYTES,
      });
      const [output, errors, exit] = await Promise.all([text(started.stdout), text(started.stderr), started.exit]);
      // A shell's exit codes for a program, or its interpreter, that is missing or not executable.
      if (exit.code === 126 || exit.code === 127) {
        throw new RelayError("config", `${program} cannot be run in the sandbox: ${firstLine(errors)}`);
      }
      return exit.ending === "exit" && exit.code === 0 ? firstLine(output) : "";
    } finally {
      await place.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function firstLine(output: string): string {
  return (output.trim().split("\n")[0] ?? "").replaceAll(/[^\u0020-\u007e]/g, "").slice(0, 100);
}

/** Whether the agent will have a key; reveals no value. */
function keyDetail(agent: CodingAgent, config: Config, env: Record<string, string | undefined>): string {
  const { environment } = agentVariables(agent.variables, config, env);
  const names = agent.variables.filter((name) => /_(?:KEY|TOKEN)$/.test(name));
  const given = names.filter((name) => environment[name] !== undefined);
  if (given.length === 0 && names.length > 0 && agent.keyless !== true) {
    throw new RelayError("config", `none of ${names.join(", ")} is set for ${agent.name}`);
  }
  if (given.length === 0) return "none is set";
  const passed = new Set(config.work.environment);
  return given.map((name) => `${name} ${passed.has(name) ? "is given to it" : "stays outside the sandbox"}`).join("; ");
}
