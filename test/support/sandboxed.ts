import { text } from "node:stream/consumers";
import type { Exit, Launch, LaunchRequest } from "../../src/lib/launch.ts";

export interface Outcome extends Exit {
  stdout: string;
  stderr: string;
}

/** A request that says no more than a test cares for. */
export function request(
  command: string,
  args: readonly string[],
  rest: Partial<LaunchRequest> & { cwd: string },
): LaunchRequest {
  return { command, args, environment: {}, stdin: "closed", timeoutMs: 200_000, mostOutputBytes: 1_000_000, ...rest };
}

/** Runs a program to its end. */
export async function outcome(launch: Launch, asked: LaunchRequest): Promise<Outcome> {
  const program = await launch(asked);
  const [stdout, stderr, exit] = await Promise.all([text(program.stdout), text(program.stderr), program.exit]);
  return { ...exit, stdout, stderr };
}
