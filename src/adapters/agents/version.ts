import { text } from "node:stream/consumers";
import { RelayError } from "../../lib/errors.ts";
import type { Launch } from "../../lib/launch.ts";

const LONGEST_MS = 60_000;
const MOST_BYTES = 100_000;

/**
 * The first line that a program prints for `--version`; empty without such an option. Throws `RelayError` `config` if
 * it cannot be started.
 */
export async function versionLine(program: string, launch: Launch, cwd: string): Promise<string> {
  const started = await launch({
    command: program,
    args: ["--version"],
    cwd,
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
}

/** Whether the version in that line is older than `oldest`; false if there is none. */
export function isOlder(line: string, oldest: string): boolean {
  const found = numbersIn(line);
  if (found === null) return false;
  const least = numbersIn(oldest) ?? [];
  for (const [at, number] of least.entries()) {
    const own = found[at] ?? 0;
    if (own !== number) return own < number;
  }
  return false;
}

function numbersIn(line: string): number[] | null {
  const version = /\d{1,9}(?:\.\d{1,9}){1,3}/.exec(line)?.[0];
  return version === undefined ? null : version.split(".").map(Number);
}

function firstLine(output: string): string {
  return (output.trim().split("\n")[0] ?? "").replaceAll(/[^\u0020-\u007e]/g, "").slice(0, 100);
}
