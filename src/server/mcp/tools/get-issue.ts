import { z } from "zod";
import { issueName } from "../../../domain/issue.ts";
import type { Gap } from "../../../domain/gap.ts";
import { overviewsOf } from "../../../storage/issue-overview.ts";
import { listMessages } from "../../../storage/messages.ts";
import { gapSchema } from "../../api/shapes/known.ts";
import type { McpContext } from "../context.ts";
import { issueAtHand } from "../issue-at-hand.ts";
import { NOTICE, notice } from "../quote.ts";
import { type Tool, tool } from "../tool.ts";
import { briefOf, briefSchema, issueArgument } from "./shapes.ts";

/** Characters of the issue's text, and of a message; messages. */
const MOST = { body: 8_000, message: 1_500, messages: 10, question: 1_000, gaps: 60 };

const askedSchema = gapSchema.pick({
  number: true,
  question: true,
  severity: true,
  respondent: true,
  proposed_default: true,
  status: true,
  closed_reason: true,
  closed_note: true,
});

export const getIssue: Tool = tool({
  name: "get_issue",
  title: "Read an issue",
  description:
    "One issue: where it stands, its text, its questions with their answers (gaps; answer open ones with answer_gap), and the newest messages of its thread.",
  effect: "reads",
  input: z.strictObject({ issue: issueArgument }),
  output: briefSchema.extend({
    body: z.string().describe("The reporter's text, fenced."),
    gaps: z.array(askedSchema).describe("Questions, open ones first."),
    messages: z.array(z.string()).describe("The newest messages of the thread, fenced, oldest first."),
    notice,
  }),
  run: async ({ issue: wanted }, context) => {
    const db = await context.db();
    const issue = await issueAtHand(wanted, context);
    const overview = (await overviewsOf(db, [issue.id]))(issue.id);
    const { quote } = context;
    const body = quote.text(`text of ${issueName(issue)} by @${issue.reporter}`, issue.body, MOST.body);
    const gaps = overview.gaps
      .filter(({ status }) => status !== "pending")
      .toSorted((one, other) => Number(other.status === "open") - Number(one.status === "open"))
      .slice(0, MOST.gaps)
      .map((gap) => asked(gap, context));
    const messages = (await listMessages(db, issue.id, MOST.messages)).map(
      ({ seq, author, isBot, content, timestamp }) =>
        quote.text(
          `message ${seq} by @${author}${isBot ? ", a bot" : ""}, ${timestamp.toISOString().slice(0, 16)}`,
          content,
          MOST.message,
        ),
    );
    const brief = briefOf(issue, overview, context);
    const text = [
      `${brief.issue}: ${brief.state}, waits for ${brief.waiting_for.what}`,
      quote.text(`title of ${brief.issue}`, issue.title, MOST.question),
      body,
      quote.text("questions", gaps.map(lineOf).join("\n") || "none", MOST.gaps * MOST.question),
      ...messages,
    ].join("\n\n");
    return { text, data: { ...brief, body, gaps, messages, notice: NOTICE } };
  },
});

function asked(gap: Gap, { quote }: McpContext) {
  return {
    number: gap.number,
    question: quote.line(gap.question, MOST.question),
    severity: gap.severity,
    respondent: gap.respondent,
    proposed_default: gap.proposedDefault === null ? null : quote.line(gap.proposedDefault, MOST.question),
    status: gap.status,
    closed_reason: gap.closedReason,
    closed_note: gap.closedNote === null ? null : quote.line(gap.closedNote, MOST.question),
  };
}

function lineOf(gap: ReturnType<typeof asked>): string {
  const outcome =
    gap.status === "open"
      ? `open, for the ${gap.respondent}${gap.proposed_default === null ? "" : `; assumed without an answer: ${gap.proposed_default}`}`
      : `${gap.closed_reason ?? "closed"}: ${gap.closed_note ?? ""}`;
  return `gap ${gap.number} (${gap.severity}) ${gap.question}\n    ${outcome}`;
}
