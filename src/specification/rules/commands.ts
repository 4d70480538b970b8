import { tellsTheStory } from "../../domain/issue-text/aspects.ts";
import { readIssue } from "../../domain/issue-text/issue-reading.ts";
import { sentencesOf } from "../../domain/issue-text/sentences.ts";
import { checkbox } from "../../domain/issue-text/stop-words.ts";
import type { SpecInput } from "../generator.ts";
import { phrase } from "./plain.ts";

/** `program word …` in backticks. */
const SPAN = /`([a-z][\w.-]{1,30} [a-z][\w-]*(?: [^`\n]{1,120})?)`/g;
/** Run for the form's environment, not for the case. */
const LISTS_VERSIONS =
  /^(?:pip3?|npm|yarn|pnpm|conda|gem|cargo|brew|composer) (?:list|freeze|ls|show|info)\b|(?:^|\s)(?:--version|-v|-V)$/;

/** The command that shares most words with the title: from the steps if they have one, else from the issue. */
export function commandOf({ reading, issue, closedGaps }: SpecInput, answer: string | null): string | null {
  const fromAnswers = closedGaps.filter((gap) => gap.closedReason === "answered").map((gap) => gap.closedNote ?? "");
  const words = new Set(issue.title.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu));
  const shared = (command: string) =>
    new Set((command.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).filter((word) => words.has(word))).size;
  const given = [...commandsIn(answer ?? ""), ...fromAnswers.flatMap(commandsIn)];
  // What a criterion runs is its own case.
  const told = reading.sections
    .filter((section) => tellsTheStory(section) && section.topic !== "acceptance")
    .flatMap(({ blocks }) => blocks);
  const story = told.map(({ text }) => (checkbox(text) === null ? text : "")).join("\n");
  const own = reading.facts.commands.filter((one) => story.includes(one) && !LISTS_VERSIONS.test(one));
  const commands = given.length > 0 ? given : own;
  // For a program that is not well known by name, the title must mention its arguments.
  const likely = [...reading.text.replaceAll(/^[ \t]*[-*+] \[[ xX]?\] .*$/gmu, "").matchAll(SPAN)]
    .map((match) => match[1] ?? "")
    .filter((span) => shared(span) > 0);
  const [best] = (commands.length > 0 ? commands : likely)
    .filter((command) => command.length <= 160 && !command.includes("\n"))
    .toSorted((a, b) => shared(b) - shared(a));
  return best ?? null;
}

function commandsIn(text: string): string[] {
  return readIssue({ title: "", body: text, labels: [] }).facts.commands;
}

/** The sentence that contains the command, if it says more than the command alone. */
export function commandStepOf(steps: string, command: string | null): string | null {
  if (command === null) return null;
  const sentence = sentencesOf(steps).find(({ text }) => text.includes(command))?.text ?? "";
  const beside = sentence.replace(command, " ").match(/\p{L}{3,}/gu)?.length ?? 0;
  const phrased = phrase(sentence, 240);
  return beside >= 4 && phrased.includes(command) && !/\d+\.\d+/.test(sentence.replace(command, "")) ? phrased : null;
}
