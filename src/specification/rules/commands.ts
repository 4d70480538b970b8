import { tellsTheStory } from "../../domain/issue-text/aspects.ts";
import { COMMAND_TELLS } from "../../domain/issue-text/aspect-words.ts";
import { readIssue } from "../../domain/issue-text/issue-reading.ts";
import { sentencesOf } from "../../domain/issue-text/sentences.ts";
import { checkbox } from "../../domain/issue-text/stop-words.ts";
import type { SpecInput } from "../generator.ts";
import { phrase } from "./plain.ts";

/** `program word …` in backticks. */
const SPAN = /`([a-z][\w.-]{1,30} [a-z][\w-]*(?: [^`\n]{1,120})?)`/g;
/** A line that somebody typed. */
const PROMPTED = /^\s*[$❯]\s+([a-z][\w./-]*(?: .+)?)$/;
/** Characters. */
const LONGEST = 160;
const NEAR = 40;
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
  const text = reading.text.replaceAll(/^[ \t]*[-*+] \[[ xX]?\] .*$/gmu, "");
  const spans = [...text.matchAll(SPAN)].map(({ 0: span, 1: inner = "", index }) => ({
    inner,
    // Behind “When …,” it is part of a case.
    tells:
      /(?:^|[.!?。！？]\s*|\n\s*)$/u.test(text.slice(Math.max(0, index - 4), index)) &&
      COMMAND_TELLS.test(text.slice(index, index + span.length + NEAR)),
  }));
  const likely = spans.filter(({ inner }) => shared(inner) > 0).map(({ inner }) => inner);
  const prompted = told
    .flatMap((block) => (block.kind === "code" ? block.text.split("\n") : []))
    .flatMap((line) => PROMPTED.exec(line)?.[1]?.trim() ?? [])
    .filter((one) => !LISTS_VERSIONS.test(one) && one.length <= LONGEST);
  const isFault = reading.kind.kind !== "feature" && reading.kind.kind !== "question";
  const telling = isFault ? spans.filter(({ tells }) => tells).map(({ inner }) => inner) : [];
  const [best] = ([commands, likely, telling].find((some) => some.length > 0) ?? (isFault ? prompted : []))
    .filter((command) => command.length <= LONGEST && !command.includes("\n"))
    .toSorted((a, b) => shared(b) - shared(a));
  // Named without its arguments, it is the one that is shown with them.
  const isJudged = (one: string) => reading.acceptanceCriteria.some((criterion) => criterion.includes(one));
  const whole = [...commands, ...likely, ...prompted].find((one) => one.startsWith(`${best} `) && !isJudged(one));
  return whole ?? best ?? null;
}

function commandsIn(text: string): string[] {
  return readIssue({ title: "", body: text, labels: [] }).facts.commands;
}

/** The sentence that contains the command, if it says more than the command alone. */
export function commandStepOf(steps: string, command: string | null): string | null {
  if (command === null) return null;
  const sentence = sentencesOf(steps).find(({ text }) => text.includes(command))?.text ?? "";
  // What comes of it is no step.
  if (sentence.startsWith("`") && COMMAND_TELLS.test(sentence)) return null;
  const beside = sentence.replace(command, " ").match(/\p{L}{3,}/gu)?.length ?? 0;
  const phrased = phrase(sentence, 240);
  return beside >= 4 && phrased.includes(command) && !/\d+\.\d+/.test(sentence.replace(command, "")) ? phrased : null;
}
