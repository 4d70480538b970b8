import type { CheckResult } from "../../domain/work.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Launch, RunningProgram } from "../../lib/launch.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { relevantOutput } from "./relevant-output.ts";
import type { AskedReport } from "./test-report/ask.ts";
import { testResults } from "./test-results.ts";

export interface CheckDeps {
  /** Launches a program in the sandbox. */
  launch: Launch;
  /** The working tree, absolute. */
  directory: string;
  /** Folders of this machine that the output must not reveal. */
  hidden?: readonly string[];
  /** In addition to the variables that the sandbox sets; never a model's key. */
  environment: Readonly<Record<string, string>>;
  clock: Clock;
  signal?: AbortSignal;
  /** Reports that the command's test runners were asked for. */
  reports?: Pick<AskedReport, "textOf" | "read">;
}

/** More output than this ends a check; even verbose test suites print far less. */
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Characters kept at the start and at the end of the output. */
const KEPT = 400_000;

/**
 * Runs one command of a repository in its working tree with `sh -c` (R-WORK-2). Every ending is a result; throws
 * `RelayError` `config` only if no shell can be started. Aborting the signal ends it at once, as `not run`.
 */
export async function runCheck(
  check: { kind: CheckResult["kind"]; command: string; timeoutMs: number },
  { launch, directory, hidden, environment, clock, signal, reports }: CheckDeps,
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
  const read = bothEnds(program, reports?.textOf ?? null);
  const { ending, code } = await program.exit;
  const printed = await read;
  if (ending === "stopped") return notRun(kind, command);
  const passed = ending === "exit" && code === 0;
  const note = ending === "flooded" ? `[ended: more than ${MOST_OUTPUT_BYTES / 1024 / 1024} MB of output]` : "";
  const told = { reports: (await reports?.read()) ?? [], passed };
  const tests = kind === "test" ? testResults(printed, told) : null;
  return {
    kind,
    command,
    outcome: passed ? "passed" : ending === "timeout" ? "timeout" : "failed",
    code: ending === "exit" ? code : null,
    seconds: Math.max(0, Math.round((clock.now().getTime() - started) / 100) / 10),
    output: passed ? "" : relevantOutput([printed, note].join("\n"), directory, hidden),
    ...(tests === null ? {} : { tests: { ...tests, red: tests.red.map((name) => keptText(name)) } }),
  };
}

export function notRun(kind: CheckResult["kind"], command: string): CheckResult {
  return { kind, command, outcome: "not run", code: null, seconds: 0, output: "" };
}

/** The output of a program, in order of arrival; of long output only both ends. `textOf` replaces lines of stdout. */
async function bothEnds({ stdout, stderr }: RunningProgram, textOf: AskedReport["textOf"]): Promise<string> {
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
  const lines = textOf === null ? null : byLine((line) => take(textOf(line)), take);
  await Promise.all([readAll(stdout, lines?.add ?? take), readAll(stderr, take)]);
  lines?.end();
  return left === 0 ? head + tail : `${head}\n[${left} characters are left out]\n${tail}`;
}

async function readAll(stream: NodeJS.ReadableStream, use: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of stream) use(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }));
  } catch {
    // A broken pipe ends the output; how the program ended says the rest.
  }
}

/** The longest line, in characters; longer ones are passed on in pieces as they arrive. */
const LONGEST_LINE = 1_000_000;

/** Splits text into lines: complete lines go to `whole`; lines that are too long or have no end go to `rest`. */
function byLine(whole: (line: string) => void, rest: (text: string) => void) {
  let begun = "";
  return {
    add: (text: string) => {
      const lines = (begun + text).split("\n");
      begun = lines.pop() ?? "";
      for (const line of lines) whole(line);
      if (begun.length <= LONGEST_LINE) return;
      rest(begun);
      begun = "";
    },
    end: () => rest(begun),
  };
}
