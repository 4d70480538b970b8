import { environmentWith, exec, type ExecResult } from "../../../lib/exec.ts";

const ANSWER_MS = 30_000;

/** Runs a short command of docker or podman. */
export async function askEngine(command: string, args: readonly string[]): Promise<ExecResult> {
  return await exec(command, args, { timeoutMs: ANSWER_MS, env: clientEnvironment() });
}

/** The same, best effort: the container may be gone already. */
export async function tryEngine(command: string, args: readonly string[]): Promise<void> {
  await askEngine(command, args).catch(() => {});
}

const CLIENTS_OWN = /^(?:PATH|HOME|TMPDIR|XDG_\w+|DOCKER_\w+|CONTAINER_\w+|CONTAINERS_\w+|DBUS_SESSION_BUS_ADDRESS)$/;

/** The variables with which docker or podman finds its service. */
export function clientEnvironment(): Record<string, string> {
  const found = Object.entries(environmentWith({})).filter(([name]) => CLIENTS_OWN.test(name));
  return Object.fromEntries(found.map(([name, value]) => [name, value ?? ""]));
}
