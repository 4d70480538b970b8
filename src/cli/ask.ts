import type { Gap } from "../domain/gap.ts";
import type { Terminal } from "./terminal.ts";
import { Interrupted } from "./terminal.ts";

/** Loaded only where there is somebody to ask. */
const prompts = async () => await import("@clack/prompts");

/** Asks the open questions one by one; returns the comment that answers them. Empty answers leave a question open. */
export async function askInTerminal(gaps: Gap[], terminal: Terminal): Promise<string> {
  terminal.err("Enter alone leaves a question open; Relay will then say what it assumes.\n");
  const { isCancel, text } = await prompts();
  const answers: string[] = [];
  for (const gap of gaps) {
    const answer = await text({
      message: `${gap.number}. ${gap.question} (${gap.severity})`,
      placeholder: gap.proposedDefault ?? "",
      output: process.stderr,
    });
    if (isCancel(answer)) throw new Interrupted("stopped; what was answered before is kept");
    if (answer !== undefined && answer.trim() !== "") answers.push(`${gap.number}. ${answer.trim()}`);
  }
  return answers.length === 0 ? "Go ahead with the spec." : answers.join("\n\n");
}

/** Asks for the go-ahead; null means not now. */
export async function confirmInTerminal(terminal: Terminal): Promise<string | null> {
  terminal.err("All that could change the outcome is settled.\n");
  const { confirm, isCancel } = await prompts();
  const answer = await confirm({ message: "Write the spec?", output: process.stderr });
  if (isCancel(answer)) throw new Interrupted("stopped; nothing was written");
  return answer ? "Go ahead with the spec." : null;
}

/** What the coding agent asked; null where nothing is answered. */
export async function answerInTerminal(gaps: readonly Gap[], terminal: Terminal): Promise<string | null> {
  if (gaps.length === 0) return null;
  terminal.err("The coding agent has to know something to go on.\n");
  const { isCancel, text } = await prompts();
  const answers: string[] = [];
  for (const gap of gaps) {
    const answer = await text({ message: gap.question, output: process.stderr });
    if (isCancel(answer)) throw new Interrupted("stopped; the question stays open");
    if (answer !== undefined && answer.trim() !== "") answers.push(answer.trim());
  }
  return answers.length === 0 ? null : answers.join("\n\n");
}

/** Null keeps the plan waiting. */
export async function agreeInTerminal(terminal: Terminal): Promise<string | null> {
  terminal.err("The plan waits for a yes.\n");
  const { confirm, isCancel } = await prompts();
  const answer = await confirm({ message: "Agree to the plan?", output: process.stderr });
  if (isCancel(answer)) throw new Interrupted("stopped; the plan waits");
  return answer ? "Yes, go ahead." : null;
}
