import { environmentWith, exec } from "../../../lib/exec.ts";
import type { ExecResult } from "../../../lib/exec.ts";

const ANSWER_MS = 30_000;

/** Asks docker or podman for something small. */
export async function askEngine(command: string, args: readonly string[]): Promise<ExecResult> {
  return await exec(command, args, { timeoutMs: ANSWER_MS, env: clientEnvironment() });
}

/** Best effort: what is gone already cannot be ended. */
export async function tellEngine(command: string, args: readonly string[]): Promise<void> {
  await askEngine(command, args).catch(() => {});
}

const CLIENTS_OWN = /^(?:PATH|HOME|TMPDIR|XDG_\w+|DOCKER_\w+|CONTAINER_\w+|CONTAINERS_\w+|DBUS_SESSION_BUS_ADDRESS)$/;

/** What docker or podman itself needs to find its service. */
export function clientEnvironment(): Record<string, string> {
  const found = Object.entries(environmentWith({})).filter(([name]) => CLIENTS_OWN.test(name));
  return Object.fromEntries(found.map(([name, value]) => [name, value ?? ""]));
}
