import type { SetupCause } from "../../domain/plan.ts";
import type { CheckResult } from "../../domain/work.ts";
import { isFailureLine } from "./relevant-output.ts";

const NOT_FOUND = [
  /^(?:[\w./-]*sh|\/bin\/[\w-]+): (?:(?:line )?\d+: )?(?:exec: )?([\w@./+-]+): (?:command )?not found$/m,
  /^[\w./-]*env: [‘'"]?([\w@./+-]+?)['’"]?: No such file or directory$/m,
  /^make(?:\[\d+\])?: ([\w@./+-]+): No such file or directory$/m,
];

/** The cause that the output names; null if the code may be the cause. */
export function setupCause({
  command,
  output,
}: Pick<CheckResult, "command" | "output">): Exclude<SetupCause, { kind: "hosts" }> | null {
  if (/externally-managed-environment/.test(output)) return { kind: "managed_python" };
  if (/ensurepip is not\s+available|No module named '?(?:venv|ensurepip)\b/.test(output)) return { kind: "no_venv" };
  const program = missingProgram({ command, output });
  return program === null ? null : { kind: "program", program };
}

/** The program that a command of the repository needs and the machine lacks; null if there is none. */
export function missingProgram({ command, output }: Pick<CheckResult, "command" | "output">): string | null {
  // The rest of `command -v X || …` only runs if X is missing, to install it.
  const [, wanted] = /^command -v ([\w.-]+) \|\|/.exec(command) ?? [];
  if (wanted !== undefined) return wanted;
  const found = NOT_FOUND.flatMap((form) => form.exec(output)?.[1] ?? []);
  // Programs that package scripts call are installed by set-up, not by the operator.
  return (
    found.find((name) => command.split(/[\s;&|()]+/).includes(name) || /^(?:make|just|task)\b/.test(command)) ?? null
  );
}

const LONGEST_LINE = 300;
/** What package managers print around the actual reason. */
const NOISE =
  /^(?:npm (?:ERR!|error)\s*(?:$|code |errno |syscall |A complete log|Run )|(?:hint|note|\[notice\]|warning|warn|npm warn)\b|\[… \d+ lines\])/i;
const REASON = /(?:^|[\s[])(?:error|fatal|err!)(?:[\]:!\s]|$)/i;

/** The line of a command's output that best explains its failure; empty without output. */
export function tellingLine(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => line !== "" && !NOISE.test(line));
  const line = said.find((each) => REASON.test(each)) ?? said.findLast(isFailureOrLack) ?? said.at(-1) ?? "";
  return line.slice(0, LONGEST_LINE).toWellFormed();
}

function isFailureOrLack(line: string): boolean {
  return isFailureLine(line) || /\b(?:not found|no such|could not|unable|denied|refused)\b/i.test(line);
}
