import type { Gap } from "../domain/gap.ts";
import { issueName } from "../domain/issue.ts";
import type { CycleContext } from "./planner.ts";

/**
 * The context as text, ordered from what never changes to what changes with every cycle, so that a provider's
 * prompt cache can reuse the beginning (R-PLAN-11). The thread only ever grows at its end; gaps and failures,
 * which change in place, come after it.
 */
export function renderContext(context: CycleContext): string {
  const { issue } = context;
  return [
    section("Issue", [
      `${issueName(issue)}: ${issue.title}`,
      `Reported by @${issue.reporter} on ${issue.openedAt.toISOString()}. Language: ${issue.language}.`,
      issue.body,
    ]),
    section(
      "Team learnings",
      context.learnings.map((learning) => `- (${learning.type}) ${learning.content}`),
    ),
    section("Discussion", [
      ...(context.omittedMessages > 0
        ? [`[${context.omittedMessages} older messages are represented by the gaps and findings below]`]
        : []),
      ...context.messages.map(
        (message) =>
          `#${message.seq} @${message.author} (${message.role}) ${message.timestamp.toISOString()}` +
          `${message.replyToSeq === null ? "" : ` in reply to #${message.replyToSeq}`}\n${message.content}`,
      ),
    ]),
    section(
      "Participants",
      context.participants.map((person) => `- @${person.login}: ${person.role}`),
    ),
    section("Labels and assignees", [`Labels: ${list(issue.labels)}. Assigned to: ${list(issue.assignees)}.`]),
    section("Closed questions", context.closedGaps.map(closedGap)),
    section(
      "Findings",
      context.findings.map(
        (finding) => `- ${finding.synthesis} (${finding.sources.map((source) => source.location).join(", ")})`,
      ),
    ),
    context.specStub === null ? "" : section("Current spec", [context.specStub]),
    section("Questions kept for later", context.pendingGaps.map(openGap)),
    section("Open questions", context.openGaps.map(openGap)),
    section("New messages", [context.newMessages.map((seq) => `#${seq}`).join(", ")]),
    section("Failures of the previous cycle", context.failures),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function section(title: string, lines: string[]): string {
  const text = lines.filter((line) => line !== "").join("\n");
  return text === "" ? "" : `## ${title}\n\n${text}`;
}

function openGap(gap: Gap): string {
  return `- gap ${gap.number} (${gap.severity}, for the ${gap.respondent}): ${gap.question}`;
}

function closedGap(gap: Gap): string {
  return `- gap ${gap.number}: ${gap.question} → ${gap.closedReason}${gap.closedNote === null ? "" : `: ${gap.closedNote}`}`;
}

function list(words: string[]): string {
  return words.length === 0 ? "none" : words.join(", ");
}
