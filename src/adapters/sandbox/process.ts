import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { RelayError, systemCode } from "../../lib/errors.ts";
import type { Ending, ExceededLimit, Exit, LaunchRequest, RunningProgram } from "../../lib/launch.ts";
import { assertPlain } from "./plain-text.ts";
import { type ProcessTree, processGroup } from "./process-group.ts";
import { OutputMeter, metered } from "./output.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exec } from "../../lib/exec.ts";

/** A program to start; nothing is added to its environment. */
export interface StartRequest extends LaunchRequest {
  /** Pipes besides stdin, stdout and stderr, from descriptor 3 on. */
  morePipes?: number;
  /** Uses those pipes, and returns the program's processes; its process group by default. */
  processesOf?: (child: ChildProcess) => ProcessTree;
  /** The shared limit that is exceeded; the program is killed then, as for its own limits. */
  exceeded?: () => ExceededLimit | null;
  /** Runs once all of its processes are gone, and before `exit` settles. */
  afterwards?: () => Promise<void>;
}

/** Milliseconds between SIGTERM and SIGKILL. */
const TERM_GRACE_MS = 3_000;
/** Milliseconds after which a killed process counts as gone: a zombie that nothing reaps stays listed. */
const KILL_GRACE_MS = 5_000;
const WATCH_EVERY_MS = 250;
const FIRST_POLL_MS = 5;
const LONGEST_POLL_MS = 100;

/**
 * Starts a program in a process group of its own (R-WORK-5). Unread output stays in the pipes. When the program exits,
 * its remaining processes are ended too. Throws `RelayError` `config` where it cannot be started.
 */
export async function start(request: StartRequest): Promise<RunningProgram> {
  assertPlain([request.command, ...request.args, ...Object.entries(request.environment).flat()]);
  const pipes = await outputPipes();
  const child = spawn(request.command, request.args, {
    cwd: request.cwd,
    env: request.environment,
    detached: true,
    stdio: [
      request.stdin === "open" ? "pipe" : "ignore",
      pipes?.stdout.writer ?? "pipe",
      pipes?.stderr.writer ?? "pipe",
      ...Array.from({ length: request.morePipes ?? 0 }, () => "pipe" as const),
    ],
  });
  for (const pipe of [pipes?.stdout, pipes?.stderr]) if (pipe) closeSync(pipe.writer);
  const ended = once(child, "exit");
  // A failed start is reported below.
  ended.catch(() => {});
  const processes = await running(child, request).catch((error: unknown) => {
    for (const pipe of [pipes?.stdout, pipes?.stderr]) pipe?.reader.destroy();
    throw error;
  });
  const { stdin } = child;
  const [stdout, stderr] = pipes ? [pipes.stdout.reader, pipes.stderr.reader] : [child.stdout, child.stderr];
  if (stdout === null || stderr === null) throw new RelayError("internal", `${request.command} has no output`);
  // A program that does not read its input closes the pipe; its exit explains itself.
  stdin?.on("error", () => {});

  let ending: Ending | undefined;
  let kill: NodeJS.Timeout | undefined;
  const stop = (how: Ending): void => {
    if (ending !== undefined) return;
    ending = how;
    processes.ask();
    kill = setTimeout(() => processes.kill(), TERM_GRACE_MS);
  };
  const meter = new OutputMeter(request.mostOutputBytes, () => stop("flooded"));
  const outputs = [metered(stdout, meter), metered(stderr, meter)] as const;
  const timer = setTimeout(() => stop("timeout"), request.timeoutMs);
  const onAbort = (): void => stop("stopped");
  request.signal?.addEventListener("abort", onAbort, { once: true });
  if (request.signal?.aborted === true) stop("stopped");

  let exceeded: ExceededLimit | null = null;
  const reportExceeded = (): boolean => {
    if (exceeded !== null) return false;
    exceeded = processes.exceeded?.() ?? request.exceeded?.() ?? null;
    if (exceeded === null) return false;
    outputs[1].add(`relay: the program was ended: ${exceeded.text}\n`);
    return true;
  };
  const watch = setInterval(() => {
    if (!reportExceeded()) return;
    processes.kill();
    clearInterval(watch);
  }, WATCH_EVERY_MS);

  const settled = async (): Promise<Exit> => {
    await ended;
    ending ??= "exit";
    reportExceeded();
    clearTimeout(timer);
    clearInterval(watch);
    request.signal?.removeEventListener("abort", onAbort);
    await endRemaining(processes);
    clearTimeout(kill);
    for (const output of outputs) output.endWhenQuiet();
    await request.afterwards?.();
    const limit = exceeded ?? processes.exceededBy?.(child.exitCode) ?? null;
    return { ending, code: child.exitCode, ...(limit !== null && { exceeded: limit }) };
  };
  return { stdin, stdout: outputs[0].stream, stderr: outputs[1].stream, exit: settled(), end: () => stop("stopped") };
}

async function running(child: ChildProcess, request: StartRequest): Promise<ProcessTree> {
  try {
    await once(child, "spawn");
  } catch (cause) {
    await request.afterwards?.();
    throw new RelayError("config", `cannot run ${request.command}: ${whyNot(cause, request.cwd)}`, { cause });
  }
  if (child.pid === undefined) throw new RelayError("internal", `${request.command} runs without a process number`);
  return request.processesOf ? request.processesOf(child) : processGroup(child.pid);
}

function whyNot(cause: unknown, cwd: string): string {
  switch (systemCode(cause)) {
    case "ENOENT":
      return existsSync(cwd) ? "it is not on the PATH; install it, or give its full path" : `the folder ${cwd} is gone`;
    case "EACCES":
      return "this account may not run it; fix its permissions";
    case "E2BIG":
      return "its arguments are too long for the system; give them in a file";
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}

/** Ends the processes that a program left behind. */
async function endRemaining(processes: ProcessTree): Promise<void> {
  if (processes.gone()) return;
  processes.ask();
  if (await goneWithin(processes, TERM_GRACE_MS)) return;
  processes.kill();
  await goneWithin(processes, KILL_GRACE_MS);
}

async function goneWithin(processes: ProcessTree, ms: number): Promise<boolean> {
  let next = FIRST_POLL_MS;
  for (let waited = 0; waited < ms; waited += next) {
    if (processes.gone()) return true;
    next = Math.min(next * 2, LONGEST_POLL_MS);
    await pause(next);
  }
  return processes.gone();
}

/** A named pipe, for one output of a program. */
interface OutputPipe {
  reader: Readable;
  /** The descriptor to pass to the program, and then to close here. */
  writer: number;
}

/**
 * Pipes for both outputs. Node's own are sockets, and a script that writes to `/dev/stderr` fails on a socket. Null
 * where the system cannot create pipes; Node's have to do then.
 */
async function outputPipes(): Promise<{ stdout: OutputPipe; stderr: OutputPipe } | null> {
  const folder = await mkdtemp(join(tmpdir(), "relay-pipes-"));
  try {
    const names = [join(folder, "stdout"), join(folder, "stderr")] as const;
    const made = await exec("mkfifo", ["-m", "600", ...names]).catch(() => null);
    if (made?.code !== 0) return null;
    return { stdout: openPipe(names[0]), stderr: openPipe(names[1]) };
  } finally {
    // From here on only the open descriptors lead to the pipes.
    await rm(folder, { recursive: true, force: true });
  }
}

function openPipe(path: string): OutputPipe {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { reader: new Socket({ fd: reader, readable: true, writable: false }), writer: openSync(path, "w") };
  } catch (error) {
    closeSync(reader);
    throw error;
  }
}
