import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { RelayError, systemCode } from "../../lib/errors.ts";
import type { Ending, Exit, LaunchRequest, RunningProgram } from "../../lib/launch.ts";
import { assertPlain } from "./plain-text.ts";
import { processGroup } from "./process-group.ts";
import { OutputMeter, metered } from "./output.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exec } from "../../lib/exec.ts";

/** All processes of a program that was started, however it spread. */
export interface Processes {
  /** Asks them to end. */
  ask(): void;
  kill(): void;
  gone(): boolean;
  /** What they take over their bounds, in a sentence; they are killed then. Looked at several times a second. */
  excess?(): string | null;
}

/** A program as the system is to start it: nothing is added to its environment. */
export interface Start extends LaunchRequest {
  /** Pipes beside its input and outputs, at descriptors 3 and on. */
  morePipes?: number;
  /** Uses those pipes, and tells the program's processes; its process group by default. */
  processesOf?: (child: ChildProcess) => Processes;
  /** What it takes of what it shares with others over the bound, in a sentence; it is killed then, as by its own. */
  excess?: () => string | null;
  /** Runs once all of its processes are gone, and before `exit` settles. */
  afterwards?: () => Promise<void>;
}

/** Milliseconds between the asking and the killing. */
const ASKED_FOR_MS = 3_000;
/** Milliseconds after which what was killed counts as gone: a dead process that nobody collects is still listed. */
const KILLED_FOR_MS = 5_000;
const WATCH_EVERY_MS = 250;
const FIRST_LOOK_MS = 5;
const LONGEST_LOOK_MS = 100;

/**
 * Starts a program in a process group of its own (R-WORK-5). Its output waits in the pipes where nobody reads it. What
 * is left of its processes when it ends by itself is ended too. Throws `RelayError` `config` where it cannot be started.
 */
export async function start(request: Start): Promise<RunningProgram> {
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
  // A failed start is told below; this promise is then nobody's.
  ended.catch(() => {});
  const processes = await running(child, request).catch((error: unknown) => {
    for (const pipe of [pipes?.stdout, pipes?.stderr]) pipe?.reader.destroy();
    throw error;
  });
  const { stdin } = child;
  const [stdout, stderr] = pipes ? [pipes.stdout.reader, pipes.stderr.reader] : [child.stdout, child.stderr];
  if (stdout === null || stderr === null) throw new RelayError("internal", `${request.command} has no output`);
  // A program that does not read its input closes the pipe; its exit tells the story.
  stdin?.on("error", () => {});

  let ending: Ending | undefined;
  let kill: NodeJS.Timeout | undefined;
  const stop = (how: Ending): void => {
    if (ending !== undefined) return;
    ending = how;
    processes.ask();
    kill = setTimeout(() => processes.kill(), ASKED_FOR_MS);
  };
  const meter = new OutputMeter(request.mostOutputBytes, () => stop("flooded"));
  const outputs = [metered(stdout, meter), metered(stderr, meter)] as const;
  const timer = setTimeout(() => stop("timeout"), request.timeoutMs);
  const onAbort = (): void => stop("stopped");
  request.signal?.addEventListener("abort", onAbort, { once: true });
  if (request.signal?.aborted === true) stop("stopped");

  let told = false;
  const tellExcess = (): boolean => {
    const excess = told ? null : (processes.excess?.() ?? request.excess?.() ?? null);
    if (excess === null) return false;
    told = true;
    outputs[1].add(`relay: the program was ended: ${excess}\n`);
    return true;
  };
  const watch = setInterval(() => {
    if (!tellExcess()) return;
    processes.kill();
    clearInterval(watch);
  }, WATCH_EVERY_MS);

  const settled = async (): Promise<Exit> => {
    await ended;
    ending ??= "exit";
    tellExcess();
    clearTimeout(timer);
    clearInterval(watch);
    request.signal?.removeEventListener("abort", onAbort);
    await endRest(processes);
    clearTimeout(kill);
    for (const output of outputs) output.endWhenQuiet();
    await request.afterwards?.();
    return { ending, code: child.exitCode };
  };
  return { stdin, stdout: outputs[0].stream, stderr: outputs[1].stream, exit: settled(), end: () => stop("stopped") };
}

async function running(child: ChildProcess, request: Start): Promise<Processes> {
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
      return "it may not be run by this account; mend its permissions";
    case "E2BIG":
      return "its arguments are too long for the system; give them in a file";
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}

/** Ends what a program has left behind. */
async function endRest(processes: Processes): Promise<void> {
  if (processes.gone()) return;
  processes.ask();
  if (await goneWithin(processes, ASKED_FOR_MS)) return;
  processes.kill();
  await goneWithin(processes, KILLED_FOR_MS);
}

async function goneWithin(processes: Processes, ms: number): Promise<boolean> {
  let next = FIRST_LOOK_MS;
  for (let waited = 0; waited < ms; waited += next) {
    if (processes.gone()) return true;
    next = Math.min(next * 2, LONGEST_LOOK_MS);
    await pause(next);
  }
  return processes.gone();
}

/** A pipe of the system's, for one output of a program. */
interface OutputPipe {
  reader: Readable;
  /** The descriptor to be given to the program, and then closed here. */
  writer: number;
}

/**
 * Pipes for both outputs. Those that Node makes are sockets, and a script that writes to `/dev/stderr` fails on a socket.
 * Null where the system cannot make them; Node's have to do then.
 */
async function outputPipes(): Promise<{ stdout: OutputPipe; stderr: OutputPipe } | null> {
  const folder = await mkdtemp(join(tmpdir(), "relay-pipes-"));
  try {
    const names = [join(folder, "stdout"), join(folder, "stderr")] as const;
    const made = await exec("mkfifo", ["-m", "600", ...names]).catch(() => null);
    if (made?.code !== 0) return null;
    return { stdout: openPipe(names[0]), stderr: openPipe(names[1]) };
  } finally {
    // Only who holds it open knows it from here on.
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
