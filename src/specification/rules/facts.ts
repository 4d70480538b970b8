import { type Gap, type Topic, SEVERITIES } from "../../domain/gap.ts";
import { isFiller } from "../../domain/issue-text/stop-words.ts";
import { readIssue, type IssueReading } from "../../domain/issue-text/issue-reading.ts";
import { sentencesOf } from "../../domain/issue-text/sentences.ts";
import type { SpecInput } from "../generator.ts";
import { requestsInForce } from "../revision.ts";
import { type Bounds, boundsOf, sentencesOfIssue } from "./bounds.ts";
import { type Place, placesOf } from "./places.ts";
import { clause, expectation, phrase, plain } from "./plain.ts";

/** What people said of a topic, unshortened, and the gap that it answers, if any. */
export interface Said {
  text: string;
  gap: number | null;
  /** Of a later request: its place in the thread. */
  message?: number;
}

export interface Answer {
  gap: Gap;
  /** Who said it, when, and in which message of the thread, where that can be told. */
  message: { author: string; day: string; seq: number } | null;
}

/** What a spec is written from, sorted for the rules. */
export interface SpecFacts {
  kind: IssueReading["kind"]["kind"];
  /** Something is to be built, rather than mended. */
  isRequest: boolean;
  title: string;
  /** An answer before the issue's own words; null where only an assumption, or nothing, is known. */
  said: (topic: Topic) => Said | null;
  assumed: (topic: Topic) => Said | null;
  /** What the result is judged by, in people's words. */
  criteria: Said[];
  /** Why it is wanted or what it is about, in one sentence of the issue as written; null where the title says it all. */
  need: string | null;
  /** What a revision was asked for. */
  requests: Said[];
  /** The message that people saw where something is broken. */
  symptom: string | null;
  /** The command that shows the case, if one is told. */
  command: string | null;
  /** The step of the case that has the command in it, where that says more than the command. */
  commandStep: string | null;
  /** Where a reproduction of the case lies, if nothing else shows it. */
  link: string | null;
  /** Steps or an input for the case, as sentences, without the command. */
  circumstances: string[];
  answers: Answer[];
  /** Gaps that were closed by an assumption, the gravest first. */
  assumptions: Gap[];
  bounds: Bounds;
  /** Code to change, the most certain first; places that only share words are left out beside better ones. */
  places: Place[];
  docs: Place[];
  tests: Place[];
  /** The calls of the stack trace that are in the repository, outermost first. */
  calls: Place[];
}

const MOST_CRITERIA = 8;
const MOST_CIRCUMSTANCES = 3;
const MOST_CALLS = 4;
/** "Thanks!" asks for nothing. */
const SHORTEST_REQUEST = 12;
const FAILING =
  /\b(?:error|exception|fail|cannot|can't|unable|invalid|undefined|null|denied|refused|panic|traceback|mismatch)/i;
/** `program word …` in backticks. */
const SPAN = /`([a-z][\w.-]{1,30} [a-z][\w-]*(?: [^`\n]{1,120})?)`/g;
/** About the writer: what they noticed or think is no outcome. */
const OWN_THOUGHT = /^(?:i|we|my)\b/i;
const ERROR_CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
/** Tells what came out, not what was done. */
const OUTCOME =
  /(?<![\p{L}])(?:only|afterwards|nur|danach|только|после этого|seulement|apenas|not|n't|never|missing|wrong|instead|but|fails?|errors?|не|нет|вместо|ошибк\p{L}*|nicht|fehl\p{L}*|kein\p{L}*|falsch|no|falta|pero|pas|manque|mais|não|mas|works?|работает|funktioniert|funciona|fonctionne)(?![\p{L}])|不|没|错|ない|ません|エラー/iu;

export function factsOf(input: SpecInput): SpecFacts {
  const { reading, closedGaps } = input;
  const { kind } = reading.kind;
  const isRequest = kind === "feature" || kind === "chore";
  const byTopic = (topic: Topic, reason: Gap["closedReason"]) => {
    const gap = closedGaps.find((one) => one.topic === topic && one.closedReason === reason);
    return gap && plain(gap.closedNote ?? "") !== "" ? { text: gap.closedNote ?? "", gap: gap.number } : null;
  };
  const said = (topic: Topic): Said | null => {
    const { text, from } = reading.aspects[topic];
    // The title is said already, and code is no sentence.
    const own = text === undefined || from === "title" ? "" : ownWords(text, from === "section");
    const isUnusable =
      plain(own) === "" ||
      /^(?:https?:\S+\s*)+$/.test(own) ||
      (topic === "expected" && OWN_THOUGHT.test(expectation(own)));
    const found = byTopic(topic, "answered") ?? (isUnusable ? null : { text: own, gap: null });
    return found && topic === "expected" ? { ...found, text: expectation(found.text) } : found;
  };
  const command = commandOf(input, said("reproduction"));
  const places = placesOf(input, command);
  const answers = closedGaps
    .filter((gap) => gap.closedReason === "answered")
    .map((gap) => ({ gap, message: messageOf(gap, input) }));
  const inCode = places.filter((place) => place.role !== "test" && place.role !== "docs");
  const certain = inCode.filter((place) => place.tie !== "words");
  return {
    kind,
    isRequest,
    title: phrase(reading.title, 100) || phrase(input.issue.title, 100) || "Untitled",
    said,
    assumed: (topic) => byTopic(topic, "inferred"),
    criteria: criteriaOf(input, said("acceptance")),
    requests: requestsOf(input, answers),
    need: needOf(input),
    symptom: isRequest || kind === "docs" ? null : symptomOf(input),
    command,
    link:
      /https?:\/\/[\w.~:/?#@!$&'()*+,;=%-]{4,300}/
        .exec(said("reproduction")?.text ?? "")?.[0]
        .replace(/[).,;:]+$/, "") ?? null,
    commandStep: commandStepOf(said("reproduction"), command),
    circumstances: circumstancesOf(said("reproduction"), command),
    answers,
    assumptions: closedGaps
      .filter((gap) => gap.closedReason === "inferred")
      .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || a.number - b.number),
    bounds: boundsOf(input, isRequest),
    places: certain.length > 0 ? certain : inCode.slice(0, 2),
    docs: places.filter(
      (place) => place.role === "docs" && (place.tie !== "words" || kind === "docs") && isGuide(place),
    ),
    tests: places.filter((place) => place.role === "test"),
    calls: inCode
      .filter((place) => place.depth !== null)
      .slice(0, MOST_CALLS)
      .toReversed(),
  };
}

/** What was is told in a log of changes; it does not describe what is. */
function isGuide({ path, tie }: Place): boolean {
  return tie === "named" || !/(?:^|\/)(?:changelog|changes|history|news|releases?)\b[^/]*$/i.test(path);
}

/** Behind a sentence of prose the reading may have put the code that follows it. */
function ownWords(text: string, isSection: boolean): string {
  return isSection ? text : clause((text.split("\n")[0] ?? "").trim());
}

/** A sentence that asks nothing, expects nothing, and says more than a greeting. */
function needOf({ reading }: SpecInput): string | null {
  const expected = oneLine(reading.aspects.expected.text ?? "") ?? "";
  const sentence = sentencesOfIssue(reading)
    .map((text) => text.trim())
    .find(
      (text) =>
        text.length > 24 &&
        !/^https?:\S+$/.test(text) &&
        !/[?？]$/.test(text) &&
        !isFiller(text) &&
        expectation(text) === text &&
        !expected.includes(text.slice(0, 60)),
    );
  return sentence ?? null;
}

/** The acceptance criteria of the issue, and an answer to what must pass. */
function criteriaOf({ reading }: SpecInput, acceptance: Said | null): Said[] {
  const own = reading.acceptanceCriteria.map((text) => ({ text, gap: null }));
  const answer = acceptance?.gap == null ? [] : [acceptance];
  return [...answer, ...own].filter(({ text }) => plain(text) !== "").slice(0, MOST_CRITERIA);
}

/** What people asked for after an earlier version, unless it is told as the answer to a question. */
function requestsOf(input: SpecInput, answers: Answer[]): Said[] {
  const told = new Set(answers.map((answer) => answer.message?.seq));
  return requestsInForce(input)
    .filter((message) => !told.has(message.seq) && plain(message.content).length > SHORTEST_REQUEST)
    .map((message) => ({ text: message.content, gap: null, message: message.seq }))
    .slice(-MOST_CRITERIA);
}

/** An error of a stack trace, else a message that the code knows too, else one that reads like an error. */
function symptomOf({ reading, findings }: SpecInput): string | null {
  const error = reading.traces.find((trace) => trace.error)?.error;
  if (error) return oneLine([error.type, error.message].filter((part) => part !== null && part !== "").join(": "));
  const inFindings = findings.flatMap((finding) => finding.sources.map((source) => source.snippet)).join("\n");
  const { messages } = reading.facts;
  const found =
    messages.find(
      (message) =>
        ERROR_CODE.test(message) && (inFindings.includes(message) || FAILING.test(message.replaceAll("_", " "))),
    ) ??
    messages.find((message) => message.length > 8 && inFindings.includes(message)) ??
    messages.find((message) => FAILING.test(message));
  return found === undefined ? null : oneLine(found);
}

/** Of the commands in the steps, else in the issue, the one that shares most words with the title. */
function commandOf({ reading, issue, closedGaps }: SpecInput, steps: Said | null): string | null {
  const fromAnswers = closedGaps.filter((gap) => gap.closedReason === "answered").map((gap) => gap.closedNote ?? "");
  const words = new Set(issue.title.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu));
  const shared = (command: string) =>
    new Set((command.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).filter((word) => words.has(word))).size;
  const told = [...(steps?.gap == null ? [] : commandsIn(steps.text)), ...fromAnswers.flatMap(commandsIn)];
  const commands = told.length > 0 ? told : reading.facts.commands;
  // A program that nobody knows by name is one where the title speaks of what it was told to do.
  const likely = [...reading.text.matchAll(SPAN)].map((match) => match[1] ?? "").filter((span) => shared(span) > 0);
  const [best] = (commands.length > 0 ? commands : likely)
    .filter((command) => command.length <= 160 && !command.includes("\n"))
    .toSorted((a, b) => shared(b) - shared(a));
  return best ?? null;
}

function commandsIn(text: string): string[] {
  return readIssue({ title: "", body: text, labels: [] }).facts.commands;
}

function circumstancesOf(steps: Said | null, command: string | null): string[] {
  if (steps === null) return [];
  return sentencesOf(withoutCode(steps.text))
    .map((sentence) => phrase(sentence.text, 170).replace(EXAMPLE_FOLLOWS, ""))
    .filter((text) => isSaid(text) && !OUTCOME.test(text))
    .filter((text) => command === null || !text.includes(command))
    .slice(0, MOST_CIRCUMSTANCES);
}

const EXAMPLE_FOLLOWS =
  /[,;]?\s*(?:for example|for instance|e\.g|zum Beispiel|z\. ?B|например|por ejemplo|par exemple|por exemplo)[.:,]?$/iu;

/** Words enough to say something, and no line of code. */
function isSaid(text: string): boolean {
  if (text.includes("://")) return false;
  const outside = text.replaceAll(/`[^`]*`/g, "…");
  const words = outside.match(/[\p{L}\p{N}…]{2,}|…/gu)?.length ?? 0;
  const isCode = /[{};]|=>|\)\.|\w\(|^[\w-]+:\s/.test(outside);
  return !isCode && (words >= 4 || /[\u3040-\u30ff\u4e00-\u9fff]{6,}/.test(outside));
}

function withoutCode(text: string): string {
  return text.replaceAll(/```[\s\S]*?(?:```|$)/g, "\n\n");
}

/** The sentence that has the command, where it says more than the command alone. */
function commandStepOf(steps: Said | null, command: string | null): string | null {
  if (steps === null || command === null) return null;
  const sentence = sentencesOf(withoutCode(steps.text)).find(({ text }) => text.includes(command))?.text ?? "";
  const beside = sentence.replace(command, " ").match(/\p{L}{3,}/gu)?.length ?? 0;
  const told = phrase(sentence, 240);
  return beside >= 4 && told.includes(command) && !/\d+\.\d+/.test(sentence.replace(command, "")) ? told : null;
}

/** The message that an answer was taken from: people's words are kept as they are. */
function messageOf(gap: Gap, { messages }: SpecInput): Answer["message"] {
  const start = folded(gap.closedNote ?? "").slice(0, 60);
  const found = messages.findLast(
    ({ content, role }) => role !== "self" && start !== "" && folded(content).includes(start),
  );
  if (!found) return null;
  return { author: plain(found.author, 60), day: found.timestamp.toISOString().slice(0, 10), seq: found.seq };
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ").trim();
}

function oneLine(text: string): string | null {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat === "" ? null : flat;
}
