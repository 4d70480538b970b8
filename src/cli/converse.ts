import { answerKind } from "../approval/answer.ts";
import type { Gap } from "../domain/gap.ts";
import { oneLine } from "../lib/text.ts";
import { isBlank } from "../domain/text/hidden-characters.ts";
import type { Issue } from "../domain/issue.ts";
import type { Relay } from "../app/relay.ts";
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

/** What a person who gives the go-ahead says at the issue. */
const GO_AHEAD = "Go ahead with the spec.";

/** Questions that a person at the terminal left open: they are not asked again there. */
export type LeftOpen = Set<Gap["id"]>;

/** Answers in people's place, or asks them, until the spec is written or nobody answers. */
export async function converse(relay: Relay, issue: Issue, given: Given): Promise<Issue> {
  let now = issue;
  const left: LeftOpen = new Set();
  for (let round = 0; round < ROUNDS; round += 1) {
    await takeUp(relay, now);
    now = await getIssue(relay.db, now.id);
    switch (now.state) {
      case "clarifying": {
        const open = (await listGaps(relay.db, now.id)).filter((gap) => gap.status === "open");
        const reply = await answerRound(relay, now, open, { ...given, left });
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

async function answerRound(
  relay: Relay,
  issue: Issue,
  open: Gap[],
  given: Given & { left: LeftOpen },
): Promise<boolean> {
  const fromFile = given.answers === null ? "" : answerComment(given.answers, open);
  if (fromFile !== "") {
    await say(relay, issue, fromFile);
    return true;
  }
  if (given.yes || given.answers?.proceed !== undefined) {
    await say(relay, issue, given.answers?.proceed ?? GO_AHEAD);
    return true;
  }
  if (!given.terminal.interactive) return false;
  const reply = await replyInTerminal(open, given.left, given.terminal);
  if (reply === null) return false;
  await say(relay, issue, reply);
  return true;
}

async function goAhead(relay: Relay, issue: Issue, given: Given): Promise<boolean> {
  // Answers alone are no approval, and without --yes, neither is silence.
  const words = given.answers?.proceed ?? (given.yes ? GO_AHEAD : null);
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

const streams = ({ prompts: given }: Terminal) => given ?? { output: process.stderr };

/**
 * Asks the open questions, and where none is answered, for the go-ahead without the answers. Returns what the person
 * says; null if that is nothing.
 */
export async function replyInTerminal(
  gaps: readonly Gap[],
  left: LeftOpen,
  terminal: Terminal,
): Promise<string | null> {
  const answers = await askInTerminal(
    gaps.filter(({ id }) => !left.has(id)),
    left,
    terminal,
  );
  return answers ?? (await confirmInTerminal(terminal, gaps));
}

/**
 * Asks questions one by one; returns the comment that answers them, null without an answer. An empty one leaves its
 * question open.
 */
async function askInTerminal(gaps: readonly Gap[], left: LeftOpen, terminal: Terminal): Promise<string | null> {
  if (gaps.length === 0) return null;
  terminal.err(
    "“yes” takes what is shown in grey. Enter alone leaves a question open; Relay then says what it would assume.\n",
  );
  const { isCancel, text } = await prompts();
  const answers: string[] = [];
  for (const gap of gaps) {
    const answer = await text({
      message: shownInTerminal(`${gap.number}. ${gap.question} (${gap.severity})`),
      placeholder: shownInTerminal(gap.proposedDefault ?? ""),
      validate: (given) => noAnswer(gap, given ?? ""),
      ...streams(terminal),
    });
    if (isCancel(answer)) throw new Interrupted("stopped; what was answered before is kept");
    if (answer === undefined || isBlank(answer)) left.add(gap.id);
    else answers.push(`${gap.number}. ${answer.trim()}`);
  }
  return answers.length === 0 ? null : answers.join("\n\n");
}

/** The prompt's reply to words that settle nothing; undefined accepts them. */
export function noAnswer(gap: Gap, given: string): string | undefined {
  if (isBlank(given) || answerKind(gap, given) !== "nothing") return undefined;
  return `“${given.trim()}” does not answer this: say it in your own words, or leave it empty`;
}

/**
 * Asks for the go-ahead, with the questions that are still open; null means not now. The chosen words are said as they
 * are.
 */
export async function confirmInTerminal(terminal: Terminal, open: readonly Gap[] = []): Promise<string | null> {
  terminal.err(
    open.length === 0
      ? "All that could change the outcome is settled.\n"
      : `Without an answer, the spec is written like this:\n${open.map(withoutAnswer).join("")}`,
  );
  const { confirm, isCancel } = await prompts();
  const answer = await confirm({
    message: open.length === 0 ? "Write the spec?" : "Write the spec without these answers?",
    active: GO_AHEAD,
    inactive: NOT_NOW,
    // Enter alone just left a question open; once more is no go-ahead.
    initialValue: open.length === 0,
    ...streams(terminal),
  });
  if (isCancel(answer)) throw new Interrupted("stopped; nothing was written");
  return answer ? GO_AHEAD : null;
}

const NOT_NOW = "Not now";

/** What happens to a question that nobody answers. */
function withoutAnswer({ number, question, proposedDefault }: Gap): string {
  const outcome =
    proposedDefault === null || isBlank(proposedDefault)
      ? "it stays open, and the spec says so"
      : `it is assumed: ${oneLine(proposedDefault)}`;
  return `  ${number}. ${oneLine(question)}\n     ${outcome}\n`;
}

/** Asks the coding agent's questions; null without any answer. */
export async function answerInTerminal(gaps: readonly Gap[], terminal: Terminal): Promise<string | null> {
  if (gaps.length === 0) return null;
  terminal.err("The coding agent has a question before it can continue.\n");
  const { isCancel, text } = await prompts();
  const answers: string[] = [];
  for (const gap of gaps) {
    const answer = await text({ message: shownInTerminal(gap.question), ...streams(terminal) });
    if (isCancel(answer)) throw new Interrupted("stopped; the question stays open");
    if (answer !== undefined && !isBlank(answer)) answers.push(answer.trim());
  }
  return answers.length === 0 ? null : answers.join("\n\n");
}

const AGREED = "Yes, go ahead.";

/** Asks for approval of the plan; null leaves it waiting. */
export async function agreeInTerminal(terminal: Terminal): Promise<string | null> {
  terminal.err("The plan waits for a yes.\n");
  const { confirm, isCancel } = await prompts();
  const answer = await confirm({
    message: "Agree to the plan?",
    active: AGREED,
    inactive: NOT_NOW,
    ...streams(terminal),
  });
  if (isCancel(answer)) throw new Interrupted("stopped; the plan waits");
  return answer ? AGREED : null;
}
