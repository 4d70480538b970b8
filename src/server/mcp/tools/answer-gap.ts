import { z } from "zod";
import { type Gap, isAgentGap } from "../../../domain/gap.ts";
import { givenAnswer } from "../../../domain/given-answer.ts";
import { type Issue, issueName } from "../../../domain/issue.ts";
import type { IssueState } from "../../../domain/lifecycle.ts";
import { safeComment } from "../../../domain/text/comment-sanitizer.ts";
import { isBlank } from "../../../domain/text/hidden-characters.ts";
import { phrases } from "../../../i18n/phrases.ts";
import { RelayError } from "../../../lib/errors.ts";
import { listGaps } from "../../../storage/gaps.ts";
import type { McpContext } from "../context.ts";
import { issueAtHand } from "../issue-at-hand.ts";
import { NOTICE, notice } from "../quote.ts";
import { type Tool, tool } from "../tool.ts";
import { issueArgument, issueNamed } from "./shapes.ts";
import { sha256Of } from "../../../lib/sha256.ts";

const LONGEST = 20_000;

/** States in which the planner reads an answer next; in others words would be for a plan, a run or a review. */
const ANSWERABLE: ReadonlySet<IssueState> = new Set([
  "pending_plan",
  "planning",
  "clarifying",
  "awaiting_proceed",
  "specifying",
]);

export const answerGap: Tool = tool({
  name: "answer_gap",
  title: "Answer a question",
  description:
    "Answers one open question (gap) of an issue in the name of your user, as a comment that says it came through MCP. Use it only for what your user told you or the code proves. It is recorded as the answer and nothing else: whatever its words, it is no go-ahead, no approval of a plan and no stop; those people give themselves in the thread.",
  effect: "says",
  input: z.strictObject({
    issue: issueArgument,
    gap: z.int().min(1).describe("The number of the question, as get_issue lists it."),
    answer: z.string().min(1).max(LONGEST).describe("The answer, Markdown. Mentions notify nobody."),
  }),
  output: z.object({
    issue: issueNamed,
    gap: z.int(),
    question: z.string(),
    said_as: z.string().describe("The login in whose name it is said."),
    open_gaps_left: z.int().describe("Other questions that are still open."),
    notice,
  }),
  run: async ({ issue: wanted, gap: number, answer }, context) => {
    const db = await context.db();
    const issue = await issueAtHand(wanted, context);
    const gaps = await listGaps(db, issue.id);
    const gap = openGap(number, gaps, issue, context);
    const text = safeComment(answer, { participants: [], bot: "", origins: "later" }).text.trim();
    if (isBlank(text)) throw new RelayError("usage", "the answer has no words that people can see; write it out");
    const say = phrases("thread", issue.language);
    const words = givenAnswer(number, { head: `_${say("answeredByProgram", { number })}_`, text });
    const acts = await context.acts();
    // The same answer again is the same comment.
    await acts.say(issue, words, context.viewer, `mcp:${gap.id}:${hashOf(text)}`);
    const left = gaps.filter((one) => one.status === "open" && one.id !== gap.id).length;
    return {
      text: `Gap ${number} of ${issueName(issue)} is answered as @${context.viewer.login}; ${left} other question(s) are open. Relay reads the answer the next time that it works on the issue.`,
      data: {
        issue: issueName(issue),
        gap: number,
        question: context.quote.line(gap.question, 1_000),
        said_as: context.viewer.login,
        open_gaps_left: left,
        notice: NOTICE,
      },
    };
  },
});

/** Throws why a gap cannot be answered here, and who can do what instead. */
function openGap(number: number, gaps: readonly Gap[], issue: Issue, { viewer }: McpContext): Gap {
  const name = issueName(issue);
  if (viewer.provider === null ? issue.provider !== "local" : viewer.provider !== issue.provider) {
    throw new RelayError(
      "forbidden",
      `${name} is answered by people with an account there: in its thread, or through /mcp of relay serve with their login`,
    );
  }
  const gap = gaps.find((one) => one.number === number);
  const open = gaps.filter(({ status }) => status === "open").map((one) => one.number);
  const those = open.length === 0 ? "no question is open" : `open are ${open.join(", ")}`;
  if (gap === undefined || gap.status === "pending") {
    throw new RelayError("not_found", `${name} has no question ${number} that was asked; ${those}`);
  }
  if (gap.status === "closed") {
    throw new RelayError(
      "conflict",
      `question ${number} of ${name} is settled; ${those}; people correct an answer in the thread`,
    );
  }
  if (isAgentGap(gap)) {
    throw new RelayError(
      "forbidden",
      `question ${number} of ${name} was asked by a run of the coding agent, and its answer sets the run going: a person answers it in the thread`,
    );
  }
  if (ANSWERABLE.has(issue.state)) return gap;
  throw new RelayError(
    "conflict",
    `${name} is ${issue.state.replaceAll("_", " ")}, where answers are given by a person in its thread`,
  );
}

function hashOf(text: string): string {
  return sha256Of(text).slice(0, 32);
}
