import { answerKind } from "../approval/answer.ts";
import type { Gap } from "../domain/gap.ts";
import { isBlank } from "../domain/text/hidden-characters.ts";
import type { Issue } from "../domain/issue.ts";
import type { Relay } from "../app/create-app.ts";
import { listGaps } from "../storage/gaps.ts";
import { getIssue } from "../storage/issues.ts";
import { type Answers, answerComment } from "./answers-file.ts";
import { say, takeUp } from "./local-issue.ts";
import { type Terminal, Interrupted, shownInTerminal } from "./terminal.ts";

/** Rounds of questions before giving up. */
const ROUNDS = 5;

interface Given {
  answers: Answers | null;
  yes: boolean;
  terminal: Terminal;
}

/** Answers for people until the spec is written, or until a person has to answer. */
export async function converse(relay: Relay, issue: Issue, given: Given): Promise<Issue> {
  let now = issue;
  for (let round = 0; round < ROUNDS; round += 1) {
    await takeUp(relay, now);
    now = await getIssue(relay.db, now.id);
    switch (now.state) {
      case "clarifying": {
        const open = (await listGaps(relay.db, now.id)).filter((gap) => gap.status === "open");
        const reply = await answerRound(relay, now, open, given);
        if (!reply) return now;
        break;
      }
      case "awaiting_proceed": {
        const reply = await goAhead(relay, now, given);
        if (!reply) return now;
        break;
      }
      default:
        return now;
    }
    now = await getIssue(relay.db, now.id);
  }
  return now;
}

async function answerRound(relay: Relay, issue: Issue, open: Gap[], given: Given): Promise<boolean> {
  const fromFile = given.answers === null ? "" : answerComment(given.answers, open);
  if (fromFile !== "") {
    await say(relay, issue, fromFile);
    return true;
  }
  if (given.yes || given.answers?.proceed !== undefined) {
    await say(relay, issue, given.answers?.proceed ?? "Go ahead with the spec.");
    return true;
  }
  if (!given.terminal.interactive) return false;
  await say(relay, issue, await askInTerminal(open, given.terminal));
  return true;
}

async function goAhead(relay: Relay, issue: Issue, given: Given): Promise<boolean> {
  // Answers alone are no approval, and without --yes, neither is silence.
  const words = given.answers?.proceed ?? (given.yes ? "Go ahead with the spec." : null);
  if (words !== null) {
    await say(relay, issue, words);
    return true;
  }
  if (!given.terminal.interactive) return false;
  const reply = await confirmInTerminal(given.terminal);
  if (reply === null) return false;
  await say(relay, issue, reply);
  return true;
}

/** Lazy: loaded only when there is a person to ask. */
const prompts = async () => await import("@clack/prompts");

/** Asks the open questions one by one; returns the comment that answers them. Empty answers leave a question open. */
export async function askInTerminal(gaps: Gap[], terminal: Terminal): Promise<string> {
  terminal.err(
    "“yes” takes what is shown in grey. Enter alone leaves a question open; Relay will then say what it assumes.\n",
  );
  const { isCancel, text } = await prompts();
  const answers: string[] = [];
  for (const gap of gaps) {
    const answer = await text({
      message: shownInTerminal(`${gap.number}. ${gap.question} (${gap.severity})`),
      placeholder: shownInTerminal(gap.proposedDefault ?? ""),
      validate: (given) => noAnswer(gap, given ?? ""),
      output: process.stderr,
    });
    if (isCancel(answer)) throw new Interrupted("stopped; what was answered before is kept");
    if (answer !== undefined && !isBlank(answer)) answers.push(`${gap.number}. ${answer.trim()}`);
  }
  return answers.length === 0 ? "Go ahead with the spec." : answers.join("\n\n");
}

/** What is said at the prompt to words that settle nothing; undefined lets them through. */
export function noAnswer(gap: Gap, given: string): string | undefined {
  if (isBlank(given) || answerKind(gap, given) !== "nothing") return undefined;
  return `“${given.trim()}” does not answer this: say it in your own words, or leave it empty`;
}

/** Asks for the go-ahead; null means not now. */
export async function confirmInTerminal(terminal: Terminal): Promise<string | null> {
  terminal.err("All that could change the outcome is settled.\n");
  const { confirm, isCancel } = await prompts();
  const answer = await confirm({ message: "Write the spec?", output: process.stderr });
  if (isCancel(answer)) throw new Interrupted("stopped; nothing was written");
  return answer ? "Go ahead with the spec." : null;
}

/** Asks the coding agent's questions; null without any answer. */
export async function answerInTerminal(gaps: readonly Gap[], terminal: Terminal): Promise<string | null> {
  if (gaps.length === 0) return null;
  terminal.err("The coding agent has a question before it can continue.\n");
  const { isCancel, text } = await prompts();
  const answers: string[] = [];
  for (const gap of gaps) {
    const answer = await text({ message: shownInTerminal(gap.question), output: process.stderr });
    if (isCancel(answer)) throw new Interrupted("stopped; the question stays open");
    if (answer !== undefined && !isBlank(answer)) answers.push(answer.trim());
  }
  return answers.length === 0 ? null : answers.join("\n\n");
}

/** Asks for approval of the plan; null leaves it waiting. */
export async function agreeInTerminal(terminal: Terminal): Promise<string | null> {
  terminal.err("The plan waits for a yes.\n");
  const { confirm, isCancel } = await prompts();
  const answer = await confirm({ message: "Agree to the plan?", output: process.stderr });
  if (isCancel(answer)) throw new Interrupted("stopped; the plan waits");
  return answer ? "Yes, go ahead." : null;
}
