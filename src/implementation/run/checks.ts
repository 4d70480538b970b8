import type { CheckResult } from "../../domain/work.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Launch, RunningProgram } from "../../lib/launch.ts";
import { relevantOutput } from "./relevant-output.ts";

export interface CheckDeps {
  /** Into the sandbox. */
  launch: Launch;
  /** The working tree, absolute. */
  directory: string;
  /** Beside what the sandbox gives every program; no key of a model. */
  environment: Readonly<Record<string, string>>;
  clock: Clock;
  signal?: AbortSignal;
}

/** More output than this ends a check; a test suite that says everything stays far below. */
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Of each end of the output, in characters, that is looked at for what failed. */
const KEPT = 400_000;

/**
 * Runs one command of a repository in its working tree, as `sh -c` does (R-WORK-2). However it ends is a result;
 * throws `RelayError` `config` only where there is no shell to start. With the signal it ends at once, as `not run`.
 */
export async function runCheck(
  check: { kind: CheckResult["kind"]; command: string; timeoutMs: number },
  { launch, directory, environment, clock, signal }: CheckDeps,
): Promise<CheckResult> {
  const { kind, command } = check;
  if (check.timeoutMs <= 0 || signal?.aborted) return notRun(kind, command);
  const started = clock.now().getTime();
  const program = await launch({
    command: "sh",
    args: ["-c", command],
    cwd: directory,
    environment: { CI: "true", ...environment },
    stdin: "closed",
    timeoutMs: Math.ceil(check.timeoutMs),
    mostOutputBytes: MOST_OUTPUT_BYTES,
    ...(signal ? { signal } : {}),
  });
  const read = bothEnds(program);
  const { ending, code } = await program.exit;
  const said = await read;
  if (ending === "stopped") return notRun(kind, command);
  const passed = ending === "exit" && code === 0;
  const note = ending === "flooded" ? `[ended: more than ${MOST_OUTPUT_BYTES / 1024 / 1024} MB of output]` : "";
  return {
    kind,
    command,
    outcome: passed ? "passed" : ending === "timeout" ? "timeout" : "failed",
    code: ending === "exit" ? code : null,
    seconds: Math.max(0, Math.round((clock.now().getTime() - started) / 100) / 10),
    output: passed ? "" : relevantOutput([said, note].join("\n"), directory),
  };
}

export function notRun(kind: CheckResult["kind"], command: string): CheckResult {
  return { kind, command, outcome: "not run", code: null, seconds: 0, output: "" };
}

/** Everything that a program prints, in the order in which it comes; of long output both ends. */
async function bothEnds({ stdout, stderr }: RunningProgram): Promise<string> {
  let head = "";
  let tail = "";
  let left = 0;
  const take = (text: string) => {
    const room = KEPT - head.length;
    head += text.slice(0, Math.max(0, room));
    tail += text.slice(Math.max(0, room));
    if (tail.length <= 2 * KEPT) return;
    left += tail.length - KEPT;
    tail = tail.slice(-KEPT);
  };
  const readAll = async (stream: NodeJS.ReadableStream) => {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of stream)
        take(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }));
    } catch {
      // A pipe that broke tells nothing more; how the program ended tells the rest.
    }
  };
  await Promise.all([readAll(stdout), readAll(stderr)]);
  return left === 0 ? head + tail : `${head}\n[${left} characters are left out]\n${tail}`;
}
