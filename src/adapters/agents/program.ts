import type { Readable } from "node:stream";
import type { Exit, RunningProgram } from "../../lib/launch.ts";
import type { AgentReport, AgentRequest } from "./agent.ts";
import type { Call, Freedom, Settings, Start } from "./preset.ts";
import { closeRunHome, openRunHome, writeSettings } from "./run-home.ts";
import type { Emit } from "./transcript.ts";

const TEXT_LINE_BYTES = 16 * 1024;
/** Characters kept of the last output, to explain a failure. */
const TAIL_LENGTH = 2_000;
/** Milliseconds to drain the pipes once all processes of the group are gone. */
const DRAIN_MS = 5_000;

/** The program of an agent. */
interface Program {
  program: string;
  freedom: Freedom;
  settings: (start: Start) => Settings;
  call: (start: Start) => Call;
  /** Whether `use` writes to its stdin; otherwise it gets the input of the call. */
  interactive?: boolean;
}

/** Starts the agent's program in a new home that holds its settings; removes the home once `use` is done. */
export async function withProgram(
  request: AgentRequest,
  { program, freedom, settings, call, interactive = false }: Program,
  use: (running: RunningProgram, start: Start) => Promise<AgentReport>,
): Promise<AgentReport> {
  const home = await openRunHome(request.home);
  try {
    const start: Start = { ...request, home, freedom };
    const { files, environment } = settings(start);
    const { args, input } = call(start);
    await writeSettings(home, files);
    const running = await request.launch({
      ...launchOptions(request),
      command: program,
      args,
      stdin: interactive || input !== null ? "open" : "closed",
      environment: { ...request.environment, HOME: home, NO_COLOR: "1", ...environment },
    });
    if (!interactive) giveInput(running, input ?? "");
    return await use(running, start);
  } finally {
    await closeRunHome(home);
  }
}

/** The working tree and the bounds of a run. */
export function launchOptions({ directory, timeoutMs, mostOutputBytes, signal }: AgentRequest) {
  return { cwd: directory, timeoutMs, mostOutputBytes, ...(signal ? { signal } : {}) };
}

/** Gives a program its input. One that exits without reading it is no error: its exit explains itself. */
export function giveInput({ stdin }: RunningProgram, input: string | Buffer): void {
  stdin?.on("error", () => {});
  stdin?.end(input);
}

/** Waits for the program's exit, then for the rest of its output; closes a pipe that something still holds open. */
export async function waitForExit(program: RunningProgram, reading: Promise<unknown>): Promise<Exit> {
  const exit = await program.exit;
  const timer = setTimeout(() => {
    program.stdout.destroy();
    program.stderr.destroy();
  }, DRAIN_MS);
  await reading;
  clearTimeout(timer);
  return exit;
}

/** The end of what a program printed. */
export class OutputTail {
  text = "";

  add(lines: readonly string[]): void {
    if (lines.length > 0) this.text = `${this.text}${lines.join("\n")}\n`.slice(-TAIL_LENGTH);
  }
}

/** Logs lines of plain text as they arrive, and passes them on. */
export async function readText(
  stream: Readable,
  emit: (text: string) => void,
  add: (lines: readonly string[]) => void,
): Promise<void> {
  for await (const batch of linesOf(stream, TEXT_LINE_BYTES)) {
    const lines = batch.map(({ text }) => text);
    add(lines);
    emit(lines.join("\n"));
  }
}

export async function readErrors({ stderr }: RunningProgram, errors: OutputTail, emit: Emit): Promise<void> {
  await readText(
    stderr,
    (text) => emit("output", text),
    (lines) => errors.add(lines),
  );
}

interface OutputLine {
  text: string;
  /** False if the line was longer than the part that is kept. */
  whole: boolean;
}

/**
 * The lines of a stream, in the batches in which they arrive. Memory is bounded by `mostBytes` and one chunk, however
 * long a line is. A stream that breaks off counts as ended: the program's exit says what happened.
 */
export async function* linesOf(stream: Readable, mostBytes: number): AsyncGenerator<OutputLine[], void> {
  let kept: Buffer[] = [];
  let length = 0;
  let whole = true;
  const keep = (part: Buffer) => {
    const room = part.subarray(0, mostBytes - length);
    whole &&= room.length === part.length;
    length += room.length;
    if (room.length > 0) kept.push(room);
  };
  const take = (): OutputLine => {
    const line = { text: Buffer.concat(kept).toString("utf8").replace(/\r$/, ""), whole };
    kept = [];
    length = 0;
    whole = true;
    return line;
  };
  try {
    for await (const chunk of stream) {
      const lines: OutputLine[] = [];
      let left = Buffer.from(chunk);
      for (let end = left.indexOf(10); end !== -1; end = left.indexOf(10)) {
        keep(left.subarray(0, end));
        left = left.subarray(end + 1);
        lines.push(take());
      }
      // A copy: a short rest must not keep its whole chunk alive.
      keep(Buffer.from(left));
      if (lines.length > 0) yield lines;
    }
  } catch {
    // The pipe broke with its program: the same as a closed one.
  }
  if (length > 0) yield [take()];
}
